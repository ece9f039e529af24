package page

import (
	"net/http"
	"strconv"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// The texts for a trip without a verdict. Each text offers other questions that have an answer.

// refuseCollecting states that the service has no fares yet, and when the first verdicts can come.
func (v *view) refuseCollecting() {
	first := v.today + verdict.MinSample
	v.refuse(http.StatusNotFound, "collecting", "First", v.T.WeekdayDate(first))
}

// refuseNotCovered states that the service has no fares for a route, or for this kind of trip on a
// route.
func (h home) refuseNotCovered(r *http.Request, q question, asked answer.Question, v *view) {
	v.Alert = v.route.String()
	switch {
	case h.Cities.Empty(r.Context()):
		v.refuseCollecting()
		return
	case asked.Trip == fare.OneWay:
		v.refuse(http.StatusNotFound, "not_covered")
		return
	}
	from, to := asked.Trip.Nights()
	v.refuse(http.StatusNotFound, "no_returns", "From", from, "To", min(to, fare.MaxNights),
		"NonStop", q.NonStop)
	v.instead(q)
}

// refuseNoFareOn states that a departure has no known fare. It links to nearby departures with a
// known fare.
func (v *view) refuseNoFareOn(q question, e *answer.NoFareOn) {
	when := v.T.Date(e.Date)
	if e.Span != nil && *e.Span == departure.Month {
		when = v.T.MonthOf(e.Date)
	} else if n, err := strconv.Atoi(q.Around); err == nil {
		when += " " + v.T.Count("form.around", n)
	}
	v.refuse(http.StatusNotFound, "no_fare_on", "When", when)
	for _, day := range e.Near {
		near := trip{Date: day.String(), NonStop: q.NonStop}
		if e.Back != 0 { // as many nights away
			near.Back = (e.Back + day - e.Date).String()
		}
		v.Notice.Links = append(v.Notice.Links, link{v.T.Date(day), q.linkOn(near, v.AskFrom, v.AskTo)})
	}
	if len(v.Notice.Links) > 0 {
		v.Notice.Label = v.T.Text("refusal.no_fare_on.near")
		v.Notice.CanJudgeOwn = q.OwnPrice == "" // departures nearby are enough to judge the reader's own price
	}
	v.instead(q)
}

// instead offers wider questions and an alert to the reader of a trip without a fare.
func (v *view) instead(q question) {
	v.Alert = v.route.String()
	wider := func(which string, t trip) {
		v.Notice.Wider = append(v.Notice.Wider,
			link{v.T.Text("refusal.wider." + which), q.linkOn(t, v.AskFrom, v.AskTo)})
	}
	if q.NonStop != "" {
		t := q.trip
		t.NonStop = ""
		wider("stops", t)
	}
	if q.Back != "" {
		t := q.trip
		t.Back = ""
		wider("one_way", t)
	}
	if q.Date != "" && q.Back == "" {
		t := q.trip
		t.Month, t.Date, t.Around = q.Date[:len("2006-01")], "", ""
		wider("month", t)
	}
	if q.Date != "" || q.Month != "" {
		t := q.trip
		t.Date, t.Around, t.Month, t.Back = "", "", "", ""
		wider("any", t)
	}
}
