package alerts

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify"
)

// Outcome is what came of an event that is not of HTTP.
type Outcome struct {
	Done    int `json:"done"`    // jobs ended
	Stopped int `json:"stopped"` // mailboxes that get no more mail
}

// Event takes what a Lambda function is handed beside HTTP: notices that mail
// bounced or was complained of, which SES publishes through SNS; anything else,
// a schedule or a signal from a queue, means that there is work in the outbox. An
// error asks for the same event again, which does no harm.
func (s *Service) Event(ctx context.Context, raw json.RawMessage) (Outcome, error) {
	var batch struct{ Records []record }
	if err := json.Unmarshal(raw, &batch); err == nil && len(batch.Records) > 0 &&
		batch.Records[0].EventSource == "aws:sns" {
		stopped, err := s.suppress(ctx, batch.Records)
		return Outcome{Stopped: stopped}, err
	}
	done, err := s.Work(ctx)
	return Outcome{Done: done}, err
}

// Work does what is in the outboxes until nothing is due or time is short, and returns how many jobs have ended.
func (s *Service) Work(ctx context.Context) (done int, err error) {
	asked, err := s.Confirmations.Work(ctx)
	pushed, pushFault := s.Pushes.Work(ctx)
	delivered, hookFault := s.Webhooks.Work(ctx)
	return asked + pushed + delivered, errors.Join(err, pushFault, hookFault)
}

// record is one notice of SNS. (One of SQS writes eventSource, which is the same name to encoding/json.)
type record struct {
	EventSource string
	SNS         struct{ Message string } `json:"Sns"`
}

// notice is what SES says of a mail that was sent: in the older form, which an
// identity's feedback has, with notificationType, in that of a configuration
// set's events with eventType.
type notice struct {
	NotificationType, EventType string
	Bounce                      struct {
		BounceType        string
		BouncedRecipients []recipient
	}
	Complaint struct {
		ComplaintFeedbackType string
		ComplainedRecipients  []recipient
	}
}

type recipient struct{ EmailAddress string }

// stops says to whom nothing is to be sent any more, and until when. A mailbox
// that is full or away is not gone, and one who says that something is not spam
// does not complain.
func (n notice) stops(now time.Time) (recipients []recipient, until time.Time) {
	switch kind := n.EventType + n.NotificationType; {
	case kind == "Bounce" && n.Bounce.BounceType == "Permanent":
		return n.Bounce.BouncedRecipients, notify.RefusedUntil(now)
	case kind == "Complaint" && n.Complaint.ComplaintFeedbackType != "not-spam":
		return n.Complaint.ComplainedRecipients, notify.ComplainedUntil(now)
	}
	return nil, now
}

// suppress puts the mailboxes of notices on the stop list. What cannot be read is logged,
// without what is in it, and holds up nothing else.
func (s *Service) suppress(ctx context.Context, records []record) (stopped int, err error) {
	var faults []error
	for i, r := range records {
		var n notice
		if err := json.Unmarshal([]byte(r.SNS.Message), &n); err != nil {
			s.Log.WarnContext(ctx, "notice about mail cannot be read", "record", i)
			continue
		}
		recipients, until := n.stops(s.Now())
		for _, r := range recipients {
			address, err := mail.ParseAddress(bareAddress(r.EmailAddress))
			if err != nil {
				s.Log.WarnContext(ctx, "notice about mail to nobody that we write to", "record", i)
				continue
			}
			if err := s.Alerts.Stop(ctx, s.Links.Subscriber(address), until); err != nil {
				faults = append(faults, err)
				continue
			}
			stopped++
		}
	}
	return stopped, errors.Join(faults...)
}

// bareAddress takes the address out of Name <address>, as receiving servers write it at times.
func bareAddress(address string) string {
	if open := strings.LastIndexByte(address, '<'); open >= 0 && strings.HasSuffix(address, ">") {
		return address[open+1 : len(address)-1]
	}
	return strings.TrimSpace(address)
}
