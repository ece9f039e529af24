package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
)

// readBody answers 400 to an incomplete body, so that a handler never acts on half a body. A body
// that is too large passes, because Huma and the plain handlers refuse it.
func readBody(r *http.Request, _ *call) *Problem {
	if r.Body == nil || r.Body == http.NoBody || r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return BadRequest.Problem("The body did not arrive in time. Send it again at once.")
	case err != nil:
		return BadRequest.Problem("The body is incomplete, or does not match its headers. Send it again.")
	case len(body) > MaxBody:
		r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), r.Body))
	default:
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return nil
}
