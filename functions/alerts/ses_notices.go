package alerts

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify"
)

type Outcome struct {
	Done    int `json:"done"`
	Stopped int `json:"stopped"`
}

// Event handles notices of SES about bounces and complaints, which come through SNS. For any other
// event, Event calls Work. AWS delivers an event again after an error, so Event may handle an
// event twice.
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

func (s *Service) Work(ctx context.Context) (done int, err error) {
	asked, err := s.Confirmations.Work(ctx)
	pushed, pushFault := s.Pushes.Work(ctx)
	delivered, hookFault := s.Webhooks.Work(ctx)
	return asked + pushed + delivered, errors.Join(err, pushFault, hookFault)
}

// encoding/json ignores case, so EventSource also receives the eventSource of SQS.
type record struct {
	EventSource string
	SNS         struct{ Message string } `json:"Sns"`
}

// SES names the type notificationType in the feedback of an identity, and eventType in the events
// of a configuration set.
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

func (n notice) stops(now time.Time) (recipients []recipient, until time.Time) {
	switch kind := n.EventType + n.NotificationType; {
	case kind == "Bounce" && n.Bounce.BounceType == "Permanent":
		return n.Bounce.BouncedRecipients, notify.RefusedUntil(now)
	case kind == "Complaint" && n.Complaint.ComplaintFeedbackType != "not-spam":
		return n.Complaint.ComplainedRecipients, notify.ComplainedUntil(now)
	}
	return nil, now
}

// suppress does not log the content of a malformed notice.
func (s *Service) suppress(ctx context.Context, records []record) (stopped int, err error) {
	var faults []error
	for i, r := range records {
		var n notice
		if err := json.Unmarshal([]byte(r.SNS.Message), &n); err != nil {
			s.Log.WarnContext(ctx, "a notice of SES about a mail cannot be read, so its mailbox is not stopped", "record", i)
			continue
		}
		recipients, until := n.stops(s.Now())
		for _, r := range recipients {
			address, err := mail.ParseAddress(r.EmailAddress)
			if err != nil {
				s.Log.WarnContext(ctx, "a notice of SES names an address that cannot be read, so its mailbox is not stopped", "record", i)
				continue
			}
			err = s.Alerts.Stop(ctx, s.Links.Subscriber(address), until)
			if len(n.Bounce.BouncedRecipients) > 0 {
				err = errors.Join(err, s.Confirmations.Mailboxes().Bounced(ctx, address))
			}
			if err != nil {
				faults = append(faults, err)
				continue
			}
			stopped++
		}
	}
	return stopped, errors.Join(faults...)
}
