package page

import (
	"context"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/wording"
)

// The fares of places nearby are on a page of their own. Opening that page counts as a question.

type nearView struct {
	To   string
	Line string
	Rows []comparedTrip
}

func (h home) showNear(ctx context.Context, q question, asked answer.Question, price fare.Cents, v *view) {
	l := v.T
	v.Near = &nearView{}
	if q.near == "" {
		q.near = "si"
		v.Near.To = q.withChoices(q.link(v.AskFrom, v.AskTo)) + "#vicini"
		return
	}
	found, err := h.Reader.Nearby(ctx, asked)
	switch {
	case err != nil:
		h.Log.ErrorContext(ctx, "a page was shown without the places nearby, whose fares could not be read", "error", err)
		v.Near.Line = l.Text("moves.failed")
		return
	case len(found) == 0:
		v.Near.Line = l.Text("near.none")
		return
	}
	for _, n := range found {
		v.Near.Rows = append(v.Near.Rows, v.nearRow(q, n, price))
	}
	first := v.Near.Rows[0]
	text := first.Difference
	if price == 0 {
		text = first.Fare
	} else if _, sign := l.Apart(found[0].Judgement.Fare.Price, price); sign > 0 {
		v.Near.Line = l.Text("near.dearer")
		return
	}
	v.Near.Line = wording.Sentence(first.Name+l.Text("format.colon")+" "+text) + "."
}

func (v *view) nearRow(q question, n answer.Neighbour, price fare.Cents) comparedTrip {
	l, offer := v.T, n.Judgement.Fare
	place := named(n.Place, l)
	id, from, to := "near.from", place.Query(), v.cityQuery(v.route.Destination)
	if n.Arrival {
		id, from, to = "near.to", v.cityQuery(v.route.Origin), place.Query()
	}
	t := q.trip
	t.With = ""
	row := comparedTrip{Name: l.Text(id, "City", place.Name), To: q.linkOn(t, from, to), Fare: l.Money(offer.Price)}
	row.Date = l.Text("near.km", "Km", l.Number(n.Km), "Days", v.daysOf(offer.Depart, offer.Return()), "Seen", v.seen(offer))
	if price != 0 {
		amount, sign := l.Apart(offer.Price, price)
		row.Difference = l.Text("near."+wording.Direction(sign), "Amount", amount)
	}
	return row
}

func (v *view) cityQuery(c fare.City) string {
	p, _ := places.Get(c)
	return named(p, v.T).Query()
}
