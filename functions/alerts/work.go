package alerts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/limit"
	"verdetto/shared/mail"
	"verdetto/shared/store"
)

// askKind is the job that asks for confirmation.
const askKind = "confirm alert"

// perAddress bounds how often anyone can have mail sent to a mailbox. It is
// counted here and not where the answer is given, which so cannot tell.
var perAddress = limit.Limit{Name: "alerts-address", Calls: 3, Window: time.Hour}

// RefusedDays is how long nothing is sent to a mailbox that refused mail for good.
const RefusedDays = 180

const (
	jobsAtOnce = 25
	jobLease   = time.Minute
	sendTime   = 15 * time.Second // more than a mail takes
)

// Work does what is in the outbox, and says how many jobs it ended. What fails
// stays and is taken up again when its lease is over.
func (s *Service) Work(ctx context.Context) (done int, err error) {
	jobs, err := s.Alerts.Outbox.Take(ctx, jobsAtOnce, s.Now(), jobLease)
	faults := []error{err}
	for _, j := range jobs {
		if s.Now().Add(sendTime).After(j.Leased) {
			break // the carrier is slow: somebody else may be about to take up what is left
		}
		err := s.askToConfirm(ctx, j)
		if err == nil {
			err = s.Alerts.Outbox.Done(ctx, j)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		done++
	}
	return done, errors.Join(faults...)
}

// askToConfirm mails the link, at least once: the same link every time, which works once.
func (s *Service) askToConfirm(ctx context.Context, j store.Job) error {
	wish, err := s.Alerts.Pending(ctx, j.Ref)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrUsed) {
		return nil // too late, or no longer needed
	}
	if err != nil {
		return err
	}
	if stopped, err := s.Alerts.Stopped(ctx, wish.Subscriber); err != nil || stopped {
		return err
	}
	// Counted once, however often it is tried.
	if j.Tries == 0 {
		d, err := s.Limiter.Take(ctx, perAddress, string(s.subscriber(mailbox(wish.Email))))
		if err != nil {
			s.Log.ErrorContext(ctx, "mail not counted", "error", err)
		}
		if !d.Allowed {
			return nil
		}
	}
	message, err := mail.ConfirmMail(mail.Confirm{
		To: wish.Email, Lang: wish.Language,
		Origin: cityName(wish.Route.Origin, wish.Language), Destination: cityName(wish.Route.Destination, wish.Language),
		Threshold: wish.Threshold, Link: s.BaseURL + confirmPath + "?id=" + j.Ref,
	})
	if err != nil {
		return err
	}
	err = s.Sender.Send(ctx, message)
	if errors.Is(err, mail.ErrRefused) {
		s.Log.WarnContext(ctx, "mail refused for good", "kind", j.Kind, "error", err)
		return s.Alerts.Stop(ctx, wish.Subscriber, s.Now().AddDate(0, 0, RefusedDays))
	}
	if err != nil {
		return fmt.Errorf("ask for confirmation: %w", err)
	}
	return nil
}

// mailbox is what an address is counted as. Most providers deliver ada+anything
// to ada, and Google passes over dots: whoever makes up such addresses fills one
// mailbox. Where they are two people after all, they share a cap and no more.
func mailbox(email string) string {
	local, domain, _ := strings.Cut(strings.ToLower(email), "@")
	if name, _, tagged := strings.Cut(local, "+"); tagged && name != "" {
		local = name
	}
	if domain == "googlemail.com" {
		domain = "gmail.com"
	}
	if domain == "gmail.com" {
		local = strings.ReplaceAll(local, ".", "")
	}
	return local + "@" + domain
}
