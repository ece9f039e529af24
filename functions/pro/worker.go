package pro

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/notify"
	"verdetto/shared/notify/outbox"
	"verdetto/shared/pay"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
)

const (
	recoverKind  = "recover key"
	agreedKind   = "recover key, confirmed"
	extendedKind = "plan extended"
	manageKind   = "manage plan"
	moveKind     = "move plan"  // Ref is the present address
	movedKind    = "plan moved" // Ref is the new address
)

// sendTime allows pay.Timeout for a job's calls about subscriptions, and 15 seconds for the mail.
const sendTime = pay.Timeout + 15*time.Second

func (s *Service) Work(ctx context.Context) (ended int, err error) {
	fault := s.judgeClaims(ctx)
	ended, err = outbox.Worker{
		Boxes: []store.Outbox{s.Outbox, s.noticesBox(), s.links()}, Retries: s.Outbox.Retries(),
		Do: s.do, Within: sendTime, AtOnce: s.JobsAtOnce, Now: s.Now, Log: s.Log, Metrics: s.Metrics,
	}.Work(ctx)
	return ended, errors.Join(fault, err)
}

// noticesBox and links are separate outboxes, because an earlier version of the service takes a job
// of an unknown kind in s.Outbox for a recovery, and mails a new key.
func (s *Service) noticesBox() store.Outbox {
	return s.outboxNamed("-notices")
}

func (s *Service) links() store.Outbox { return s.outboxNamed("-links") }

func (s *Service) outboxNamed(name string) store.Outbox {
	box := s.Outbox
	box.Name += name
	return box
}

func (s *Service) mailboxes() notify.Mailboxes {
	return notify.Mailboxes{Store: store.Mailboxes{Table: s.Keys.Table},
		Links: notify.Links{Pepper: s.Pepper, BaseURL: s.BaseURL}, Now: s.Now, Limiter: s.Limiter}
}

// publicKinds lists the kinds of jobs that a caller can cause for another person without a new
// payment.
var publicKinds = []string{recoverKind, manageKind, moveKind}

func (s *Service) allowed(ctx context.Context, j store.Job) (bool, error) {
	if !slices.Contains(publicKinds, j.Kind) {
		return true, nil
	}
	return s.mailboxes().Allow(ctx, j.Email, j)
}

func (s *Service) stopLink(j store.Job) string {
	if !slices.Contains(publicKinds, j.Kind) {
		return ""
	}
	links := s.mailboxes().Links
	return links.BaseURL + links.Requests(links.Mailbox(j.Email))
}

func (s *Service) do(ctx context.Context, j store.Job) error {
	work, ok := map[string]func(context.Context, store.Job) error{
		extendedKind: s.sendExtended, manageKind: s.sendManage, moveKind: s.sendMove, movedKind: s.sendMoved,
	}[j.Kind]
	if !ok {
		work = s.sendKey
	}
	err := work(ctx, j)
	if errors.Is(err, mail.ErrRefused) {
		s.Log.WarnContext(ctx, "the carrier refuses a mail about a key or a plan for good, so it is not sent", "kind", j.Kind, "error", err)
		return nil
	}
	return err
}

func (s *Service) sendExtended(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Email))
	if err != nil {
		return withoutPlan(err)
	}
	return s.send(ctx, j, mail.ExtendedMail, c, "")
}

type writeMail func(mail.Key) (mail.Message, error)

func (s *Service) send(ctx context.Context, j store.Job, write writeMail, c store.Customer, path string) error {
	message, err := s.compose(j, write, c, "", path)
	if err != nil {
		return err
	}
	return s.Sender.Send(ctx, message)
}

// A retried job gets the same mail id, so that a mailbox may show two copies as one mail.
func (s *Service) compose(j store.Job, write writeMail, c store.Customer, key, path string) (mail.Message, error) {
	message, err := write(mail.Key{
		To: j.Email, Lang: language(j), Key: key, Until: c.Plan().Until, BaseURL: s.BaseURL, Path: path,
		Stop: s.stopLink(j), Support: s.Operator.Email,
	})
	message.ID = strings.ReplaceAll(j.Name(), ".", "-")
	return message, err
}

// language returns "" if no language was requested: then package mail decides.
func language(j store.Job) string {
	if j.Lang == "" {
		return ""
	}
	return i18n.ForCode(j.Lang).Code
}

// sendKey activates the new key after the carrier has accepted the mail, and the old key works until
// then. A retry mails the same new key, which is derived from the job.
func (s *Service) sendKey(ctx context.Context, j store.Job) error {
	id, now := s.customer(j.Email), s.Now()
	c, err := s.Keys.Customer(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.Plan().Live(now) {
		return nil // the page promised a mail only if there is a plan
	}
	if err != nil {
		return err
	}
	key, hash, err := apikey.Mint(s.derived("recovered key", j.Name()), id)
	if err != nil {
		return err
	}
	if c.Recovered(j.At, hash) {
		return nil
	}
	if allowed, err := s.allowed(ctx, j); err != nil || !allowed {
		return err
	}
	if c.Guarded(now) && j.Kind != agreedKind {
		return s.sendOffer(ctx, j, c)
	}
	asking, cancel := context.WithTimeout(ctx, pay.Timeout) // one time limit for all calls together
	defer cancel()
	err = s.Keys.Change(asking, id, func(current *store.Customer) error {
		if err := s.dropForeign(asking, current); err != nil {
			return err
		}
		if current.Plan().Live(now) {
			current.Pending = &store.KeyHash{Hash: hash[:], At: now.UTC()}
		}
		c = *current
		return nil
	})
	if err != nil || !c.Plan().Live(now) {
		return err
	}
	message, err := s.keyMessage(j, c, key)
	if err != nil {
		return err
	}
	err = s.Sender.Send(ctx, message)
	if errors.Is(err, mail.ErrRefused) {
		return errors.Join(err, s.Keys.Cancel(ctx, id, hash))
	}
	if err != nil {
		return err
	}
	return s.Keys.Activate(ctx, id, hash, s.Now())
}

// firstKey, as the Ref of a job, means that the customer had no valid key before the purchase.
const firstKey = "first key"

func (s *Service) keyMessage(j store.Job, c store.Customer, key string) (mail.Message, error) {
	if owned := c.Owned(); len(owned) > 0 && j.Ref != firstKey {
		return s.compose(j, mail.RecoverMail, c, key, s.undoPath(c.ID, owned))
	}
	return s.compose(j, mail.KeyMail, c, key, "")
}

func (s *Service) sendOffer(ctx context.Context, j store.Job, c store.Customer) error {
	id := s.offerID(j)
	agreed := j
	agreed.Kind, agreed.Leased, agreed.Tries, agreed.First = agreedKind, time.Time{}, 0, ""
	if err := s.Outbox.Offer(ctx, id, agreed, s.Now().Add(offerTime)); err != nil {
		return err
	}
	return s.send(ctx, j, mail.OfferMail, c, agreePath+"?t="+id)
}
