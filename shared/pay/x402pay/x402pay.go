// Package x402pay verifies payments in the protocol x402 (version 2, scheme exact, on Solana). A
// client pays for one answer with a transaction, which this package checks and signs as the fee
// payer. The caller must send the transaction and ensure that it counts once.
//
// Start reading at New and Seller.Verify. The sources are the 2026 versions of three
// specifications: x402 v2, its scheme exact on Solana, and its transport over HTTP.
package x402pay

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
)

const Version = 2

const scheme = "exact"

// CAIP-2 names of Solana's networks.
const (
	Mainnet = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	Devnet  = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
)

func NetworkOf(cluster string) string {
	return map[string]string{"mainnet-beta": Mainnet, "devnet": Devnet}[cluster]
}

// MaxFee, in lamports, allows 5,000 for each of two signatures and 10,000 for priority.
const MaxFee = 20_000

// lifetime, in seconds, is about as long as a blockhash is valid.
const lifetime = 60

type Config struct {
	Network string
	Mint    string // mint address of a coin with 6 decimals
	Wallet  string // owner of the receiving token account
	// The address of FeeKey needs SOL and should hold nothing else.
	FeeKey ed25519.PrivateKey
}

type Seller struct {
	config   Config
	mint     solana.PublicKey
	account  solana.PublicKey
	feePayer solana.PublicKey
}

func New(config Config) (*Seller, error) {
	if config.Network != Mainnet && config.Network != Devnet {
		return nil, fmt.Errorf("network %q is neither %s nor %s", config.Network, Mainnet, Devnet)
	}
	mint, err := solana.PublicKeyFromBase58(config.Mint)
	if err != nil {
		return nil, fmt.Errorf("read mint address %q: %w", config.Mint, err)
	}
	wallet, err := solana.PublicKeyFromBase58(config.Wallet)
	if err != nil {
		return nil, fmt.Errorf("read wallet address %q: %w", config.Wallet, err)
	}
	account, _, err := solana.FindAssociatedTokenAddress(wallet, mint)
	if err != nil {
		return nil, fmt.Errorf("derive token account: %w", err)
	}
	if len(config.FeeKey) != ed25519.PrivateKeySize {
		return nil, errors.New("the key that pays the network's fee is not one of Ed25519")
	}
	return &Seller{config, mint, account, solana.PublicKeyFromBytes(config.FeeKey.Public().(ed25519.PublicKey))}, nil
}

func (s *Seller) FeePayer() string { return s.feePayer.String() }

// The parameter units is in millionths of a USDC.
func (s *Seller) Requirements(units int64) Requirements {
	return Requirements{
		Scheme: scheme, Network: s.config.Network, Amount: strconv.FormatInt(units, 10), Asset: s.config.Mint,
		PayTo:             s.config.Wallet,
		MaxTimeoutSeconds: lifetime, Extra: Extra{FeePayer: s.FeePayer()},
	}
}

type Payment struct {
	Payer string
	Units int64
	Fee   int64 // in lamports
	// Guarded transactions may contain assertions that succeed in a simulation and fail on the chain.
	Guarded bool

	key     ed25519.PrivateKey
	message []byte
	payer   solana.Signature
	v1      bool
}

// Sign is deterministic, so a retry sends the same transaction.
func (p Payment) Sign() (pay.Signature, []byte) {
	fee := ed25519.Sign(p.key, p.message)
	signatures := slices.Concat(fee, p.payer[:])
	if p.v1 {
		return pay.Signature(fee), slices.Concat(p.message, signatures)
	}
	// The 2 is the number of signatures, as compact-u16.
	return pay.Signature(fee), slices.Concat([]byte{2}, signatures, p.message)
}

type Refusal struct {
	Reason string
	Detail string
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

func refuse(reason, format string, args ...any) error {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}
