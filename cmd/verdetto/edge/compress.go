package edge

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"
)

// compressible lists the content types that become smaller by compression. Event streams are left
// out, because each event must arrive at once.
var compressible = []string{
	"text/html", "text/plain", "text/css", "text/javascript", "application/json", "application/problem+json",
	"image/svg+xml",
}

const (
	worthIt = 1024 // bytes: compressing less costs more than it saves
	// jitter blurs the compressed length by up to 32 bytes. Otherwise an attacker who requests
	// a page many times could guess a secret in it from its length.
	jitter = 32
)

// compress compresses answers for callers that accept compressed answers. An ETag names exact
// bytes, so a compressed answer gets a weak ETag, as with any proxy.
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

// weakened is a ResponseWriter that makes the ETag weak when the header of a compressed answer is
// written.
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

// Unwrap lets http.ResponseController set deadlines on the wrapped ResponseWriter.
func (w *weakened) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush sends the buffered bytes.
func (w *weakened) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }
