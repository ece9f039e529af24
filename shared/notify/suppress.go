package notify

import "time"

// A mailbox gets no mail for refusedDays after it refused a mail permanently, and for
// complaintYears after its reader reported spam.
const (
	refusedDays    = 180
	complaintYears = 10
)

// RefusedUntil returns the end of the suppression of a mailbox that refuses a mail now.
func RefusedUntil(now time.Time) time.Time { return now.AddDate(0, 0, refusedDays) }

// ComplainedUntil returns the end of the suppression of a subscriber who reports spam now.
func ComplainedUntil(now time.Time) time.Time { return now.AddDate(complaintYears, 0, 0) }
