package x402pay

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/gagliardetto/solana-go"
)

// Refusal reasons are codes from the x402 specification or, where it has none, from published
// programs.
const (
	invalidVersion      = "invalid_x402_version"
	unsupportedScheme   = "unsupported_scheme"
	invalidNetwork      = "invalid_network"
	invalidRequirements = "invalid_payment_requirements"
	invalidPayload      = "invalid_payload"

	undecoded       = "invalid_exact_svm_payload_transaction_could_not_be_decoded"
	badSignature    = "invalid_exact_svm_payload_signature"
	badInstructions = "invalid_exact_svm_payload_transaction_instructions_length"
	badLimit        = "invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction"
	badPrice        = "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction"
	feeTooHigh      = "invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high"
	feePayerNamed   = "invalid_exact_svm_payload_transaction_fee_payer_included_in_instruction_accounts"
	noTransfer      = "invalid_exact_svm_payload_no_transfer_instruction"
	mintMismatch    = "invalid_exact_svm_payload_mint_mismatch"
	toOthers        = "invalid_exact_svm_payload_recipient_mismatch"
	amountMismatch  = "invalid_exact_svm_payload_amount_mismatch"
)

const (
	maxTransaction = 1232 // bytes; the network's limit before transaction version 1
	maxCalls       = 7
	signatureFee   = 5000 // lamports per signature
	decimals       = 6
)

// lighthouse is the program with which wallets add assertions. An assertion can make a transaction
// fail, but moves nothing.
var lighthouse = solana.MustPublicKeyFromBase58("L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95")

// Verify fails with a *Refusal if the payment does not meet the requirements. Verify does not simulate
// the transaction, and therefore accepts only calls of known programs.
func (s *Seller) Verify(p Payload, want Requirements) (Payment, error) {
	switch {
	case p.X402Version != Version:
		return Payment{}, refuse(invalidVersion, "the payment is of version %d, and %d is answered", p.X402Version,
			Version)
	case p.Accepted.Scheme != want.Scheme:
		return Payment{}, refuse(unsupportedScheme, "the payment is by scheme %.40q, and %q is answered",
			p.Accepted.Scheme, want.Scheme)
	case p.Accepted.Network != want.Network:
		return Payment{}, refuse(invalidNetwork, "the payment is on %.60q, and %s is answered", p.Accepted.Network,
			want.Network)
	case p.Accepted != want:
		return Payment{}, refuse(invalidRequirements,
			"the payment is for other requirements than those of this answer: ask again without it")
	}
	units, err := strconv.ParseInt(want.Amount, 10, 64)
	if err != nil || units <= 0 {
		return Payment{}, refuse(invalidRequirements, "the amount is %.40q", want.Amount)
	}
	tx, message, err := decode(p.Payload.Transaction)
	if err != nil {
		return Payment{}, err
	}
	payer, err := s.signers(tx, message)
	if err != nil {
		return Payment{}, err
	}
	fee, err := s.calls(&tx.Message, payer, uint64(units))
	if err != nil {
		return Payment{}, err
	}
	guarded := slices.Contains(tx.Message.AccountKeys, lighthouse)
	return Payment{Payer: payer.String(), Units: units, Fee: fee, Guarded: guarded, key: s.config.FeeKey,
		message: message, payer: tx.Signatures[1], v1: tx.Message.GetVersion() == solana.MessageVersionV1}, nil
}

// decode refuses a transaction that would be encoded as other bytes.
func decode(text string) (*solana.Transaction, []byte, error) {
	if base64.StdEncoding.DecodedLen(len(text)) > solana.MaxTransactionSizeV1+2 {
		return nil, nil, refuse(undecoded, "the transaction is longer than %d bytes", solana.MaxTransactionSizeV1)
	}
	wire, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, nil, refuse(undecoded, "the transaction is not base64")
	}
	tx, err := solana.TransactionFromBytes(wire)
	if err != nil {
		return nil, nil, refuse(undecoded, "the transaction cannot be read, or is of a version that is not taken here")
	}
	if tx.Message.GetVersion() != solana.MessageVersionV1 && len(wire) > maxTransaction {
		return nil, nil, refuse(undecoded, "the transaction is longer than %d bytes", maxTransaction)
	}
	if tx.Message.NumLookups() > 0 || len(tx.Message.GetAddressTableLookups()) > 0 {
		return nil, nil, refuse(undecoded, "the transaction names accounts through look-up tables")
	}
	if err := tx.Message.Sanitize(); err != nil || tx.Message.HasDuplicates() {
		return nil, nil, refuse(undecoded, "the transaction's accounts contradict one another")
	}
	message, err := tx.Message.MarshalBinary()
	again, fault := tx.MarshalBinary()
	if err != nil || fault != nil || len(tx.Signatures) != 2 || !bytes.Equal(wire, again) {
		return nil, nil, refuse(undecoded, "the transaction is not one of two signatures, written as it is read")
	}
	return tx, message, nil
}

