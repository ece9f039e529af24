package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
)

// readBody reads the body before the handler runs. An incomplete or badly framed body is a 400,
// so a handler never acts on half of it. Each handler refuses a body that is too large itself.
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
