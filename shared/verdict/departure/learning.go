package departure

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"

	"verdetto/shared/fare/packed"
)

const (
	learningFormat = 1 // without Said
	saidFormat     = 2
	maxLearning    = 4 << 20 // of what is packed; far above what the open questions of 500 departures take
)

// Learning is what is kept of a series for learning alone: its open questions,
// and those of its fares without stops.
type Learning struct {
	All, NonStop Questions
	Said         []byte // what was said of the series and is still to be compared with what comes, as package score packs it
}

// Encode packs the open questions. The questions of one day are much like those
// of the next, so compression makes a quarter of them, where a series has many.
func (l Learning) Encode() []byte {
	format := byte(learningFormat)
	if len(l.Said) > 0 {
		format = saidFormat
	}
	w := packed.NewWriter(format, 64)
	w.Bytes(l.All.Encode())
	w.Bytes(l.NonStop.Encode())
	if format == saidFormat {
		w.Bytes(l.Said)
	}
	deflated := bytes.NewBuffer([]byte{format})
	deflate, err := flate.NewWriter(deflated, flate.DefaultCompression)
	if err == nil {
		_, err = deflate.Write(w)
	}
	if err == nil {
		err = deflate.Close()
	}
	if err != nil {
		panic(err) // a level that is there, and a buffer
	}
	return deflated.Bytes()
}

// DecodeLearning reads what Encode wrote, also of a version that kept no score.
func DecodeLearning(data []byte) (l Learning, err error) {
	if len(data) == 0 || data[0] != learningFormat && data[0] != saidFormat {
		return l, fmt.Errorf("decode learning: %w", errRange)
	}
	unpacked, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(data[1:])), maxLearning))
	if err != nil {
		return l, fmt.Errorf("decode learning: %w", err)
	}
	r := packed.NewReader(unpacked, data[0])
	all, nonStop := r.Bytes(), r.Bytes()
	if data[0] == saidFormat {
		l.Said = bytes.Clone(r.Bytes())
	}
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
