// Package recorder holds the answer of an http.Handler until it is whole, for those who look at
// it before it is sent, or send it in another form.
package recorder

import (
	"bytes"
	"net/http"
)

// Recorder is an http.ResponseWriter. The zero value is ready. Status and Sent are set once the
// answer has begun; WriteHeader(200) after the handler is a handler's that wrote nothing.
type Recorder struct {
	Status int
	Sent   http.Header // as it stood when the answer began
	Body   bytes.Buffer
	header http.Header
}

// Header implements http.ResponseWriter.
func (r *Recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

// WriteHeader implements http.ResponseWriter. The first status holds.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 {
		r.Status, r.Sent = status, r.Header().Clone()
	}
}

// Write implements http.ResponseWriter.
func (r *Recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.Body.Write(b)
}
