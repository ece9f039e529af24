package notify

import "time"

// For how long a mailbox gets no mail: after it refused a mail for good, and after its reader
// reported a mail as spam.
const (
	refusedDays    = 180
	complaintYears = 10
)

// RefusedUntil returns when a mailbox that refuses mail now may get mail again.
func RefusedUntil(now time.Time) time.Time { return now.AddDate(0, 0, refusedDays) }

// ComplainedUntil returns when a subscriber who reports a mail as spam now may get mail again.
func ComplainedUntil(now time.Time) time.Time { return now.AddDate(complaintYears, 0, 0) }
