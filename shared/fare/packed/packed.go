// Package packed is the codec for compact storage. A Writer writes a format byte, then mostly
// integers of variable length, encoded as in encoding/binary.
//
// A Reader keeps its first error, after which numbers are read as 0. Call Err after the last read.
package packed

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

type Writer []byte

func NewWriter(format byte, size int) Writer { return append(make(Writer, 0, size), format) }

func (w *Writer) Int(values ...int64) {
	for _, v := range values {
		*w = binary.AppendVarint(*w, v)
	}
}

func (w *Writer) Uint(v uint64) { *w = binary.AppendUvarint(*w, v) }

func Bit(yes bool) uint64 {
	if yes {
		return 1
	}
	return 0
}

func (w *Writer) Uint16(v uint16) { *w = binary.LittleEndian.AppendUint16(*w, v) }

func (w *Writer) Float32(values ...float64) {
	for _, v := range values {
		*w = binary.LittleEndian.AppendUint32(*w, math.Float32bits(float32(v)))
	}
}

func (w *Writer) Bytes(data []byte) {
	w.Uint(uint64(len(data)))
	*w = append(*w, data...)
}

// Seal appends a checksum, which NewSealedReader verifies.
func (w Writer) Seal() []byte { return binary.LittleEndian.AppendUint32(w, crc32.ChecksumIEEE(w)) }

type Reader struct {
	data []byte
	at   int
	err  error
}

var (
	errShort   = errors.New("cut short")
	errDamaged = errors.New("damaged: the checksum differs")
)

var ErrRange = errors.New("a value that cannot be")

// ErrVersion means that data has another format byte than expected, as another version of the
// program may write it.
var ErrVersion = errors.New("of another version")

func NewReader(data []byte, format byte) Reader {
	switch {
	case len(data) == 0:
		return Reader{err: errShort}
	case data[0] != format:
		return Reader{err: fmt.Errorf("format %d %w", data[0], ErrVersion)}
	}
	return Reader{data: data, at: 1}
}

func NewSealedReader(data []byte, format byte) Reader {
	r := NewReader(data, format)
	n := max(0, len(data)-crc32.Size)
	if n == 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		r.Fail(errDamaged)
		return r
	}
	r.data = data[:n]
	return r
}

func (r *Reader) Fail(err error) {
	if r.data, r.at = nil, 0; r.err == nil {
		r.err = err
	}
}

func (r *Reader) Uint() uint64 {
	if r.at < len(r.data) && r.data[r.at] < 0x80 {
		v := r.data[r.at]
		r.at++
		return uint64(v)
	}
	return r.long()
}

func (r *Reader) long() uint64 {
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		r.Fail(errShort)
		return 0
	}
	r.at += n
	return v
}

func (r *Reader) Int() int64 {
	v := r.Uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (r *Reader) UintTo(most uint64) uint64 {
	v := r.Uint()
	if v > most {
		r.Fail(ErrRange)
		return 0
	}
	return v
}

func (r *Reader) Len() int { return r.Count(int64(min(r.Uint(), math.MaxInt64))) }

func (r *Reader) Byte() byte {
	if !r.More() {
		r.Fail(errShort)
		return 0
	}
	v := r.data[r.at]
	r.at++
	return v
}

// More returns false after a failed read.
func (r *Reader) More() bool { return r.at < len(r.data) }

func (r *Reader) Uint16() uint16 {
	if len(r.data)-r.at < 2 {
		r.Fail(errShort)
		return 0
	}
	v := binary.LittleEndian.Uint16(r.data[r.at:])
	r.at += 2
	return v
}

func (r *Reader) Float32() float64 {
	if len(r.data)-r.at < 4 {
		r.Fail(errShort)
		return 0
	}
	v := float64(math.Float32frombits(binary.LittleEndian.Uint32(r.data[r.at:])))
	r.at += 4
	if math.IsNaN(v) || math.IsInf(v, 0) {
		r.Fail(errors.New("not a number"))
		return 0
	}
	return v
}

// The result of Bytes shares memory with the data of the Reader.
func (r *Reader) Bytes() []byte {
	n := r.Len()
	r.at += n
	return r.data[r.at-n : r.at : r.at]
}

// Count fails if n exceeds the number of remaining bytes, so that a malformed count cannot make a
// caller allocate too much.
func (r *Reader) Count(n int64) int {
	if n < 0 || n > int64(len(r.data)-r.at) {
		r.Fail(errShort)
		return 0
	}
	return int(n)
}

func (r *Reader) ErrIn(what string) error {
	if err := r.Err(); err != nil {
		return fmt.Errorf("decode %s: %w", what, err)
	}
	return nil
}

// Err must be called last, because unread bytes are an error too.
func (r *Reader) Err() error {
	if r.err == nil && r.More() {
		r.err = fmt.Errorf("%d bytes too many", len(r.data)-r.at)
	}
	return r.err
}
