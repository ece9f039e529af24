package store

import (
	"context"
	"fmt"

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
	if err != nil {
		return fmt.Errorf("pause an alert: %w", err)
	}
	return nil
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
	if err != nil {
		return fmt.Errorf("record that an alert has ended: %w", err)
	}
	return nil
}
