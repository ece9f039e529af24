package notify

import "time"

// refusedDays is the number of days for which a mailbox gets no mail after it refused a mail
// permanently. complaintYears is the number of years after its reader reported a mail as spam.
const (
	refusedDays    = 180
	complaintYears = 10
)

// RefusedUntil returns the time until which a mailbox that refuses a mail now gets no mail.
func RefusedUntil(now time.Time) time.Time { return now.AddDate(0, 0, refusedDays) }

// ComplainedUntil returns the time until which a subscriber who reports a mail as spam now gets no
// mail.
func ComplainedUntil(now time.Time) time.Time { return now.AddDate(complaintYears, 0, 0) }
