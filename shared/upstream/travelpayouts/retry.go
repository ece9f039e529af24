package travelpayouts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"verdetto/shared/runtime/retry"
	"verdetto/shared/upstream"
)

const (
	maxTries = 5
	maxBody  = 32 << 20 // bytes

	defaultPause = time.Minute // the period in which the API counts calls
	maxPause     = 2 * time.Minute
)

var backoff = retry.Backoff{First: time.Second, Longest: time.Minute}

// In a transient, pause is how long the API asks all callers to wait. If pause is zero, the normal
// backoff applies.
type transient struct {
	err   error
	pause time.Duration
}

func (t transient) Error() string { return t.err.Error() }
func (t transient) Unwrap() error { return t.err }

func (c *Client) get(ctx context.Context, path string, query url.Values, decode func([]byte) error) error {
	gate := c.gates[path]
	for try, backoffs := 1, 0; ; try++ {
		if err := gate.pass(ctx); err != nil {
			return err
		}
		err := c.once(ctx, path, query, decode)
		var fault transient
		if err == nil || !errors.As(err, &fault) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if fault.pause > 0 {
			gate.hold(c.now().Add(fault.pause))
		}
		if try == maxTries {
			return fmt.Errorf("%w after %d tries: %w", upstream.ErrUnavailable, try, fault.err)
		}
		if fault.pause == 0 {
			backoffs++
			if err := c.wait(ctx, backoff.After(backoffs)); err != nil {
				return err
			}
		}
	}
}

func (c *Client) once(ctx context.Context, path string, query url.Values, decode func([]byte) error) error {
	if err := c.spend(ctx, path == groupedPrices); err != nil {
		return err
	}
	address := c.base.JoinPath(path)
	address.RawQuery = query.Encode()
	return c.try(ctx, address.String(), decode)
}

// try sets no Accept-Encoding, so that net/http asks for compressed answers and decompresses them.
func (c *Client) try(ctx context.Context, address string, decode func([]byte) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", upstream.ErrUnavailable, err)
	}
	request.Header.Set("User-Agent", "verdetto/1")
	request.Header.Set("Accept", "application/json")
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return transient{err: err}
	}
	defer response.Body.Close()

	switch status := response.StatusCode; {
	case status == http.StatusOK:
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("%w: status %d", upstream.ErrRefused, status)
	case status == http.StatusTooManyRequests:
		return transient{fmt.Errorf("status %d", status), pause(response.Header, c.now())}
	case status >= 500 || status == http.StatusRequestTimeout:
		return transient{err: fmt.Errorf("status %d", status)}
	default:
		return fmt.Errorf("%w: status %d%s", upstream.ErrUnavailable, status, c.why(response.Body))
	}

	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return transient{err: fmt.Errorf("read body: %w", err)}
	}
	if len(body) > maxBody {
		return fmt.Errorf("%w: body of more than %d bytes", upstream.ErrUnavailable, maxBody)
	}
	err = decode(body)
	var no refusal
	switch {
	case err == nil:
		return nil
	case errors.As(err, &no) && strings.Contains(strings.ToLower(no.text), "unauthorized"):
		return fmt.Errorf("%w: it said so in words", upstream.ErrRefused)
	case errors.As(err, &no):
		return fmt.Errorf("%w: %w", upstream.ErrUnavailable, refusal{c.redact(no.text)})
	default:
		return transient{err: err}
	}
}

func (c *Client) why(body io.Reader) string {
	const most = 64 << 10
	data, err := io.ReadAll(io.LimitReader(body, most))
	if err != nil {
		return ""
	}
	var no refusal
	if _, err := decodePage(data, ""); !errors.As(err, &no) || no.text == "" {
		return ""
	}
	return fmt.Sprintf(", %v", refusal{c.redact(no.text)})
}

// In a header, a number too large for a pause is a Unix time. pause returns at least one second, to
// prevent a busy loop.
func pause(h http.Header, now time.Time) time.Duration {
	const year = 365 * 24 * time.Hour
	for _, name := range []string{"Retry-After", "X-Rate-Limit-Reset", "X-RateLimit-Reset"} {
		wait, ok := retry.ParseAfter(h.Get(name), now)
		if !ok {
			continue
		}
		if wait > year {
			wait = time.Unix(0, 0).Add(wait).Sub(now)
		}
		return min(max(wait, time.Second), maxPause)
	}
	return defaultPause
}
