package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
)

// readBody reads a body before anybody has to rely on it: one that breaks off, or
// is not framed as its headers say, is the caller's fault, and nothing is done
// with half of it. Of what is too large each handler tells by itself.
func (a *API) readBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.Body == http.NoBody || r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
		if err != nil {
			brokenOff(err).Write(w, r)
			return
		}
		r2 := *r
		r2.Body = io.NopCloser(bytes.NewReader(body))
		if len(body) > MaxBody {
			r2.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
		} else {
			r2.ContentLength = int64(len(body))
		}
		next.ServeHTTP(w, &r2)
	})
}

func brokenOff(err error) *Problem {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return BadRequest.Problem("The body did not arrive in time. Send it again, all at once.")
	}
	return BadRequest.Problem("The body broke off, or is not framed as its headers say. Send it again, whole.")
}
