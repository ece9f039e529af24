package notify

import (
	"encoding/binary"
	"errors"
	"fmt"

	"verdetto/shared/verdict"
)

// format is the first byte of what is encoded here.
const format = 1

// levels are numbered by their place here: new ones go to the end.
var levels = []string{verdict.Insufficient, verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro}

// reliabilities likewise.
var reliabilities = []string{"", verdict.Alta, verdict.Media, verdict.Bassa}

type writer []byte

func (w *writer) put(values ...int64) {
	for _, v := range values {
		*w = binary.AppendVarint(*w, v)
	}
}

// reader takes varints off the front and remembers the first fault.
type reader struct {
	data []byte
	err  error
}

var errCut = errors.New("cut short")

func newReader(data []byte) *reader {
	if len(data) == 0 {
		return &reader{err: errCut}
	}
	if data[0] != format {
		return &reader{err: fmt.Errorf("format %d is not known", data[0])}
	}
	return &reader{data: data[1:]}
}

func (r *reader) fail(err error) {
	if r.data = nil; r.err == nil {
		r.err = err
	}
}

func (r *reader) int() int64 {
	v, n := binary.Varint(r.data)
	if n <= 0 {
		r.fail(errCut)
		return 0
	}
	r.data = r.data[n:]
	return v
}

// count reads a length and refuses one that the rest cannot hold.
func (r *reader) count() int64 {
	n := r.int()
	if n < 0 || n > int64(len(r.data)) {
		r.fail(errCut)
		return 0
	}
	return n
}

func (r *reader) level() string       { return r.oneOf("level", levels) }
func (r *reader) reliability() string { return r.oneOf("reliability", reliabilities) }

func (r *reader) oneOf(what string, all []string) string {
	at := r.int()
	if at < 0 || at >= int64(len(all)) {
		r.fail(fmt.Errorf("%s %d is not known", what, at))
		return ""
	}
	return all[at]
}

func (r *reader) end() error {
	if r.err == nil && len(r.data) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.data))
	}
	return r.err
}
