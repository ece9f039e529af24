package departure

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"

	"verdetto/shared/fare/packed"
)

const (
	learningFormat = 2
	maxLearning    = 4 << 20 // maximum size in bytes before compression
)

type Learning struct {
	All, NonStop Questions
	Answers      []byte
}

func (l Learning) Encode() []byte {
	w := packed.NewWriter(learningFormat, 64)
	w.Bytes(l.All.Encode())
	w.Bytes(l.NonStop.Encode())
	w.Bytes(l.Answers)
	deflated := bytes.NewBuffer([]byte{learningFormat})
	deflate := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(deflate)
	deflate.Reset(deflated)
	_, err := deflate.Write(w)
	if err == nil {
		err = deflate.Close()
	}
	if err != nil {
		panic(err) // cannot happen: the buffer does not fail
	}
	return deflated.Bytes()
}

// A new flate.Writer allocates much memory, so writers are reused.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // cannot happen: the compression level is valid
	}
	return w
}}

func DecodeLearning(data []byte) (l Learning, err error) {
	if len(data) == 0 || data[0] != learningFormat {
		return l, fmt.Errorf("decode learning: %w", packed.ErrVersion)
	}
	unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[1:])), maxLearning))
	if err != nil {
		return l, fmt.Errorf("decode learning: %w", err)
	}
	r := packed.NewReader(unpacked, learningFormat)
	all, nonStop := r.Bytes(), r.Bytes()
	l.Answers = bytes.Clone(r.Bytes())
	if err = r.Err(); err == nil {
		if l.All, err = DecodeQuestions(all); err == nil {
			l.NonStop, err = DecodeQuestions(nonStop)
		}
	}
	if err != nil {
		return Learning{}, fmt.Errorf("decode learning: %w", err)
	}
	return l, nil
}
