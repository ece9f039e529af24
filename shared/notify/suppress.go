package notify

import "time"

// How long nothing is sent to a mailbox that refused mail for good, and to
// somebody who called our mail unwanted.
const (
	refusedDays    = 180
	complaintYears = 10
)

// RefusedUntil is until when a mailbox that refuses mail now gets no more.
func RefusedUntil(now time.Time) time.Time { return now.AddDate(0, 0, refusedDays) }

// ComplainedUntil is until when somebody who complains now gets no more mail.
func ComplainedUntil(now time.Time) time.Time { return now.AddDate(complaintYears, 0, 0) }
