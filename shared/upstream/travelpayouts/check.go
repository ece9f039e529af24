package travelpayouts

import (
	"context"
	"errors"
	"fmt"

	"verdetto/shared/upstream"
)

var ErrLimited = errors.New("the fare source accepts no more calls for now")

// Check makes at most one call, without waiting for the rate limit and without a retry. It fails
// with upstream.ErrRefused if the API rejects the token, and with ErrLimited after too many calls.
func (c *Client) Check(ctx context.Context) error {
	query := latest("LON", "EUR", 1)
	query.Set("limit", "1")
	err := c.once(ctx, latestPrices, query, func(body []byte) error {
		_, err := decodePage(body, "EUR")
		return err
	})
	var fault transient
	switch {
	case !errors.As(err, &fault):
		return err
	case fault.pause > 0:
		return ErrLimited
	}
	return fmt.Errorf("%w: %w", upstream.ErrUnavailable, fault.err)
}
