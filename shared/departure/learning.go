package departure

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"

	"verdetto/shared/varint"
)

const (
	learningFormat = 1
	maxLearning    = 4 << 20 // of what is packed; far above what the open questions of 500 departures take
)

// Learning is what is kept of a series for learning alone: its open questions,
// and those of its fares without stops.
type Learning struct{ All, NonStop Questions }

// Encode packs the open questions. The questions of one day are much like those
// of the next, so compression makes a quarter of them, where a series has many.
func (l Learning) Encode() []byte {
	w := varint.NewWriter(learningFormat, 64)
	w.Bytes(l.All.Encode())
	w.Bytes(l.NonStop.Encode())
	packed := bytes.NewBuffer([]byte{learningFormat})
	deflate, err := flate.NewWriter(packed, flate.DefaultCompression)
	if err == nil {
		_, err = deflate.Write(w)
	}
	if err == nil {
		err = deflate.Close()
	}
	if err != nil {
		panic(err) // a level that is there, and a buffer
	}
	return packed.Bytes()
}

// DecodeLearning reads what Encode wrote.
func DecodeLearning(data []byte) (l Learning, err error) {
	if len(data) == 0 || data[0] != learningFormat {
		return l, fmt.Errorf("decode learning: %w", errRange)
	}
	unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[1:])), maxLearning))
	if err != nil {
		return l, fmt.Errorf("decode learning: %w", err)
	}
	r := varint.NewReader(unpacked, learningFormat)
	all, nonStop := r.Bytes(), r.Bytes()
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
