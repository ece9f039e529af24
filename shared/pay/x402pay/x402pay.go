// Package x402pay verifies payments in the protocol x402 (version 2, scheme exact, on Solana). A
// client pays for one answer with a transaction. This package checks it and signs it as the fee
// payer. It makes no network call and stores nothing. The network decides whether the transaction
// takes effect. The caller ensures that it counts once.
//
// A payment that passes Verify and takes effect moves exactly the price from one payer to the
// wallet. It is in the required coin, and the payment does nothing else. Our signature costs at
// most MaxFee. Only payments that passed Verify are signed. The transaction's signature is known
// before it is sent.
//
// Start with New and Seller.Verify.
//
// Sources are the 2026 versions of three specifications: x402 v2, its scheme exact on Solana, and
// its transport over HTTP.
package x402pay

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
)

// Version is the version of the protocol.
const Version = 2

// scheme is the one supported scheme: exactly the required amount.
const scheme = "exact"

// Networks by their genesis hash (CAIP-2).
const (
	Mainnet = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	Devnet  = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
)

// NetworkOf returns the network for a cluster name of Solana's tools, or "" for an unknown name.
func NetworkOf(cluster string) string {
	return map[string]string{"mainnet-beta": Mainnet, "devnet": Devnet}[cluster]
}

// MaxFee is the most that our signature may cost, in lamports (billionths of a SOL). That is 5,000
// for each of two signatures, and 10,000 for priority.
const MaxFee = 20_000

// lifetime is the time limit of a payment in seconds. A blockhash is valid for about that long.
const lifetime = 60

// Config names the recipient, the coin and the fee payer.
type Config struct {
	Network string
	Mint    string // of the coin, with 6 decimals
	Wallet  string // recipient: the owner of the token account, not that account
	// FeeKey signs as the fee payer. Its address needs some SOL and should hold nothing else.
	FeeKey ed25519.PrivateKey
}

// Seller verifies payments to one wallet.
type Seller struct {
	config   Config
	mint     solana.PublicKey
	account  solana.PublicKey // the wallet's token account
	feePayer solana.PublicKey
}

// New validates the configuration.
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

// FeePayer returns the address that pays the network fee; it has to hold SOL.
func (s *Seller) FeePayer() string { return s.feePayer.String() }

// Requirements returns the requirements for a payment of units millionths of a USDC.
func (s *Seller) Requirements(units int64) Requirements {
	return Requirements{
		Scheme: scheme, Network: s.config.Network, Amount: strconv.FormatInt(units, 10), Asset: s.config.Mint,
		PayTo:             s.config.Wallet,
		MaxTimeoutSeconds: lifetime, Extra: Extra{FeePayer: s.FeePayer()},
	}
}

// Payment is a transaction that passed Verify and has not been sent.
type Payment struct {
	Payer string // owner of the coins it moves
	Units int64
	Fee   int64 // cost for the fee payer, in lamports
	// Guarded means that the transaction contains assertions. Its payer can make them succeed in
	// the simulation and fail in the block.
	Guarded bool

	key     ed25519.PrivateKey
	message []byte
	payer   solana.Signature
}

// Sign returns the transaction's signature and its wire format. It is deterministic.
func (p Payment) Sign() (pay.Signature, []byte) {
	own := ed25519.Sign(p.key, p.message)
	wire := append([]byte{2}, own...) // number of signatures, as compact-u16
	wire = append(wire, p.payer[:]...)
	return pay.Signature(own), append(wire, p.message...)
}

// Refusal is the reason why a payment was refused.
type Refusal struct {
	Reason string // code of the protocol, or of its published programs
	Detail string // in words
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

func refuse(reason, format string, args ...any) error {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}
