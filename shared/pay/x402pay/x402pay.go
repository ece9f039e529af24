// Package x402pay judges what a client of the protocol x402 (version 2, scheme
// exact, on Solana) sends to pay for one answer, and signs it as the one who pays
// the network's fee. It asks nobody and stores nothing: whether the transaction
// takes effect is the network's to say, and that it counts once the caller's to remember.
//
// It promises that what Verify passes, if it takes effect, moves exactly the price
// in the coin asked for from one payer to the wallet, and does nothing else; that
// our signature under it can cost no more than MaxFee; and that nothing is signed
// that Verify has not passed. What names the transaction is known before it is sent.
//
// Sources: the specifications of x402 v2, of its scheme exact on Solana and of its
// transport over HTTP, as of their versions of 2026.
package x402pay

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strconv"

	"github.com/gagliardetto/solana-go"

	"verdetto/shared/pay"
)

// Version of the protocol.
const Version = 2

// scheme is the one that is answered: so much, no more and no less.
const scheme = "exact"

// Networks by the genesis hash that names them (CAIP-2).
const (
	Mainnet = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	Devnet  = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
)

// NetworkOf is the network that Solana's tools call by a name; empty where there is none of it.
func NetworkOf(cluster string) string {
	return map[string]string{"mainnet-beta": Mainnet, "devnet": Devnet}[cluster]
}

// MaxFee is what our signature may cost at most, in lamports (billionths of a SOL):
// 5,000 for each of two signatures, and as much again to be taken early.
const MaxFee = 20_000

// lifetime is how long a payment may take, in seconds: a transaction is good for about so long after its blockhash.
const lifetime = 60

// Config says who is paid, in what, and who pays the network.
type Config struct {
	Network string
	Mint    string // of the coin, with 6 decimals
	Wallet  string // who is paid: the owner of the token account, not that account
	// FeeKey signs as the one who pays the network's fee. It needs some SOL and should hold nothing else.
	FeeKey ed25519.PrivateKey
}

// Seller is paid by transactions that it has judged.
type Seller struct {
	config   Config
	mint     solana.PublicKey
	account  solana.PublicKey // the wallet's token account
	feePayer solana.PublicKey
}

// New checks the configuration.
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

// FeePayer is the address that has to hold SOL.
func (s *Seller) FeePayer() string { return s.feePayer.String() }

// Requirements are what a payment of so many units, millionths of a USDC, has to look like.
func (s *Seller) Requirements(units int64) Requirements {
	return Requirements{
		Scheme: scheme, Network: s.config.Network, Amount: strconv.FormatInt(units, 10), Asset: s.config.Mint,
		PayTo:             s.config.Wallet,
		MaxTimeoutSeconds: lifetime, Extra: Extra{FeePayer: s.FeePayer()},
	}
}

// Payment is a transaction that Verify has passed, and that nobody has sent yet.
type Payment struct {
	Payer string // whose coins it moves
	Units int64
	Fee   int64 // what it costs the one who signs last, in lamports
	// Guarded: it holds assertions, which its payer can have hold as the node tries it and fail in the block.
	Guarded bool

	key     ed25519.PrivateKey
	message []byte
	payer   solana.Signature
}

// Sign gives the name of the transaction and its bytes as the network takes them.
// Signing twice gives the same.
func (p Payment) Sign() (pay.Signature, []byte) {
	own := ed25519.Sign(p.key, p.message)
	wire := append([]byte{2}, own...) // the number of signatures, in the one byte that so few take
	wire = append(wire, p.payer[:]...)
	return pay.Signature(own), append(wire, p.message...)
}

// Refusal is why something is no payment for what was asked.
type Refusal struct {
	Reason string // the protocol's code, or that of its published programs
	Detail string // in words
}

func (r *Refusal) Error() string { return r.Reason + ": " + r.Detail }

func refuse(reason, format string, args ...any) error {
	return &Refusal{reason, fmt.Sprintf(format, args...)}
}
