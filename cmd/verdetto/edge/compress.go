package edge

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressible are what the service answers with that gets smaller. A stream of
// events is none: each is to arrive at once.
var compressible = []string{
	"text/html", "text/plain", "text/css", "text/javascript", "application/json", "application/problem+json",
	"image/svg+xml",
}

const (
	worthIt = 1024 // bytes: less gets no smaller by as much as it costs
	// jitter blurs the length of what is compressed by up to so many bytes, from which
	// somebody who has a page asked for again and again could guess a secret in it.
	jitter = 32
)

// compress has answers compressed for who takes them so. An ETag names the very
// bytes, so that of a compressed answer is weak, as with any proxy.
func compress(next http.Handler) http.Handler {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(worthIt), gzhttp.ContentTypes(compressible),
		gzhttp.RandomJitter(jitter, 0, false))
	if err != nil {
		panic("edge: " + err.Error()) // the options are constants
	}
	inner := wrap(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inner.ServeHTTP(&weakened{ResponseWriter: w}, r)
	})
}

// weakened weakens the ETag of a compressed answer as it begins.
type weakened struct {
	http.ResponseWriter
	begun bool
}

func (w *weakened) WriteHeader(status int) {
	w.begun = w.begun || status >= http.StatusOK
	h := w.Header()
	if tag := h.Get("ETag"); tag != "" && h.Get("Content-Encoding") != "" && !strings.HasPrefix(tag, "W/") {
		h.Set("ETag", "W/"+tag)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *weakened) Write(b []byte) (int, error) {
	if !w.begun {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets deadlines be set.
func (w *weakened) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends what there is.
func (w *weakened) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
