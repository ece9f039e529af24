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

// The kinds of jobs.
const (
	recoverKind  = "recover key"
	agreedKind   = "recover key, confirmed"
	extendedKind = "plan extended" // tell the owner that somebody paid
	manageKind   = "manage plan"   // mail a link to the plan
	moveKind     = "move plan"     // ask the new address; Ref is the present one
	movedKind    = "plan moved"    // tell the former address; Ref is the new one
)

const sendTime = pay.Timeout + 15*time.Second // more than it takes to ask for subscriptions and to send a mail

// Work does the jobs of the outboxes that are due, and returns how many have ended.
func (s *Service) Work(ctx context.Context) (ended int, err error) {
	return outbox.Worker{
		Boxes: []store.Outbox{s.Outbox, s.noticesBox(), s.links()}, Retries: s.Outbox.Retries(),
		Do: s.do, Within: sendTime, AtOnce: s.JobsAtOnce, Now: s.Now, Log: s.Log, Metrics: s.Metrics,
	}.Work(ctx)
}

// noticesBox is the outbox of mails that bring no key. It is one of its own because
// versions before it took every job of the other for a recovery: while both run,
// one of them would mail a fresh key and void the owner's.
func (s *Service) noticesBox() store.Outbox {
	return s.beside("-notices")
}

// links is the outbox of mails with links to plans: for the same reason, of which
// the versions before it know two.
func (s *Service) links() store.Outbox {
	return s.beside("-links")
}

func (s *Service) beside(name string) store.Outbox {
	box := s.Outbox
	box.Name += name
	return box
}

// mailboxes counts the mails that any caller can cause.
func (s *Service) mailboxes() notify.Mailboxes {
	return notify.Mailboxes{Store: store.Mailboxes{Table: s.Keys.Table},
		Links: notify.Links{Pepper: s.Pepper, BaseURL: s.BaseURL}, Now: s.Now}
}

// anyones are the kinds of jobs that any caller can leave for any address.
var anyones = []string{recoverKind, manageKind, moveKind}

// allowed reports whether the mail of a job is to be sent.
func (s *Service) allowed(ctx context.Context, j store.Job) (bool, error) {
	if !slices.Contains(anyones, j.Kind) {
		return true, nil
	}
	return s.mailboxes().Allow(ctx, j.Email, j.Caller, j.Name())
}

// stopLink is where mails like that of a job are stopped; empty where nobody else can cause it.
func (s *Service) stopLink(j store.Job) string {
	if !slices.Contains(anyones, j.Kind) {
		return ""
	}
	links := s.mailboxes().Links
	return links.BaseURL + links.Requests(links.Mailbox(j.Email))
}

// do does one job. A mail that is refused for good ends it.
func (s *Service) do(ctx context.Context, j store.Job) error {
	work, ok := map[string]func(context.Context, store.Job) error{
		extendedKind: s.sendExtended, manageKind: s.sendManage, moveKind: s.sendMove, movedKind: s.sendMoved,
	}[j.Kind]
	if !ok {
		work = s.sendKey
	}
	err := work(ctx, j)
	if errors.Is(err, mail.ErrRefused) {
		s.Log.WarnContext(ctx, "mail refused for good", "kind", j.Kind, "error", err)
		return nil
	}
	return err
}

// sendExtended tells the owner of a key that a payment lengthened the plan.
func (s *Service) sendExtended(ctx context.Context, j store.Job) error {
	c, err := s.Keys.Customer(ctx, s.customer(j.Email))
	if err != nil {
		return withoutPlan(err)
	}
	return s.send(ctx, j, mail.ExtendedMail, c, "")
}

// writeMail writes a mail about a plan.
type writeMail func(mail.Key) (mail.Message, error)

// send hands the mail of a job about a plan to the carrier.
func (s *Service) send(ctx context.Context, j store.Job, write writeMail, c store.Customer, path string) error {
	message, err := s.compose(j, write, c, "", path)
	if err != nil {
		return err
	}
	return s.Sender.Send(ctx, message)
}

// compose writes the mail of a job. Its id is the same however often the job is done, so
// that a mail that came twice is one to its reader.
func (s *Service) compose(j store.Job, write writeMail, c store.Customer, key, path string) (mail.Message, error) {
	message, err := write(mail.Key{
		To: j.Email, Lang: language(j), Key: key, Until: c.Plan().Until, BaseURL: s.BaseURL, Path: path,
		Stop: s.stopLink(j), Support: s.Operator.Email,
	})
	message.ID = strings.ReplaceAll(j.Name(), ".", "-")
	return message, err
}

// language is that of a job's mail: English where what was asked for is no longer
// spoken, and none where nobody asked: package mail says what is written then.
func language(j store.Job) string {
	if j.Lang == "" {
		return ""
	}
	return i18n.In(j.Lang).Code
}

// sendKey mails a fresh key to an address that has a plan, and makes it the
// current one once the carrier has the mail: until then the old one works. The
// key is derived from the job, so that a job done again mails the same one. It is
// done at least once; whatever fails in between, one key works.
func (s *Service) sendKey(ctx context.Context, j store.Job) error {
	id, now := s.customer(j.Email), s.Now()
	c, err := s.Keys.Customer(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.Plan().Live(now) {
		return nil // the answer has promised nothing else
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
	asking, cancel := context.WithTimeout(ctx, pay.Timeout) // for all subscriptions: see sendTime
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

// keyMessage writes the mail with a fresh key: the first of a customer who paid
// and never came back from the checkout, or one in the place of another.
func (s *Service) keyMessage(j store.Job, c store.Customer, key string) (mail.Message, error) {
	if owned := c.Owned(); len(owned) > 0 {
		return s.compose(j, mail.RecoverMail, c, key, s.undoPath(c.ID, owned))
	}
	return s.compose(j, mail.KeyMail, c, key, "")
}

// sendOffer mails a link that has to be followed, and its button pressed, before a fresh key is mailed.
func (s *Service) sendOffer(ctx context.Context, j store.Job, c store.Customer) error {
	id := s.offerID(j)
	agreed := j
	agreed.Kind, agreed.Leased, agreed.Tries = agreedKind, time.Time{}, 0
	if err := s.Outbox.Offer(ctx, id, agreed, s.Now().Add(offerTime)); err != nil {
		return err
	}
	return s.send(ctx, j, mail.OfferMail, c, agreePath+"?t="+id)
}
