package alerts

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"strconv"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/page"
)

//go:embed alerts.html
var alertsTemplate string

var alertsHTML = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("alerts").Parse(alertsTemplate + hooksTemplate + digestTemplate))
})

type view struct {
	T            *i18n.Language
	Row          alertRow
	Rows         []alertRow
	Action       string
	Manage       string
	Channel      string
	First        string
	Back         string
	Faults       []string
	Corrections  []correction
	Kept         []edit
	Export       string
	Confirmation string
	Undo         string
	Until        string
	Busy         string // empty unless the caller's quota is used up
	Most         int
	Days         int
	hookView
}

func (v view) When() template.HTML { return v.Row.When }

type alertRow struct {
	Route     string
	Names     string
	When      template.HTML
	Weekly    bool
	MayWeekly bool
	// The fields below are set only on the page of all alerts.
	Waits  template.HTML // the value of When without the weekday of the digest
	Cheap  template.HTML
	Edits  []edit
	In     string
	State  []string
	Paused bool
}

type edit struct{ Name, Value string }

func edits(a store.Alert, l *i18n.Language) (all []edit) {
	in, _ := fare.ParseCurrency(cmp.Or(a.Currency, euro)) // only valid codes are stored
	stated := fare.Money{Amount: cmp.Or(a.Stated, a.Threshold+a.Amount), Currency: in}
	amount := ""
	if stated.Amount > 0 {
		amount = l.Decimals(stated.Decimal())
	}
	values := map[string]string{"threshold": amount, "amount": amount, "paid": amount,
		"days": strconv.Itoa(a.Days), "percent": ""}
	if a.Percent > 0 {
		values["percent"] = strconv.Itoa(a.Percent)
	}
	for _, name := range numbersOf[a.Condition()] {
		all = append(all, edit{name, values[name]})
	}
	return all
}

func (s *Service) managed(a store.Alert, l *i18n.Language) alertRow {
	r := row(a, l)
	r.Edits, r.In = edits(a, l), sign(a.Currency)
	r.Waits, r.Cheap = notify.WaitsFor(a, l), wording.WhenCheap(l, a.Trip.From > 0)
	say := func(key string, d fare.Day) {
		r.State = append(r.State, l.Text("alerts.manage."+key, "Date", l.Date(d)))
	}
	if a.Channel == store.Webhook {
		r.State = append(r.State, l.Text("alerts.hook.heading", "Host", host(a.Address))+".")
	}
	if a.RequestDay > 0 {
		say("asked", a.RequestDay)
	}
	if a.Digest {
		r.State = append(r.State, l.Text("alerts.manage.weekly", "Weekday",
			l.Weekday(store.DigestWeekday(a.Subscriber))))
	}
	switch {
	case a.Mailed > 0 && a.State.LastPrice > 0:
		r.State = append(r.State, l.Text("alerts.manage.last_price", "Date", l.Date(a.Mailed), "Price",
			notify.AmountOf(a, a.State.LastPrice, l)))
	case a.Mailed > 0:
		say("last", a.Mailed)
	case !a.Digest:
		r.State = append(r.State, l.Text("alerts.manage.never"))
	}
	switch r.Paused = a.PausedOn(fare.DayOf(s.Now())); {
	case r.Paused && a.Paused == store.UntilResumed:
		r.State = append(r.State, l.Text("alerts.manage.paused"))
	case r.Paused:
		say("paused_until", a.Paused)
	}
	return r
}

func row(a store.Alert, l *i18n.Language) alertRow {
	r := alertRow{Route: a.Ref().String(), Names: notify.RouteName(a, l.Code)}
	if trip := notify.TripText(a.Trip, l); trip != "" {
		r.Names += ", " + trip
	}
	r.When, r.Weekly, r.MayWeekly = notify.When(a, l), a.Digest, a.MayDigest()
	return r
}

func respond(status int, block string, v view) (*page.Response, error) {
	var body bytes.Buffer
	if err := alertsHTML().ExecuteTemplate(&body, block, v); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return page.Respond(status, page.Page{Language: v.T, Title: v.T.Text("alerts." + block + ".title"),
		Body: template.HTML(body.String())})
}
