package store

import (
	"context"

	"verdetto/shared/fare"
)

// Calls counts what the fare sources are asked on a day, whichever process asks
// (key: LIMIT).
type Calls struct{ Table Table }

// Count counts one call to a source on a day (UTC) and says how many there were;
// ErrLimit where that would be more than most, and then nothing is counted.
func (c Calls) Count(ctx context.Context, source string, day fare.Day, most int64) (int64, error) {
	key := Key{"LIMIT#calls#" + source, day.String()}
	n, err := c.Table.Take(ctx, key, 1, most, (day + 2).Time())
	return n, wrap(err, "count a call to %s", source)
}
