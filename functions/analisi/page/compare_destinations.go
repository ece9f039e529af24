package page

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// A comparison with up to five other trips counts as one question.

const maxOthers = 5

type comparison struct {
	Rows []comparedTrip
}

type comparedTrip struct {
	Name, To   string
	Fare, Date string
	Difference string
}

type otherTrip struct {
	city string
	trip
	to string
}

// compareDestinations splits destinations that the reader typed as one, such as "Lisbon, Porto,
// Madrid".
func (q *question) compareDestinations() {
	if _, known := q.city(q.to); known {
		return
	}
	var typed []string
	for _, name := range places.List(q.to) {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if _, known := q.city(name); !known {
			return
		}
		typed = append(typed, name)
	}
	if len(typed) < 2 {
		return
	}
	if q.With != "" {
		typed = append(typed, q.With)
	}
	q.to, q.With = typed[0], strings.Join(typed[1:], ", ")
	q.ends[1] = answer.Name("a", q.to)
}

// If fault is not empty, it is a text for the reader, and all is nil.
func (q question) others(today fare.Day) (all []otherTrip, fault string) {
	if q.With == "" {
		return nil, ""
	}
	in := daytext.Reader{Language: q.language.Code, Today: today}
	for _, typed := range places.List(q.With) {
		typed = strings.TrimSpace(typed)
		o := otherTrip{trip: q.trip, to: q.to}
		o.With, o.OwnPrice = "", ""
		day, dayErr := in.Day(typed)
		month, monthErr := in.Month(typed)
		place, isCity := q.city(typed)
		switch {
		case typed == "":
			continue
		case isCity:
			o.city, o.to = place.Name, places.Query(place.City, place.Name)
		case dayErr == nil:
			o.moveTo(day)
		case monthErr == nil:
			o.in(month)
		default:
			return nil, q.language.Text("compare.fault", "Trip", typed)
		}
		all = append(all, o)
	}
	if len(all) > maxOthers {
		return nil, q.language.Text("compare.too_many")
	}
	return all, ""
}

// moveTo keeps the number of nights away.
func (t *trip) moveTo(day fare.Day) {
	back := fare.Day(0)
	if t.out != 0 && t.back != 0 {
		back = day + t.back - t.out
	}
	t.on(day, back)
}

func (h home) compare(ctx context.Context, q question, asked answer.Question, a answer.Answer, v *view) {
	others, _ := q.others(v.today)
	if len(others) == 0 {
		return
	}
	first := otherTrip{city: v.To, trip: q.trip, to: v.AskTo}
	first.With, first.OwnPrice = "", ""
	cities := slices.ContainsFunc(others, func(o otherTrip) bool { return o.to != q.to })
	times := slices.ContainsFunc(others, func(o otherTrip) bool { return o.trip != first.trip })
	c := &comparison{}
	for i, o := range slices.Concat([]otherTrip{first}, others) {
		when := o.text(v.T)
		o.city = cmp.Or(o.city, v.To)
		row := comparedTrip{Name: o.city, Date: when, To: q.linkOn(o.trip, v.AskFrom, o.to),
			Difference: v.T.Text("compare.none")}
		switch {
		case when != "" && !cities:
			row.Name, row.Date = when, ""
		case when != "" && times:
			row.Name, row.Date = o.city+dot+when, ""
		}
		switch {
		case i > 0:
			row = h.comparedWith(ctx, q, asked, o, v, row)
		case v.Verdict != nil:
			row = v.compared(row, asked, a.Judgement)
		case v.Returns != nil:
			row = v.comparedStay(row, v.Returns.best)
		}
		c.Rows = append(c.Rows, row)
	}
	v.Compared = c
}

func (h home) comparedWith(ctx context.Context, q question, asked answer.Question, o otherTrip, v *view,
	row comparedTrip) comparedTrip {
	other, wrong := o.read(q.language, q.currency)
	if len(wrong) > 0 {
		return row
	}
	other.From, other.To = asked.From, answer.Name("con", o.to)
	var a answer.Answer
	var stays knownStays
	err := h.Reader.Check(ctx, other)
	switch {
	case err != nil:
	case o.Stay != "":
		stays, err = h.staysOf(ctx, o.trip, other, v.AllFares)
	default:
		a, err = h.WithUsual(ctx, other)
	}
	switch {
	case answer.Why(err).Unseen():
		row.Difference = v.T.Text("refusal.not_covered.title")
	case err != nil && errors.Is(published.Problem(err), err):
		h.Log.ErrorContext(ctx, "a page was shown without one of its trips, whose fares could not be read", "error", err)
		row.Difference = v.T.Text("refusal.failed.title")
	case err == nil && o.Stay == "":
		return v.compared(row, other, a.Judgement)
	case err == nil:
		if fitting := o.fitting(stays.days); len(fitting) > 0 {
			return v.comparedStay(row, fitting[0])
		}
	}
	return row
}

func (v *view) comparedStay(row comparedTrip, d verdict.Day) comparedTrip {
	offer := d.Fare
	row.Date, row.Difference = v.daysOf(offer.Depart, offer.Return()), ""
	if offer.Price > 0 {
		row.Fare = v.T.Money(offer.Price)
		if d.Verdict.Judged() {
			row.Difference = wording.Than(v.T, offer.Price, d.Verdict.Median)
		}
	}
	return row
}

func (v *view) compared(row comparedTrip, asked answer.Question, a verdict.Judgement) comparedTrip {
	row.Fare, row.Date, row.Difference = v.T.Money(a.Fare.Price), "", v.sayingOf(asked, a).Than()
	if date := v.daysOf(a.Fare.Depart, a.Fare.Return()); !strings.Contains(row.Name, date) {
		row.Date = date
	}
	return row
}
