package pro

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"time"

	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/limit"
	"verdetto/shared/mail"
	"verdetto/shared/pay"
	"verdetto/shared/store"
)

func (s *Service) registerRecover(api *httpapi.API) {
	httpapi.JSON(api, "pro-recupera", httpapi.JSONDoc{
		Summary:     "Get a fresh key by e-mail",
		Description: "The answer is the same for every address, and does not wait to learn whether there is a plan. If there is, a fresh key is mailed and the old one is refused from then on.",
		Status:      http.StatusAccepted,
	}, func(ctx context.Context, in *recoverInput) error { _, err := address(in.Body.Email); return err }, s.recover)
}

type recoverInput struct {
	AcceptLanguage string `header:"Accept-Language"`
	emailBody
}

type recoverOutput struct {
	Status int
	Body   struct {
		Status string `json:"status" enum:"accepted"`
		Detail string `json:"detail"`
	}
}

// perAddress bounds how often anyone can have mail sent to an address.
var perAddress = limit.Limit{Name: "pro-recupera-address", Calls: 3, Window: time.Hour}

// The kinds of jobs.
const (
	recoverKind  = "recover key"
	extendedKind = "plan extended" // tell the owner that somebody paid
)

// recover does the same for every address: it counts, and leaves a job.
func (s *Service) recover(ctx context.Context, in *recoverInput) (*recoverOutput, error) {
	email, err := address(in.Body.Email)
	if err != nil {
		return nil, err
	}
	d, err := s.Limiter.Take(ctx, perAddress, string(s.customer(email)))
	if err != nil {
		s.Log.ErrorContext(ctx, "call not counted", "error", err)
	}
	if !d.Allowed {
		return nil, httpapi.TooMany.Problem("There were too many such calls for this address. Wait as Retry-After says.").
			With("Retry-After", fmt.Sprint(d.RetryAfter(s.Now())))
	}
	if err := s.Outbox.Put(ctx, store.Job{Kind: recoverKind, Email: email, Lang: i18n.Accepted(in.AcceptLanguage).Code, At: s.Now()}); err != nil {
		return nil, err
	}
	s.signal()
	out := &recoverOutput{Status: http.StatusAccepted}
	out.Body.Status = "accepted"
	out.Body.Detail = "If this address has a plan, a fresh key is on its way to it, and the old key stops working."
	return out, nil
}

const (
	jobsAtOnce = 25
	jobLease   = time.Minute
	sendTime   = pay.Timeout + 15*time.Second // more than it takes to ask for subscriptions and to send a mail
)

// Work does what is in the outbox, and says how many jobs it ended. What fails
// stays and is taken up again when its lease is over.
func (s *Service) Work(ctx context.Context) (done int, err error) {
	jobs, err := s.Outbox.Take(ctx, jobsAtOnce, s.Now(), jobLease)
	faults := []error{err}
	for _, j := range jobs {
		if s.Now().Add(sendTime).After(j.Leased) {
			break // the carrier is slow: somebody else may be about to take up what is left
		}
		err := s.do(ctx, j)
		if errors.Is(err, mail.ErrRefused) {
			s.Log.WarnContext(ctx, "mail refused for good", "kind", j.Kind, "error", err)
			err = nil
		}
		if err == nil {
			err = s.Outbox.Done(ctx, j)
		}
		if err != nil {
			faults = append(faults, err)
			continue
		}
		done++
	}
	return done, errors.Join(faults...)
}

// do does one job.
func (s *Service) do(ctx context.Context, j store.Job) error {
	if j.Kind == extendedKind {
		return s.sendExtended(ctx, j)
	}
	return s.sendKey(ctx, j)
}

// sendExtended tells the owner of a key that a payment lengthened the plan.
func (s *Service) sendExtended(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Email))
	if err != nil {
		return err
	}
	message, err := mail.ExtendedMail(mail.Key{To: j.Email, Lang: j.Lang, Until: c.Plan().Until, BaseURL: s.BaseURL})
	if err != nil {
		return err
	}
	message.ID = s.messageID(j)
	return s.Sender.Send(ctx, message)
}

// messageID is the same however often a job is done, so that a mail that came twice is one to its reader.
func (s *Service) messageID(j store.Job) string {
	mac := hmac.New(sha256.New, s.Pepper)
	mac.Write([]byte("message id\x00" + j.Name()))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// sendKey mails a fresh key to an address that has a plan. It is done at least
// once: where it is done again, the key of the later mail is the one that works.
func (s *Service) sendKey(ctx context.Context, j store.Job) error {
	id := s.customer(j.Email)
	c, err := s.Keys.Customer(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.Plan().Live(s.Now()) {
		return nil // the answer has promised nothing else
	}
	if err == nil && len(c.Cards) > 0 {
		asking, cancel := context.WithTimeout(ctx, pay.Timeout) // for all of them: see sendTime
		err = s.Keys.Change(asking, id, func(now *store.Customer) error {
			err := s.dropForeign(asking, now)
			c = *now
			return err
		})
		cancel()
	}
	if err != nil {
		return err
	}
	if !c.Plan().Live(s.Now()) {
		return nil
	}
	key, err := s.Keys.Issue(ctx, s.Random, id, s.Now(), nil)
	if err != nil {
		return err
	}
	write := mail.RecoverMail
	if len(c.Hash) == 0 {
		write = mail.KeyMail // paid, and never come back from the checkout: it is the first one
	}
	message, err := write(mail.Key{To: j.Email, Lang: i18n.In(j.Lang).Code, Key: key, Until: c.Plan().Until, BaseURL: s.BaseURL})
	if err != nil {
		return err
	}
	return s.Sender.Send(ctx, message)
}
