package onemachine

import (
	"fmt"
	"time"
)

// Clock returns a clock that starts at the time given by -now, or the machine's clock if -now is
// empty.
func Clock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		// A date without a time means noon, so fares found on the morning of that day are known.
		if at, err = time.Parse(time.DateOnly, text); err != nil {
			return nil, fmt.Errorf("-now %q: want RFC 3339 (2016-03-01T12:00:00Z) or a day (2016-03-01)", text)
		}
		at = at.Add(12 * time.Hour)
	}
	begun := time.Now()
	return func() time.Time { return at.Add(time.Since(begun)) }, nil
}
