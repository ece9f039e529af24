package playmoney

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/gagliardetto/solana-go/base58"
)

const (
	TokenProgram   = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	MemoProgram    = "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr"
	OldMemoProgram = "Memo1UhkJRfHyvLMcVucJwxXEuD728EqVDDwxDxFMNo"
)

func decode(text string, size int) ([]byte, bool) {
	b, err := base58.Decode(text)
	return b, err == nil && len(b) == size
}

func Address(name string) string {
	b := sha256.Sum256([]byte("address " + name))
	return base58.Encode(b[:])
}

type message struct {
	signers  int
	readonly int
	accounts []string
	loaded   []string
	v1       bool
	calls    []call
}

// The integers in a call are indexes into the list that message.keys returns.
type call struct {
	program  int
	accounts []int
	data     []byte
}

func (m message) keys() []string {
	return append(m.accounts[:len(m.accounts):len(m.accounts)], m.loaded...)
}

func (m message) version() any {
	switch {
	case m.v1:
		return 1
	case m.loaded != nil:
		return 0
	}
	return "legacy"
}

func (m message) bytes(signatures [][64]byte) []byte {
	var b bytes.Buffer
	if m.v1 {
		m.writeV1(&b)
		for _, s := range signatures {
			b.Write(s[:])
		}
		return b.Bytes()
	}
	short := func(n int) { // writes n as compact-u16
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
		short(1)
		b.Write(make([]byte, 32))
		short(len(m.loaded))
		for i := range m.loaded {
			b.WriteByte(byte(i))
		}
		short(0)
	}
	return b.Bytes()
}

// In version 1, lengths have a fixed size, and the headers of all calls come before the data.
func (m message) writeV1(b *bytes.Buffer) {
	b.Write([]byte{0x81, byte(m.signers), 0, byte(m.readonly)})
	b.Write(make([]byte, 4+32)) // 4 bytes for no compute limits, and 32 for the recent block hash
	b.Write([]byte{byte(len(m.calls)), byte(len(m.accounts))})
	for _, a := range m.accounts {
		key, _ := decode(a, 32)
		b.Write(key)
	}
	for _, c := range m.calls {
		b.Write([]byte{byte(c.program), byte(len(c.accounts)), byte(len(c.data)), byte(len(c.data) >> 8)})
	}
	for _, c := range m.calls {
		for _, a := range c.accounts {
			b.WriteByte(byte(a))
		}
		b.Write(c.data)
	}
}

func transferChecked(units uint64) []byte {
	return append(binary.LittleEndian.AppendUint64([]byte{12}, units), 6)
}
