package notify

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRetry(t *testing.T) {
	errWrite := errors.New("write")
	for _, c := range []struct {
		name     string
		failures int
		noTime   bool
		calls    int
		pauses   []time.Duration
		want     error
	}{
		{"at once", 0, false, 1, nil, nil},
		{"the second time", 1, false, 2, []time.Duration{time.Second / 2}, nil},
		{"the third time", 2, false, 3, []time.Duration{time.Second / 2, time.Second}, nil},
		{"never", 9, false, 3, []time.Duration{time.Second / 2, time.Second}, errWrite},
		{"no time", 9, true, 1, []time.Duration{time.Second / 2}, errWrite},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pauses []time.Duration
			p := newPace(1, nil, func(_ context.Context, d time.Duration) error {
				pauses = append(pauses, d)
				if c.noTime {
					return context.Canceled
				}
				return nil
			})
			calls := 0
			err := p.retry(t.Context(), func() error {
				if calls++; calls <= c.failures {
					return errWrite
				}
				return nil
			})
			if diff := cmp.Diff(c.pauses, pauses); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) ||
				calls != c.calls || diff != "" {
				t.Errorf("%v after %d calls, want %v after %d; pauses %s", err, calls, c.want, c.calls, diff)
			}
		})
	}
}
