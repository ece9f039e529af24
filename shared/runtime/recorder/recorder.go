// Package recorder holds the response of an http.Handler in memory.
package recorder

import (
	"bytes"
	"net/http"
)

// The zero Recorder is ready to use. Call WriteHeader(200) after the handler, in case the handler wrote nothing.
type Recorder struct {
	Status int
	Sent   http.Header
	Body   bytes.Buffer
	header http.Header
}

func (r *Recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 {
		r.Status, r.Sent = status, r.Header().Clone()
	}
}

func (r *Recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.Body.Write(b)
}
