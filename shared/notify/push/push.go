// Package push sends notifications to phones: to topics of ntfy servers and to Telegram chats.
//
// A link that changes something leads to a page with a button, so a program that opens links for a
// preview changes nothing.
package push

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

type Ntfy struct {
	ntfy.Publisher
	BaseURL string
}

func (c Ntfy) Deliver(ctx context.Context, to store.Alert, m notify.Message) error {
	t, err := write(to, m, c.BaseURL)
	if err != nil {
		return err
	}
	published := ntfy.Message{ID: m.ID, Title: t.title, Text: t.body, Tags: []string{"airplane"}, Click: t.links[0].url}
	buttons := t.links
	if len(buttons) > ntfy.MaxActions {
		buttons = buttons[1:] // tapping the message opens the first link, so this link needs no button
	}
	for _, l := range buttons {
		published.Actions = append(published.Actions, ntfy.Action{Label: l.label, URL: l.url})
	}
	return c.Publish(ctx, to.Address, published)
}

func (c Ntfy) Ask(ctx context.Context, pending store.Alert, id, link string) error {
	l := i18n.ForCode(pending.Language)
	return c.Publish(ctx, pending.Address, ntfy.Message{
		ID: id, Title: l.Text("mail.confirm.subject", "Route", notify.RouteName(pending, l.Code)),
		Text: l.Text("push.ask", "When", when(pending, l)),
		Tags: []string{"airplane"}, Click: link,
		Actions: []ntfy.Action{{Label: l.Text("mail.confirm.open"), URL: link}},
	})
}

type Telegram struct {
	Bot     *telegram.Bot
	BaseURL string
}

func (c Telegram) Deliver(ctx context.Context, to store.Alert, m notify.Message) error {
	t, err := write(to, m, c.BaseURL)
	if err != nil {
		return err
	}
	sent := telegram.Message{Title: t.title, Text: t.body}
	for _, l := range t.links {
		sent.Buttons = append(sent.Buttons, telegram.Button{Label: l.label, URL: l.url})
	}
	return c.Bot.Send(ctx, to.Address, sent)
}

type text struct {
	title, body string
	links       []link
}

type link struct{ label, url string }

const maxFares = 10

func write(to store.Alert, m notify.Message, baseURL string) (text, error) {
	to.Language = m.Language
	l := notify.LanguageOf(to)
	if len(m.Fares) == 0 || m.Unsubscribe == "" || m.Manage == "" {
		return text{}, fmt.Errorf("%w: no fare, or a link is missing", notify.ErrUnwritable)
	}
	first := m.Fares[0]
	if m.Ended {
		route := first.Origin + "–" + first.Destination
		return text{
			title: l.Text("mail.end.subject", "Route", route),
			body:  notify.TripText(first.Trip, l) + "\n" + l.Text("mail.end.terms"),
			links: []link{{l.Text("mail.alert.manage"), m.Manage}},
		}, nil
	}
	if first.Price <= 0 || first.Depart == 0 {
		return text{}, fmt.Errorf("%w: no fare", notify.ErrUnwritable)
	}
	if m.List != "" {
		return list(to, m, l), nil
	}
	t := text{title: notify.Subject(to, first, l), body: price(first, l) + "\n" + facts(first, m, l)}
	if since := notify.Since(to, first, l); since != "" {
		t.body = since + "\n" + t.body
	}
	if trip := notify.TripText(first.Trip, l); trip != "" {
		t.body = trip + "\n" + t.body
	}
	for _, f := range m.Fares[1:min(len(m.Fares), maxFares)] {
		t.body += "\n\n" + line(f, l) + "\n" + facts(f, m, l)
	}
	t.body += "\n" + l.Text("push.why", "When", notify.PlainWhen(to, l))
	t.links = ways(m, link{l.Text("push.look"), cmp.Or(first.Page, page(baseURL, first.Route, l))}, l)
	return t, nil
}

func ways(m notify.Message, look link, l *i18n.Language) []link {
	links := []link{look, {l.Text("mail.alert.manage"), m.Manage}}
	if m.Snooze != "" { // messages stored by earlier versions have no link to pause
		links = append(links, link{l.Text("mail.alert.snooze"), m.Snooze})
	}
	return append(links, link{l.Text("mail.alert.stop"), m.Unsubscribe})
}

func list(to store.Alert, m notify.Message, l *i18n.Language) text {
	first := m.Fares[0]
	t := text{title: notify.ListTitle(m, l)}
	if trip := notify.TripText(first.Trip, l); trip != "" {
		t.body = trip + "\n\n"
	}
	for i, f := range m.Fares {
		if i > 0 {
			t.body += "\n\n"
		}
		t.body += line(f, l)
		if day := f.ForDay; day != nil {
			t.body += " (" + wording.Than(l, f.Price, day.Usual) + ")"
		}
		t.body += "\n" + l.Plain("mail.alert.departing", "Date", l.WeekdayDate(f.Depart)) + flight(f)
	}
	if m.More > 0 {
		t.body += "\n\n" + l.Count("mail.list.more", m.More)
	}
	t.body += "\n\n" + l.Text("push.why", "When", notify.PlainWhen(to, l))
	t.links = ways(m, link{l.Text("mail.list.page"), m.List}, l)
	return t
}

func line(f notify.Fare, l *i18n.Language) string {
	return f.Origin + "–" + f.Destination + l.Text("format.colon") + " " + price(f, l)
}

func price(f notify.Fare, l *i18n.Language) string {
	s := l.Amount(f.Price)
	if day := f.ForDay; day != nil {
		s += ", " + l.Text("level."+string(day.Level))
	}
	return s
}

func facts(f notify.Fare, m notify.Message, l *i18n.Language) (s string) {
	sure := f.Reliability
	if level := f.Market(); level != "" {
		s = wording.Sentence(l.Text("headline.market", "Level", l.Text("market."+string(level)))) + ".\n"
	}
	if day := f.ForDay; day != nil {
		s += wording.Usual(l, f.Price, day.Usual) + "\n"
		sure = day.Reliability
	}
	s += l.Plain("mail.alert.departing", "Date", l.WeekdayDate(f.Depart))
	if f.Return > 0 {
		s += " " + l.Plain("mail.alert.returning", "Date", l.WeekdayDate(f.Return))
	}
	s += flight(f)
	if sure != "" {
		s += "\n" + l.Text("mail.alert.reliability") + l.Text("format.colon") + " " + l.Text("reliability."+string(sure))
	}
	// A message to a phone contains only the first sentence about waiting, which is the advice.
	for _, sentence := range slices.Concat(f.Departure, f.Waits[:min(len(f.Waits), 1)]) {
		s += "\n" + sentence
	}
	return s + "\n" + wording.Seen(l, f.Found, cmp.Or(m.Day, f.Day))
}

func flight(f notify.Fare) string {
	if f.Flight == "" {
		return ""
	}
	return " " + f.Flight
}

func page(baseURL string, r fare.Route, l *i18n.Language) string {
	return baseURL + "/?da=" + string(r.Origin) + "&a=" + string(r.Destination) + "&lang=" + l.Code
}

func when(a store.Alert, l *i18n.Language) string {
	if trip := notify.TripText(a.Trip, l); trip != "" {
		return trip + ", " + notify.PlainWhen(a, l)
	}
	return notify.PlainWhen(a, l)
}

var (
	_ notify.Carrier = Ntfy{}
	_ notify.Carrier = Telegram{}
	_ notify.Asker   = Ntfy{}
)
