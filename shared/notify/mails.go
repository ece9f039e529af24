package notify

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

type byMail struct{ mail.Sender }

func (c byMail) Deliver(ctx context.Context, to store.Alert, m Message) error {
	to.Language = m.Language
	written, err := mailOf(to, m)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnwritable, err)
	}
	return c.Send(ctx, written)
}

func mailOf(to store.Alert, m Message) (mail.Message, error) {
	if len(m.Fares) == 0 {
		return mail.Message{}, errors.New("no fare")
	}
	l, links := LanguageOf(to), []string{m.Manage, m.Unsubscribe}
	view := mailed{Fare: m.Fares[0], M: m, To: to, T: l}
	out := mail.Message{ID: m.ID, To: to.Email, Tag: mail.AlertTag, Unsubscribe: m.Unsubscribe}
	if m.Ended {
		out.Subject = l.Text("mail.end.subject", "Route", view.Origin+"–"+view.Destination)
		return mail.Write("end", out, links, view.named(out.Subject))
	}
	links = append(links, m.Snooze)
	for _, f := range m.Fares {
		if f.Origin == "" || f.Destination == "" || f.Price <= 0 || f.Depart == 0 || f.Found.IsZero() || f.sure() == "" {
			return out, fmt.Errorf("no fare to %q, or nothing that it is compared with", f.Destination)
		}
		links = append(links, f.Page)
		view.Rows = append(view.Rows, mailed{Fare: f, M: m, To: to, T: l})
	}
	if m.List != "" {
		out.Subject = ListTitle(m, l)
		return mail.Write("list", out, append(links, m.List), view.named(out.Subject))
	}
	if len(m.Picture.PNG) > 0 {
		out.Inline = []mail.Attachment{{ContentID: lowsID, ContentType: "image/png", Name: "verdetto.png",
			Data: m.Picture.PNG}}
	}
	out.Subject = Subject(to, view.Fare, l)
	return mail.Write("alert", out, links, view.named(out.Subject))
}

func (l Links) confirmMail(pending store.Alert, id string) (mail.Message, error) {
	v := l.requested(pending, l.Confirm(id))
	v.Origin, v.Destination = names(pending, v.T.Code)
	v.Subject = v.T.Text("mail.confirm.subject", "Route", v.Origin+"–"+v.Destination)
	return v.write("confirm", "confirm")
}

func (l Links) manageMail(to store.Alert, now time.Time) (mail.Message, error) {
	v := l.requested(to, l.Manage(to.Subscriber, now))
	v.Texts, v.Subject = "alerts", v.T.Text("mail.alerts.subject")
	return v.write("alerts", "alerts")
}

// Nobody requests the mail of endpointMail, so the mail has no link that stops requested mails.
func (l Links) endpointMail(to store.Alert, now time.Time) (mail.Message, error) {
	v := l.requested(to, l.Manage(to.Subscriber, now))
	v.Texts, v.Stop, v.Subject = "endpoint", "", v.T.Text("mail.endpoint.subject")
	return v.write("alerts", "alerts")
}

func (l Links) requested(to store.Alert, link string) mailed {
	return mailed{To: to, T: i18n.ForCode(to.Language), Link: l.BaseURL + link,
		Stop: l.BaseURL + l.Requests(l.Mailbox(to.Email))}
}

func (v mailed) write(template, tag string) (mail.Message, error) {
	links := slices.DeleteFunc([]string{v.Link, v.Stop}, func(link string) bool { return link == "" })
	return mail.Write(template, mail.Message{To: v.To.Email, Subject: v.Subject, Tag: tag, Unsubscribe: v.Stop}, links, v)
}

const lowsID = "lows@verdetto"

// Each element of Rows is a fare of a message, or an alert of a digest.
type mailed struct {
	Fare
	M       Message
	To      store.Alert
	T       *i18n.Language
	Subject string
	Rows    []mailed
	Met     bool

	Link, Stop, Texts string
}

// Host leaves out the path of the endpoint, which may be secret.
func (v mailed) Host() string {
	endpoint, err := url.Parse(v.To.Address)
	if err != nil || v.To.Channel != store.Webhook {
		return ""
	}
	return endpoint.Hostname()
}

func (v mailed) WhenText() template.HTML { return When(v.To, v.T) }

func (v mailed) LinkText(name string) template.HTML {
	return v.T.HTML("mail."+v.Texts+"."+name, "Host", v.Host())
}

