package page

import (
	"errors"
	"net/http"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// The answer to a question without a destination: where it is cheap to fly to now. It is the
// answer of GET /v1/occasioni, with the same single read, and counts as such.

type cheapView struct {
	City, Lede, First string
	Partly            bool // the question holds more than applies without a destination
	Rows              []cheapRow
	Feed              string // path
}

type cheapRow struct {
	City, To, Alert        string
	Fare, Date, Usual      string
	Level, LevelText, Sure string
}

const maxDestinations = 60

func (h home) cheap(r *http.Request, q question, asked answer.Question, v *view) {
	v.Anywhere = true
	most, ok := q.most()
	if !ok {
		v.refuseFaults(faults{"massimo": v.T.Text("ask.fault.price")})
		return
	}
	if !h.check(r, asked, v) || !h.consumeQuota(r, "occasioni", v) {
		return
	}
	from, ok := q.city(q.from)
	if !ok {
		v.refuseUnknownCity(q, from, places.Place{}, false, true)
		v.ToBad = false
		return
	}
	kind := asked.Trip
	all, err := h.DealsFrom(r.Context(), from, kind)
	problem := (*httpapi.Problem)(nil)
	if kind != fare.OneWay && errors.As(err, &problem) { // no return from there was ever observed
		kind = fare.OneWay
		all, err = h.DealsFrom(r.Context(), from, kind)
	}
	about := q.ofAnywhere(kind)
	partly := about != q.trip
	q.trip, v.Trip = about, about
	v.setRoute(q, from, nil)
	if errors.As(err, &problem) {
		v.refuse(http.StatusNotFound, "no_routes")
		return
	}
	if err != nil {
		h.refuseFailed(r, v, err)
		return
	}
	var of *fare.Day
	if asked.When != nil && kind == fare.OneWay { // deals are by month: use the month of the day
		of = &asked.When.Date
	}
	v.showCheap(q, from, published.ValidDeals(all, v.today, of, q.NonStop != ""), kind, most, h.Now())
	if v.Cheap != nil {
		v.Cheap.Partly = partly
	}
}

// showCheap lists the deals of a city and a kind of trip, up to a maximum fare. 0: any.
func (v *view) showCheap(q question, from places.Place, all []published.DestinationDeal, kind fare.Trip,
	most fare.Cents, now time.Time) {
	l := v.T
	v.Alert = string(from.City) + "-*"
	c := &cheapView{City: from.Name, Lede: l.Text("cheap.lede")}
	if m, err := time.Parse("2006-01", q.Month); err == nil {
		c.Lede = l.Text("cheap.lede_month", "Month", l.MonthOf(fare.DayOf(m)))
	}
	if kind != fare.OneWay {
		c.Lede = l.Text("cheap.lede_returns", "Nights", kind.String())
	}
	fitting := 0
	for _, d := range all {
		price, judged := d.Publish(now)
		if most > 0 && price.Cent > most {
			continue
		}
		if fitting++; fitting > maxDestinations {
			continue
		}
		name, ask, date := places.Name(d.To, l.Code), q.trip, l.Date(d.Fare.Depart)
		ask.Most = ""
		if d.Fare.Nights > 0 { // use the fare's own days: the question's days only select its class
			ask.Date, ask.Back = price.Partenza, price.Ritorno
			date = l.Text("ask.out_and_back", "Out", date, "Back", l.Date(d.Fare.Depart+fare.Day(d.Fare.Nights)))
		}
		row := cheapRow{
			City: name, To: q.linkOn(ask, v.AskFrom, places.Query(d.To, name)), Fare: l.Money(price.Cent), Date: date,
			Level: levelClass(judged.Livello), LevelText: l.Text("cheap.unknown"),
		}
		row.Alert = row.To + "#alert-title"
		if judged.Livello != verdict.Insufficient {
			row.LevelText, row.Sure = l.Text("level."+judged.Livello), l.Text("certainty."+judged.Affidabilita)
		}
		if usual, ok := d.Usual(); ok {
			row.Usual = l.Text("cheap.usual", "Price", l.Money(usual))
		}
		c.Rows = append(c.Rows, row)
	}
	switch {
	case fitting == 0 && (q.trip == trip{}):
		v.refuse(http.StatusNotFound, "no_fares")
		return
	case fitting == 0:
		v.refuse(http.StatusNotFound, "no_cheap", "City", from.Name)
		v.widerCheap(q)
		return
	case fitting > len(c.Rows):
		c.First = l.Text("cheap.first", "Shown", len(c.Rows), "All", fitting)
	}
	if v.AllFares && kind == fare.OneWay {
		c.Feed = feedPath(from.City, l)
	}
	v.Cheap = c
	v.Description = c.Lede
}

// widerCheap offers wider questions if no destination has such a fare.
func (v *view) widerCheap(q question) {
	for _, w := range []struct {
		said string
		drop func(*trip)
	}{
		{"maximum", func(t *trip) { t.Most = "" }},
		{"stops", func(t *trip) { t.NonStop = "" }},
		{"any", func(t *trip) { t.Month, t.Date, t.Back = "", "", "" }},
	} {
		t := q.trip
		if w.drop(&t); t != q.trip {
			v.Notice.Wider = append(v.Notice.Wider,
				link{v.T.Text("refusal.wider." + w.said), q.linkOn(t, v.AskFrom, "")})
		}
	}
}
