package store

import (
	"context"

	"verdetto/shared/fare"
)

// UntilResumed is the day until which an alert is paused that only its subscriber resumes.
const UntilResumed fare.Day = 2932896 // 9999-12-31

// Pause has an alert tell nothing before a day; 0 resumes it. One that was removed stays so, and that is no error.
func (a Alerts) Pause(ctx context.Context, alert Alert, until fare.Day) error {
	err := a.change(ctx, alert, func(next *Alert) bool {
		changed := next.Paused != until
		next.Paused = until
		return changed
	})
	return wrap(err, "pause an alert")
}

// MarkOver records the day on which it was left for the endpoint of an alert that the alert has ended.
func (a Alerts) MarkOver(ctx context.Context, alert Alert, day fare.Day) error {
	err := a.change(ctx, alert, func(next *Alert) bool {
		if next.Over > 0 {
			return false
		}
		next.Over = day
		return true
	})
	return wrap(err, "record that an alert has ended")
}