func (v mailed) Days() int { return ManageDays }

func (v mailed) named(subject string) mailed {
	v.Subject = subject
	return v
}

func (v mailed) TripText() string { return TripText(v.To.Trip, v.T) }

func (v mailed) CID() template.URL { return template.URL("cid:" + lowsID) }

func (v mailed) Booked() bool { return v.To.Condition() == store.Paid }

func (v mailed) Advice() []string {
	if v.Booked() {
		return nil
	}
	return v.Waits
}

func (v mailed) LevelText() string {
	if v.ForDay == nil {
		return ""
	}
	return v.T.Text("level." + string(v.ForDay.Level))
}

func (v mailed) UsualText() string {
	if v.ForDay == nil {
		return ""
	}
	return wording.Usual(v.T, v.Price, v.ForDay.Usual)
}

func (v mailed) MarketText() string {
	if v.Market() == "" {
		return ""
	}
	return wording.Sentence(v.T.Text("headline.market", "Level", v.T.Text("market."+string(v.Market())))) + "."
}

func (v mailed) Said() []string {
	sentences := []string{v.MarketText(), v.UsualText(), Since(v.To, v.Fare, v.T)}
	if v.Booked() {
		sentences = []string{sentences[2], sentences[1]}
	}
	return slices.DeleteFunc(sentences, func(s string) bool { return s == "" })
}

func (v mailed) FareText() string {
	switch {
	case v.Return > 0:
		return v.T.Text("mail.alert.fare_return")
	case v.TripText() != "":
		return v.T.Text("mail.alert.fare_trip")
	}
	return v.T.Text("mail.alert.fare")
}

func (v mailed) SeenText() string { return wording.Seen(v.T, v.Found, v.M.Day) }

func (v mailed) ReliabilityText() string { return v.T.Text("reliability." + string(v.sure())) }

func (v mailed) Certainty() string { return v.T.Text("certainty." + string(v.sure())) }

func (v mailed) CertaintyText() string {
	if v.sure() == "" {
		return v.T.Text("mail.digest.unknown")
	}
	return v.Certainty() + "."
}

func (v mailed) SampleText() string {
	switch {
	case v.ForDay != nil:
		return v.T.Text("mail.alert.sample_fares", "Fares", v.ForDay.Sample)
	case v.Market() == "":
		return v.T.Text("mail.alert.sample_fares", "Fares", v.Sample)
	}
	return v.T.Text("mail.alert.sample_days", "Days", v.Sample)
}

func (v mailed) Why() string {
	why := v.T.Text("mail.alert.why_kind", "When", PlainWhen(v.To, v.T))
	if v.To.Condition() == store.Threshold && v.To.Route.Destination != store.Anywhere {
		why = v.T.Text("mail.alert.why_threshold", "Amount", v.T.Amount(v.To.Threshold))
	}
	if v.To.RequestDay > 0 {
		why += " " + v.T.Text("mail.alert.asked", "Date", v.T.WeekdayDate(v.To.RequestDay))
	}
	return why
}

func (v mailed) Others() string {
	if v.M.More == 0 {
		return ""
	}
	return v.T.Count("mail.list.more", v.M.More)
}

func (v mailed) ConditionText() template.HTML {
	if v.Met {
		return v.T.HTML("mail.digest.met", "When", WaitsFor(v.To, v.T))
	}
	return v.T.HTML("mail.digest.unmet", "When", WaitsFor(v.To, v.T))
}

func (v mailed) SinceText() string {
	switch by := v.Price - v.Before; {
	case v.Before == 0:
		return ""
	case by < 0:
		return v.T.Text("mail.digest.less", "By", v.T.Amount(-by), "Before", v.T.Amount(v.Before))
	case by > 0:
		return v.T.Text("mail.digest.more", "By", v.T.Amount(by), "Before", v.T.Amount(v.Before))
	}
	return v.T.Text("mail.digest.same")
}

func (v mailed) Pill() template.CSS {
	level := ""
	if v.ForDay != nil {
		level = string(v.ForDay.Level)
	}
	return template.CSS("display:inline-block;padding:3px 12px;border-radius:14px;font-weight:600;color:#ffffff;" +
		"background:" + map[string]string{"ottimo": "#0c6b45", "buono": "#3b7447", "normale": "#6a5c3b", "caro": "#a33b20"}[level])
}
