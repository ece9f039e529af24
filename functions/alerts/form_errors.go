package alerts

import (
	"context"
	"math"
	"net/http"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

// A refused form asks again for the faulty fields that have labels. Hidden fields keep the values
// of the other fields.

type correction struct {
	Name, Label, Value string
	Text               string // empty if the value is not at fault, but may have to change too
	Type               string // type of the input element; if empty, Options is set
	Min                string
	Options            []choice
}

type choice struct {
	Value, Text string
	Chosen      bool
}

func (s *Service) refused(ctx context.Context, in *subscribeInput, asked request, p *httpapi.Problem,
	faults []fault, l *i18n.Language) (*page.Response, error) {
	v := view{T: l}
	if p.Status == http.StatusTooManyRequests {
		calls, next := httpapi.Refusal(ctx)
		minutes := int(math.Ceil(next.Sub(s.Now()).Minutes()))
		v.Busy = l.Count("alerts.busy", max(1, minutes), "Most", calls)
	}
	if unknown, _ := asked.resolve(); unknown == nil && asked.codes[0] != "" {
		a := store.Alert{Route: asked.Route, Trip: asked.Trip, Area: asked.Area, Language: l.Code}
		v.Row, v.Back = row(a, l), s.Links.Page(a)
	}
	given, _ := readBody(in.ContentType, in.RawBody)
	shown := map[string]bool{}
	show := func(name, text string) {
		if c, ok := correct(name, given, l); ok && !shown[name] {
			c.Text = text
			switch first := store.FirstCheck(fare.DayOf(s.Now())) + 1; c.Type {
			case "date":
				c.Min = first.String()
			case "month":
				c.Min = first.String()[:len("2026-11")]
			}
			v.Corrections = append(v.Corrections, c)
		} else if !ok {
			v.Faults = append(v.Faults, text)
		}
		shown[name] = true
	}
	for _, f := range faults {
		show(f.field, f.pageText(l, dated(given)))
		switch f.text {
		case "drop_wants":
			show("percent", "")
			show("amount", "")
		case "not_with_paid":
			show("paid", "")
			show("kind", "")
		case "only_with":
			show("kind", "")
		}
	}
	for _, name := range slices.Sorted(slices.Values(fields)) {
		if given[name] != "" && !shown[name] {
			v.Kept = append(v.Kept, edit{name, given[name]})
		}
	}
	return respond(p.Status, "refused", v)
}

func dated(given map[string]string) bool { return given["departure"]+given["month"] != "" }

var labels = map[string]string{"email": "form.email", "address": "form.address", "threshold": "ask.maximum",
	"paid": "form.paid", "amount": "form.amount", "days": "form.days", "percent": "form.percent", "kind": "form.kind",
	"channel": "form.channel", "departure": "form.departure", "month": "form.departure", "frequency": "form.weekly",
	"airline": "ask.airline", "withoutAirline": "ask.without_airline"}

func correct(name string, given map[string]string, l *i18n.Language) (correction, bool) {
	key, ok := labels[name]
	if !ok {
		return correction{}, false
	}
	c := correction{Name: name, Label: l.Text(key, "In", sign(given["currency"])), Value: given[name], Type: "text"}
	switch name {
	case "email":
		c.Type = "email"
	case "address":
		c.Type = "url"
	case "departure":
		c.Type = "date"
	case "month":
		c.Type = "month"
	case "frequency":
		c.Type = "checkbox"
	case "channel":
		c.Type = ""
		for _, channel := range []string{byMail, store.Ntfy, store.Webhook} {
			c.Options = append(c.Options, choice{channel, channel, channel == given[name]})
		}
		c.Options[0].Text = l.Text("form.email")
	case "kind":
		c.Type = ""
		for _, kind := range []string{"", store.Low, store.Drop, store.Change, store.Paid} {
			c.Options = append(c.Options, choice{kind, kindLabel(l, kind, dated(given)), kind == given[name]})
		}
	}
	return c, true
}

func sign(currency string) string {
	if currency == "" || currency == euro {
		return "€"
	}
	return currency
}

func pageTexts(faults []fault, l *i18n.Language, dated bool) (lines []string) {
	for _, f := range faults {
		line := f.pageText(l, dated)
		if key, ok := labels[f.field]; ok {
			line = l.Text(key, "In", "€") + l.Text("format.colon") + " " + line
		}
		lines = append(lines, line)
	}
	return lines
}
