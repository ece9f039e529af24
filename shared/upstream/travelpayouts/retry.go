package travelpayouts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/upstream"
)

const (
	maxTries = 5
	maxBody  = 32 << 20 // the list of cities is about 4 MB, a page of fares well under 1 MB

	defaultPause = time.Minute // the API's window
	maxPause     = 2 * time.Minute
	firstBackOff = time.Second
)

// again marks a fault that may be gone when asked again. pause is how long the
// API wants to be left alone by all callers; zero leaves it to the back-off.
type again struct {
	err   error
	pause time.Duration
}

func (a again) Error() string { return a.err.Error() }
func (a again) Unwrap() error { return a.err }

// get asks until there is an answer that decode can read, an answer that is
// final, or the tries or the budget are spent.
func (c *Client) get(ctx context.Context, path string, query url.Values, decode func([]byte) error) error {
	address := c.base.JoinPath(path)
	address.RawQuery = query.Encode()
	gate, backOff := c.gates[path], firstBackOff
	for try := 1; ; try++ {
		if err := gate.pass(ctx); err != nil {
			return err
		}
		if err := c.spend(ctx, path == groupedPrices); err != nil {
			return err
		}
		err := c.once(ctx, address.String(), decode)
		var retry again
		if err == nil || !errors.As(err, &retry) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if retry.pause > 0 {
			gate.hold(c.now().Add(retry.pause))
		}
		if try == maxTries {
			return fmt.Errorf("%w after %d tries: %w", upstream.ErrUnavailable, try, retry.err)
		}
		if retry.pause == 0 {
			if err := c.wait(ctx, backOff); err != nil {
				return err
			}
			backOff *= 2
		}
	}
}

// once asks once. Accept-Encoding is left to net/http, which then also un-gzips.
func (c *Client) once(ctx context.Context, address string, decode func([]byte) error) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("%w: %w", upstream.ErrUnavailable, err)
	}
	request.Header.Set("User-Agent", "verdetto/1")
	request.Header.Set("Accept", "application/json")
	c.authorize(request)
	response, err := c.http.Do(request)
	if err != nil {
		return again{err: err}
	}
	defer response.Body.Close()

	switch status := response.StatusCode; {
	case status == http.StatusOK:
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("%w: status %d", upstream.ErrRefused, status)
	case status == http.StatusTooManyRequests:
		return again{fmt.Errorf("status %d", status), pause(response.Header, c.now())}
	case status >= 500 || status == http.StatusRequestTimeout:
		return again{err: fmt.Errorf("status %d", status)}
	default:
		return fmt.Errorf("%w: status %d%s", upstream.ErrUnavailable, status, c.why(response.Body))
	}

	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody+1))
	if err != nil {
		return again{err: fmt.Errorf("read body: %w", err)}
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
		return again{err: err} // a body cut short, or a proxy's page
	}
}

// why is what the API says of a call that it does not accept, if it says anything.
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

// pause reads how long the API wants to be left alone, from any of the headers
// that it has been seen to use. A number too large for a pause is a moment.
func pause(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After", "X-Rate-Limit-Reset", "X-RateLimit-Reset"} {
		value := strings.TrimSpace(h.Get(name))
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
			const year = 365 * 24 * 60 * 60
			if seconds > year {
				seconds -= float64(now.UnixMilli()) / 1000
			}
			return bounded(seconds)
		}
		if at, err := http.ParseTime(value); err == nil {
			return bounded(at.Sub(now).Seconds())
		}
	}
	return defaultPause
}

// bounded keeps a pause from being none at all, which would be a busy loop, and
// from being so long that a run never ends.
func bounded(seconds float64) time.Duration {
	return time.Duration(min(max(seconds, 1), maxPause.Seconds()) * float64(time.Second))
}
