package store

import (
	"context"

	"verdetto/shared/fare"
)

type Calls struct{ Table Table }

// If the day's count has reached the parameter most, Count fails with ErrLimit and counts nothing.
func (c Calls) Count(ctx context.Context, source string, day fare.Day, most int64) (int64, error) {
	key := Key{"LIMIT#calls#" + source, day.String()}
	n, err := c.Table.Take(ctx, key, 1, most, (day + 2).Time())
	return n, wrap(err, "count a call to %s", source)
}
