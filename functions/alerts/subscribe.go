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

	"verdetto/shared/carrier/telegram"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

const pendingHours = 48

type subscribeInput struct {
	ContentType    string       `header:"Content-Type" hidden:"true"`
	Accept         string       `header:"Accept" hidden:"true"`
	AcceptLanguage mailLanguage `header:"Accept-Language"`
	Lang           string       `query:"lang" doc:"Code of the language of the mails and pages. It takes precedence over Accept-Language"`
	httpapi.Repeatable
	RawBody []byte `contentType:"application/json"`
}

type mailLanguage string

func (mailLanguage) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Description: "The language of the mails: " + i18n.Spoken()}
}

type accepted struct {
	Status       string `json:"status" enum:"accepted"`
	Detail       string `json:"detail"`
	FirstCheck   string `json:"firstCheck" format:"date" doc:"The first day (UTC) on which a message can come. The fare is checked once a day" example:"2027-03-20"`
	Confirmation string `json:"confirmation,omitempty" format:"uri" doc:"For channel telegram: the link to the chat with the bot, where a button confirms the alert"`
}

// subscribe does the same work for every valid address, so the answer reveals nothing about the
// address.
func (s *Service) subscribe(ctx context.Context, in *subscribeInput) (*page.Response, error) {
	l := i18n.Choose(in.Lang, string(in.AcceptLanguage))
	onPage := isForm(in.ContentType) && page.WantsHTML(in.Accept)
	pending, faults := parseRequest(in.ContentType, in.RawBody)
	if len(faults) == 0 {
		faults = sorted(pending.check(fare.DayOf(s.Now())))
	}
	var err error
	if len(faults) > 0 {
		err = refusal(faults)
	} else if err = s.spend(ctx); err == nil {
		faults, err = pending.resolve()
	}
	if err == nil {
		faults, err = s.convert(ctx, &pending)
	}
	if err == nil {
		faults, err = s.checkAirlines(ctx, pending)
	}
	if err == nil && pending.Channel == store.Telegram && s.Telegram.Name == "" {
		faults = []fault{{field: "channel", text: "no_telegram"}}
		err = refusal(faults)
	}
	var id string
	if err == nil {
		id, err = s.savePending(ctx, in.Repeatable, pending, l.Code)
	}
	var p *httpapi.Problem
	switch {
	case err != nil && onPage && errors.As(err, &p):
		return s.refused(ctx, in, pending, p, faults, l)
	case err != nil:
		return nil, err
	case onPage:
		return s.asked(pending, s.startLink(pending, id), l)
	}
	detail := nextStep[pending.Channel]
	if pending.Route.Destination == store.Anywhere && pending.codes[0] != string(pending.Route.Origin) {
		detail += fmt.Sprintf(" The alert covers all airports of %s (%s).",
			places.Name(pending.Route.Origin, "en"), pending.Route.Origin)
	}
	body, err := json.Marshal(accepted{"accepted", detail, store.FirstCheck(fare.DayOf(s.Now())).String(),
		s.startLink(pending, id)})
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	return &page.Response{Status: http.StatusAccepted, ContentType: "application/json",
		Vary: "Accept, Accept-Language", Body: body}, nil
}

func (s *Service) asked(p request, start string, l *i18n.Language) (*page.Response, error) {
	a := p.alert(fare.DayOf(s.Now()), l.Code)
	return respond(http.StatusAccepted, "asked", view{T: l, Channel: p.Channel, Action: start, Row: row(a, l),
		First: l.WeekdayDate(store.FirstCheck(a.RequestDay)), Back: s.Links.Page(a)})
}

var nextStep = map[string]string{
	"": "If this address accepts our mail, a link to confirm the alert is on its way and " +
		"works for 48 hours.",
	store.Webhook: "If this address accepts our mail, a link to confirm the alert is on its way and " +
		"works for 48 hours. The page that confirms shows the secret of the endpoint, once.",
	store.Ntfy: "If this topic accepts our messages, a link to confirm the alert is published there " +
		"and works for 48 hours.",
	store.Telegram: "Open the link in confirmation and press the button in the chat. The link works " +
		"once, within 48 hours; nothing is sent before.",
}

func (s *Service) startLink(p request, id string) string {
	if p.Channel != store.Telegram {
		return ""
	}
	return telegram.StartLink(s.Telegram.Name, id)
}

// A retried call with the same Idempotency-Key returns the id of the first call.
func (s *Service) savePending(ctx context.Context, again httpapi.Repeatable, p request,
	lang string) (id string, err error) {
	now := s.Now()
	alert := p.alert(fare.DayOf(now), lang)
	about := fmt.Sprintf("%+v %d %s", p.Alert, p.paid, lang)
	id, err = newID(again.Random(ctx, s.Random, "alerts pending", about))
	if err != nil {
		return "", err
	}
	switch p.Channel {
	case "", store.Webhook: // the owner of a webhook confirms by mail
		alert.Subscriber = s.Links.Subscriber(p.Email)
	case store.Telegram: // no message: the user who starts the bot confirms
	default:
		alert.Subscriber = s.Links.SubscriberAt(p.Channel, p.Address)
	}
	var jobs []store.Job
	if alert.Subscriber != "" {
		j := notify.ConfirmJob(id, now)
		j.To, j.Caller, j.Network = alert.Subscriber, httpapi.Subject(ctx), httpapi.MailNetwork(ctx)
		jobs = append(jobs, j)
	}
	err = s.Alerts.AddPending(ctx, id, alert, now.Add(pendingHours*time.Hour), jobs...)
	if errors.Is(err, store.ErrExists) {
		return id, nil
	}
	if err == nil && jobs != nil {
		s.signal()
	}
	return id, err
}

// idBytes makes ids that cannot be guessed.
const idBytes = 16

func newID(random io.Reader) (string, error) {
	var b [idBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("make an id: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

func isID(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == idBytes
}