func (s *Seller) signers(tx *solana.Transaction, message []byte) (solana.PublicKey, error) {
	h, keys := tx.Message.Header, tx.Message.AccountKeys
	if h.NumRequiredSignatures != 2 || len(keys) < 2 {
		return solana.PublicKey{}, refuse(badSignature,
			"the transaction wants %d signatures: the payer's and that of %s are two", h.NumRequiredSignatures,
			s.feePayer)
	}
	if keys[0] != s.feePayer {
		return solana.PublicKey{}, refuse(invalidRequirements, "the network's fee is to be paid by %s", s.feePayer)
	}
	if !tx.Signatures[1].Verify(keys[1], message) {
		return solana.PublicKey{}, refuse(badSignature, "the payer's signature is not one of this transaction")
	}
	return keys[1], nil
}

// calls returns the fee in lamports. In version 1, the fee from compute-budget calls is added to the
// priority fee, although the network ignores these calls.
func (s *Seller) calls(m *solana.Message, payer solana.PublicKey, units uint64) (fee int64, err error) {
	if n := len(m.Instructions); n > maxCalls {
		return 0, refuse(badInstructions, "the transaction makes %d calls; at most %d are taken", n, maxCalls)
	}
	var limit, price *uint64
	var stated uint64
	transfers := 0
	for _, call := range m.Instructions {
		program := m.AccountKeys[call.ProgramIDIndex]
		for _, i := range call.Accounts {
			if m.AccountKeys[i] == s.feePayer {
				return 0, refuse(feePayerNamed, "a call names %s, which pays the network and takes part in nothing",
					s.feePayer)
			}
		}
		switch program {
		case solana.ComputeBudget:
			if err := budget(call.Data, &limit, &price); err != nil {
				return 0, err
			}
		case solana.TokenProgramID:
			transfers++
			if err := s.transfer(m, call, payer, units); err != nil {
				return 0, err
			}
		case solana.MemoProgramID, lighthouse:
		default:
			return 0, refuse(badInstructions, "the transaction calls %s", program)
		}
	}
	if m.GetVersion() == solana.MessageVersionV1 {
		if m.TransactionConfig.ComputeUnitLimit == nil {
			return 0, refuse(badLimit, "the transaction does not say how much computing it may take")
		}
		if fee := m.TransactionConfig.PriorityFee; fee != nil {
			stated = *fee
		}
		limit, price = cmp.Or(limit, new(uint64)), cmp.Or(price, new(uint64))
	}
	switch {
	case transfers != 1:
		return 0, refuse(noTransfer, "the transaction makes %d transfers, and one is taken", transfers)
	case limit == nil:
		return 0, refuse(badLimit, "the transaction does not say how much computing it may take")
	case price == nil:
		return 0, refuse(badPrice, "the transaction does not say what its computing costs")
	}
	return feeOf(*limit, *price, stated)
}

// limit is in compute units, and price in millionths of a lamport per unit.
func budget(data []byte, limit, price **uint64) error {
	switch {
	case len(data) == 5 && data[0] == 2 && *limit == nil:
		units := uint64(binary.LittleEndian.Uint32(data[1:]))
		*limit = &units
	case len(data) == 9 && data[0] == 3 && *price == nil:
		each := binary.LittleEndian.Uint64(data[1:])
		*price = &each
	case len(data) > 0 && data[0] == 3:
		return refuse(badPrice, "the price of computing is malformed or said twice")
	default:
		return refuse(badLimit, "the limit of computing is malformed or said twice, or the call is another one")
	}
	return nil
}

func feeOf(limit, price, stated uint64) (int64, error) {
	const most = MaxFee - 2*signatureFee
	if stated > most || limit > 0 && price > (most-stated)*1_000_000/limit {
		return 0, refuse(feeTooHigh, "the network's fee is more than %d lamports", MaxFee)
	}
	return 2*signatureFee + int64(stated+(limit*price+999_999)/1_000_000), nil
}

// transferChecked is the token program's instruction that also names the mint and the decimals.
const transferChecked = 12

func (s *Seller) transfer(m *solana.Message, call solana.CompiledInstruction, payer solana.PublicKey,
	units uint64) error {
	if len(call.Data) != 10 || call.Data[0] != transferChecked || len(call.Accounts) != 4 {
		return refuse(noTransfer, "the token program is called for something else than one owner's checked transfer")
	}
	// The accounts are: source, mint, destination, owner of the source.
	at := func(i int) solana.PublicKey { return m.AccountKeys[call.Accounts[i]] }
	switch amount := binary.LittleEndian.Uint64(call.Data[1:]); {
	case at(1) != s.mint:
		return refuse(mintMismatch, "the transfer is in the coin %s", at(1))
	case at(2) != s.account:
		return refuse(toOthers, "the transfer is to %s, and %s is the wallet's account", at(2), s.account)
	case at(0) == at(2):
		return refuse(toOthers, "the transfer is from the wallet's account to itself")
	case at(3) != payer:
		return refuse(badSignature, "the transfer is of another owner's coins than the one's who has signed")
	case amount != units || call.Data[9] != decimals:
		return refuse(amountMismatch, "the transfer is of %d units with %d decimals, and the price is %d with %d",
			amount, call.Data[9], units, decimals)
	}
	return nil
}
