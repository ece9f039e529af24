// Package recorder holds the response of an http.Handler in memory: to inspect it before it is
// sent or to send it in another form.
package recorder

import (
	"bytes"
	"net/http"
)

// Recorder is an http.ResponseWriter. The zero value is ready to use. Status and Sent are set
// when the response begins; call WriteHeader(200) after the handler in case it wrote nothing.
type Recorder struct {
	Status int
	Sent   http.Header // the header at the beginning of the response
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

// WriteHeader implements http.ResponseWriter. Only the first call has an effect.
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
