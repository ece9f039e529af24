package paytest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"math/big"
)

// The programs and accounts of the network.
const (
	TokenProgram   = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	MemoProgram    = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
	OldMemoProgram = "Memo1UhkJRfHyvLMcVucJwxXEuD728EqVDDwxDxFMNo"
)

const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// Base58 writes bytes as the network does.
func Base58(b []byte) string {
	n, base, digit := new(big.Int).SetBytes(b), big.NewInt(58), new(big.Int)
	var reversed []byte
	for n.Sign() > 0 {
		n.DivMod(n, base, digit)
		reversed = append(reversed, letters[digit.Int64()])
	}
	for i := 0; i < len(b) && b[i] == 0; i++ {
		reversed = append(reversed, letters[0])
	}
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	return string(reversed)
}

// unbase58 reads so many bytes; false if the text does not hold them.
func unbase58(text string, size int) ([]byte, bool) {
	n, base := new(big.Int), big.NewInt(58)
	if len(text) > 2*size {
		return nil, false
	}
	for i := range len(text) {
		digit := bytes.IndexByte([]byte(letters), text[i])
		if digit < 0 {
			return nil, false
		}
		n.Add(n.Mul(n, base), big.NewInt(int64(digit)))
	}
	if len(n.Bytes()) > size {
		return nil, false
	}
	b := n.FillBytes(make([]byte, size))
	return b, Base58(b) == text
}

// Address makes up the address that goes by a name in a test.
func Address(name string) string {
	b := sha256.Sum256([]byte("address " + name))
	return Base58(b[:])
}

// message is what a transaction says, before it is written down.
type message struct {
	signers  int
	readonly int      // of the accounts, the last so many
	accounts []string // in the message itself
	loaded   []string // through a look-up table, writable; then the message is of version 0
	calls    []call
}

// call is an instruction; accounts and program are places in the list of both kinds of accounts.
type call struct {
	program  int
	accounts []int
	data     []byte
}

func (m message) keys() []string {
	return append(m.accounts[:len(m.accounts):len(m.accounts)], m.loaded...)
}

// bytes is the signed transaction on the wire.
func (m message) bytes(signatures [][64]byte) []byte {
	var b bytes.Buffer
	short := func(n int) { // compact-u16
		for n >= 0x80 {
			b.WriteByte(byte(n)&0x7f | 0x80)
			n >>= 7
		}
		b.WriteByte(byte(n))
	}
	short(len(signatures))
	for _, s := range signatures {
		b.Write(s[:])
	}
	if m.loaded != nil {
		b.WriteByte(0x80)
	}
	b.Write([]byte{byte(m.signers), 0, byte(m.readonly)})
	short(len(m.accounts))
	for _, a := range m.accounts {
		key, _ := unbase58(a, 32)
		b.Write(key)
	}
	b.Write(make([]byte, 32)) // recent block hash
	short(len(m.calls))
	for _, c := range m.calls {
		b.WriteByte(byte(c.program))
		short(len(c.accounts))
		for _, a := range c.accounts {
			b.WriteByte(byte(a))
		}
		short(len(c.data))
		b.Write(c.data)
	}
	if m.loaded != nil {
		short(1) // one table
		b.Write(make([]byte, 32))
		short(len(m.loaded))
		for i := range m.loaded {
			b.WriteByte(byte(i))
		}
		short(0)
	}
	return b.Bytes()
}

// transferChecked is the token program's instruction to move units.
func transferChecked(units uint64) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{12}, units), 6)
}
