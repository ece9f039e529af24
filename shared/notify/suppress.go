package notify

import "time"

// How long a mailbox gets no mail after a permanent refusal, and after a complaint.
const (
	refusedDays    = 180
	complaintYears = 10
)

// RefusedUntil returns when a mailbox that refuses mail now may get mail again.
func RefusedUntil(now time.Time) time.Time { return now.AddDate(0, 0, refusedDays) }

// ComplainedUntil returns when a subscriber who complains now may get mail again.
func ComplainedUntil(now time.Time) time.Time { return now.AddDate(complaintYears, 0, 0) }
