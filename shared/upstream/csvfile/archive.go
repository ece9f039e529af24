package csvfile

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

var ErrDamaged = errors.New("the gzip archive is damaged")

type archive struct{ zipped *gzip.Reader }

func (a archive) Read(p []byte) (int, error) {
	n, err := a.zipped.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = damage(err)
	}
	return n, err
}

func damage(err error) error {
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: it ends too early; fetch the file again", ErrDamaged)
	case errors.Is(err, gzip.ErrChecksum):
		return fmt.Errorf("%w: its content does not agree with its checksum; fetch the file again", ErrDamaged)
	case errors.Is(err, gzip.ErrHeader):
		return fmt.Errorf("%w: its header is none of gzip's; fetch the file again", ErrDamaged)
	case errors.As(err, &corrupt):
		return fmt.Errorf("%w at its byte %d; fetch the file again", ErrDamaged, int64(corrupt))
	}
	return err
}

type limited struct {
	in   io.Reader
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("more than %d MB of text, as far as it was expanded; split the file", maxText/1_000_000)
	}
	n, err := l.in.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
