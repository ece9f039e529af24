package packed

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

var (
	signed   = []int64{0, 1, -1, 63, -64, 64, -65, 8191, 1771200000, -1771200000, math.MaxInt64, math.MinInt64}
	unsigned = []uint64{0, 1, 127, 128, 16383, 16384, math.MaxUint64}
	floats   = []float64{0, 1, -0.5, math.MaxFloat32, math.SmallestNonzeroFloat32}
)

func TestRoundTrip(t *testing.T) {
	w := NewWriter(7, 0)
	w.Int(signed...)
	for _, v := range unsigned {
		w.Uint(v)
	}
	w.Uint16(0x1234)
	w.Float32(floats...)
	w.Bytes([]byte("abc"))
	w.Bytes(nil)
	w.Int(3)
	w = append(w, 0, 0, 0)

	r := NewReader(w, 7)
	for _, want := range signed {
		if got := r.Int(); got != want {
			t.Errorf("%d is read as %d", want, got)
		}
	}
	for _, want := range unsigned {
		if got := r.Uint(); got != want {
			t.Errorf("%d is read as %d", want, got)
		}
	}
	if got := r.Uint16(); got != 0x1234 {
		t.Errorf("0x1234 is read as %#x", got)
	}
	for _, want := range floats {
		if got := r.Float32(); got != want {
			t.Errorf("%g is read as %g", want, got)
		}
	}
	for _, want := range []string{"abc", ""} {
		if got := r.Bytes(); string(got) != want {
			t.Errorf("%q is read as %q", want, got)
		}
	}
	if got := r.Count(r.Int()); got != 3 {
		t.Errorf("a count of 3 is read as %d", got)
	}
	for range 3 {
		r.Uint()
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	tooLong := bytes.Repeat([]byte{0xff}, binary.MaxVarintLen64+1)
	for _, c := range []struct {
		name string
		data []byte
		read func(r *Reader)
		want string
	}{
		{"nothing", nil, func(r *Reader) {}, "cut short"},
		{"another format", []byte{2, 0}, func(r *Reader) { r.Int() }, "format 2 of another version"},
		{"a value is missing", []byte{1}, func(r *Reader) { r.Int() }, "cut short"},
		{"a value is cut", []byte{1, 0x80}, func(r *Reader) { r.Uint() }, "cut short"},
		{"a value of more than 64 bits", append([]byte{1}, tooLong...), func(r *Reader) { r.Uint() }, "cut short"},
		{"half of two bytes", []byte{1, 5}, func(r *Reader) { r.Uint16() }, "cut short"},
		{"three quarters of a float", []byte{1, 5, 5, 5}, func(r *Reader) { r.Float32() }, "cut short"},
		{"no number", []byte{1, 0, 0, 0xc0, 0x7f}, func(r *Reader) { r.Float32() }, "not a number"},
		{"infinitely much", []byte{1, 0, 0, 0x80, 0x7f}, func(r *Reader) { r.Float32() }, "not a number"},
		{"more elements than bytes", []byte{1, 0, 0}, func(r *Reader) { r.Count(3) }, "cut short"},
		{"fewer elements than none", []byte{1, 0, 0}, func(r *Reader) { r.Count(-1) }, "cut short"},
		{"a byte too many", []byte{1, 0, 0}, func(r *Reader) { r.Int() }, "1 bytes too many"},
		{"the first fault stands", []byte{1}, func(r *Reader) { r.Int(); r.Fail(bytes.ErrTooLarge) }, "cut short"},
		{"a fault of the caller's", []byte{1, 0, 0}, func(r *Reader) { r.Int(); r.Fail(bytes.ErrTooLarge); r.Int() },
			bytes.ErrTooLarge.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(c.data, 1)
			c.read(&r)
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if r.Int() != 0 || r.Uint() != 0 || r.Uint16() != 0 || r.Float32() != 0 || r.Count(1) != 0 {
				t.Error("after a fault there is more to read")
			}
		})
	}
}

func FuzzReader(f *testing.F) {
	w := NewWriter(1, 0)
	w.Int(signed...)
	f.Add([]byte(w), []byte{0, 1, 2, 3})
	f.Add([]byte{1, 0x80, 0x80, 0x01}, []byte{1, 0})
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, data, calls []byte) {
		r := NewReader(data, 1)
		rest, failed := data, len(data) == 0 || data[0] != 1
		if !failed {
			rest = data[1:]
		}
		for _, call := range calls {
			var got, want uint64
			var n int
			switch call % 3 {
			case 0:
				got = uint64(r.Int())
				var v int64
				v, n = binary.Varint(rest)
				want = uint64(v)
			case 1:
				got = r.Uint()
				want, n = binary.Uvarint(rest)
			case 2:
				got = uint64(r.Uint16())
				if len(rest) >= 2 {
					want, n = uint64(rest[0])|uint64(rest[1])<<8, 2
				}
			}
			if failed = failed || n <= 0; failed {
				want = 0
			} else {
				rest = rest[n:]
			}
			if got != want {
				t.Fatalf("call %d: %d, want %d", call%3, got, want)
			}
		}
		if err := r.Err(); (err == nil) != (!failed && len(rest) == 0) {
			t.Errorf("error %v; it failed: %v, %d bytes are left", err, failed, len(rest))
		}
	})
}
