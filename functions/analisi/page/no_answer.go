package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

func (v *view) refuseCollecting(c *verdict.Collection) {
	v.notify(http.StatusNotFound, v.T.Text("refusal.collecting.title"), wording.BeforeFares(v.T, *c))
}

func (v *view) refuseNotCovered(q question, e *answer.NoAnswer) {
	v.Alert = v.alertRoute()
	switch {
	case e.Collection != nil:
		v.refuseCollecting(e.Collection)
		return
	case e.Reason == answer.NotCovered:
		v.AlertNew = true
		v.refuse(http.StatusNotFound, string(e.Reason))
		return
	}
	v.refuseFor(e)
	v.instead(q)
}

func (v *view) refuseFor(e *answer.NoAnswer) {
	v.notify(http.StatusNotFound, v.T.Text("refusal."+string(e.Reason)+".title"), published.Why(v.T, e))
}

func (v *view) refuseNoFareOn(q question, e *answer.NoAnswer) {
	l := v.T
	v.refuseFor(e)
	if ofMonth(&e.When) {
		v.Title = l.Text("refusal.no_fare_on.title_month")
	} else if e.Span != nil || e.Back != 0 {
		v.Title = l.Text("refusal.no_fare_on.title_days")
	}
	v.Notice.Title = v.Title
	v.describeUsual(e.Usual, e.Series.Trip, ofMonth(&e.When))
	v.Waits = v.waitsWithout(e)
	if v.listNear(q, e.Near); v.Notice.Near != nil {
		v.Notice.CanJudgeOwn = q.OwnPrice == "" && !e.Over
	}
	v.instead(q)
}

func ofMonth(w *answer.When) bool { return w != nil && w.Span != nil && *w.Span == departure.Month }

// If middle is set, j is about a month or, if the month has no verdict, about a departure in the
// middle of the month.
func (v *view) describeUsual(j verdict.Judgement, t fare.Trip, middle bool) {
	if !j.Verdict.Judged() {
		return
	}
	month, price, nights := v.T.MonthOf(j.Fare.Depart), v.T.About(j.Verdict.Median), nightsText(v.T, t)
	fact := v.T.Text("refusal.no_fare_on.usual_middle", "Month", month, "Nights", nights, "Price", price)
	if !middle || j.Scope == verdict.OfMonth {
		if j.Scope != verdict.OfMonth {
			month = ""
		}
		fact = v.T.Text("refusal.no_fare_on.usual", "Day", v.T.WeekdayDay(j.Fare.Depart), "Month", month, "Nights",
			nights, "Price", price)
	}
	v.Notice.Facts = append(v.Notice.Facts, fact)
}

func nightsText(l *i18n.Language, t fare.Trip) string {
	if t == fare.OneWay {
		return ""
	}
	return wording.Nights(l, t.String())
}

func (v *view) listNear(q question, near []verdict.Day) {
	if len(near) == 0 {
		return
	}
	d := &daysView{Title: v.T.Text("days.near")}
	if v.AllFares {
		d.Note = v.T.Text("days.note")
	}
	for _, one := range near {
		row := v.dayRow(one, q.linkOn(tripOn(q, one.Fare), v.AskFrom, v.AskTo))
		if one.Fare.Nights > 0 {
			row.Seen = strings.Join(nonEmpty(v.T.Count("stays.nights", int(one.Fare.Nights)), row.Seen), dot)
		}
		d.Rows = append(d.Rows, row)
	}
	v.Notice.Near = d
}

func (v *view) daysOf(out, back fare.Day) string {
	switch {
	case out == 0:
		return ""
	case back != 0:
		return v.T.Text("ask.out_and_back", "Out", v.T.WeekdayDate(out), "Back", v.T.WeekdayDate(back))
	}
	return v.T.WeekdayDate(out)
}

func (h home) showLast(ctx context.Context, v *view, asked answer.Question, e *answer.NoAnswer) {
	if !v.AllFares {
		return
	}
	all, err := h.Moves(ctx, asked, answer.Answer{SeriesData: e.SeriesData})
	if err != nil {
		h.Log.ErrorContext(ctx, "a page was shown without the last fare of its route, which could not be read", "error", err)
		return
	}
	if len(all) == 0 {
		return
	}
	last := slices.MaxFunc(all, func(a, b verdict.Live) int { return cmp.Compare(a.Found, b.Found) })
	than := ""
	if usual := e.Usual.Verdict; usual.Judged() && last.Depart == e.Date && !ofMonth(&e.When) {
		than = wording.Than(v.T, last.Price, usual.Median)
	}
	v.Notice.Facts = append(v.Notice.Facts, lastFare(v.T, last, than))
}

func (v *view) instead(q question) {
	v.Alert, q.near = v.alertRoute(), ""
	if v.ends != [...]string{string(v.route.Origin), string(v.route.Destination)} {
		v.Notice.Wider = append(v.Notice.Wider, link{wording.Sentence(v.T.Text("refusal.wider.airports")),
			q.link(v.cityQuery(v.route.Origin), v.cityQuery(v.route.Destination))})
	}
	v.widen(q, v.AskTo, anyStops, anyAirline, widening{"one_way", func(t *trip) { t.Back, t.back, t.Stay = "", 0, "" }},
		widening{"month", func(t *trip) {
			if t.Date != "" && t.Back == "" {
				t.in(t.out)
			}
		}}, anyDay)
}

type widening struct {
	said string
	drop func(*trip)
}

var (
	anyStops   = widening{"stops", func(t *trip) { t.NonStop = "" }}
	anyAirline = widening{"airlines", func(t *trip) { t.airlineChoice = airlineChoice{} }}
	anyDay     = widening{"any", func(t *trip) { t.in(0) }}
)

func (v *view) widen(q question, to string, all ...widening) {
	for _, w := range all {
		t := q.trip
		if w.drop(&t); t != q.trip {
			v.Notice.Wider = append(v.Notice.Wider,
				link{wording.Sentence(v.T.Text("refusal.wider." + w.said)), q.withChoices(q.linkOn(t, v.AskFrom, to))})
		}
	}
}
