package alerts

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/httpapi"
	"verdetto/shared/i18n"
	"verdetto/shared/notify"
	"verdetto/shared/page"
	"verdetto/shared/store"
)

// pendingHours is how long what was asked for waits to be confirmed.
const pendingHours = 48

type subscribeInput struct {
	ContentType    string       `header:"Content-Type" hidden:"true"`
	Accept         string       `header:"Accept" hidden:"true"`
	AcceptLanguage mailLanguage `header:"Accept-Language"`
	httpapi.Repeatable
	RawBody []byte `contentType:"application/json"`
}

// mailLanguage is the header that the language of the mails goes by.
type mailLanguage string

// Schema names the languages that there are.
func (mailLanguage) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The language of the mails: " + i18n.Spoken()}
}

// accepted is the answer to everybody.
type accepted struct {
	Status string `json:"status" enum:"accepted"`
	Detail string `json:"detail"`
}

// subscribe does the same for every address: it stores the pending subscription and
// leaves a job. Whether a mail is sent is decided by who does the job, when the
// answer is long given.
func (s *Service) subscribe(ctx context.Context, in *subscribeInput) (*page.Response, error) {
	l := i18n.Accepted(string(in.AcceptLanguage))
	onPage := isForm(in.ContentType) && page.WantsHTML(in.Accept)
	pending, faults := parseRequest(in.ContentType, in.RawBody)
	var err error
	if len(faults) > 0 {
		err = refusal(faults)
	} else if err = s.spend(ctx); err == nil {
		faults, err = pending.resolve()
	}
	if err == nil {
		err = s.savePending(ctx, in.Repeatable, pending, l.Code)
	}
	var p *httpapi.Problem
	switch {
	case err != nil && onPage && errors.As(err, &p):
		return respond(p.Status, view{Block: "refused", T: l, Faults: messages(faults, l), Busy: p.Status == http.StatusTooManyRequests})
	case err != nil:
		return nil, err
	case onPage:
		return respond(http.StatusAccepted, view{Block: "asked", T: l})
	}
	body, err := json.Marshal(accepted{"accepted", "If this address takes our mail, a link to confirm the alert is on its way to it; the link works for 48 hours."})
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return &page.Response{Status: http.StatusAccepted, ContentType: "application/json", Vary: "Accept, Accept-Language", Body: body}, nil
}

// savePending writes what was asked for, and the job that asks to confirm it.
// The same call again, with an Idempotency-Key, finds it written.
func (s *Service) savePending(ctx context.Context, again httpapi.Repeatable, p pendingSubscription, lang string) error {
	id, err := newID(again.Random(ctx, s.Random, "alerts pending", p.route.String(), p.email, fmt.Sprint(p.threshold), lang))
	if err != nil {
		return err
	}
	alert := store.Alert{Subscriber: s.Links.Subscriber(p.email), Route: p.route, Email: p.email, Language: lang, Threshold: p.threshold}
	now := s.Now()
	err = s.Alerts.AddPending(ctx, id, alert, now.Add(pendingHours*time.Hour), notify.ConfirmJob(id, now))
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	if err == nil && s.SignalWorker != nil {
		s.SignalWorker()
	}
	return err
}

// idBytes make an id that nobody guesses.
const idBytes = 16

func newID(random io.Reader) (string, error) {
	var b [idBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// isID tells whether a text may be an id; each has one spelling.
func isID(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == idBytes
}
