package playmoney

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/gagliardetto/solana-go/base58"
)

// The programs and accounts of the network.
const (
	TokenProgram   = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	MemoProgram    = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
	OldMemoProgram = "Memo1UhkJRfHyvLMcVucJwxXEuD728EqVDDwxDxFMNo"
)

// decode reads so many bytes of base58; false if the text does not hold exactly them.
func decode(text string, size int) ([]byte, bool) {
	b, err := base58.Decode(text)
	return b, err == nil && len(b) == size
}

// Address makes up the address that goes by a name in a test.
func Address(name string) string {
	b := sha256.Sum256([]byte("address " + name))
	return base58.Encode(b[:])
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
		key, _ := decode(a, 32)
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
