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
func readBody(r *http.Request, _ *call) *Problem {
	if r.Body == nil || r.Body == http.NoBody || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return BadRequest.Problem("The body did not arrive in time. Send it again, all at once.")
	case err != nil:
		return BadRequest.Problem("The body broke off, or is not framed as its headers say. Send it again, whole.")
	case len(body) > MaxBody:
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	default:
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return nil
}
