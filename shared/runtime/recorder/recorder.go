// Package recorder holds the response of an http.Handler in memory. The response can be inspected
// before it is sent, or sent in another form.
package recorder

import (
	"bytes"
	"net/http"
)

// Recorder is an http.ResponseWriter whose zero value is ready to use. Status and Sent are set when
// the response begins. Call WriteHeader(200) after the handler in case it wrote nothing.
type Recorder struct {
	Status int
	Sent   http.Header // the headers when the response began
	Body   bytes.Buffer
	header http.Header
}

func (r *Recorder) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

// WriteHeader has no effect after the first call.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 {
		r.Status, r.Sent = status, r.Header().Clone()
	}
}

func (r *Recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.Body.Write(b)
}
