package page

import (
	"context"
	"time"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

const fewSightings = 4

// If the fare history cannot be read, the page shows the verdict without the history.
func (h home) showMoves(ctx context.Context, v *view, asked answer.Question, a answer.Answer) {
	l := v.T
	m := &pastView{Title: l.Text("moves.title"), Note: l.Text("moves.note"),
		Heads: []string{l.Text("moves.day"), l.Text("moves.ahead"), l.Text("moves.fare")}}
	v.Verdict.Past = m
	if !v.AllFares {
		m.Text = l.Text("problem.code.tariffe-non-mostrate")
		return
	}
	all, err := h.Moves(ctx, asked, a)
	if err != nil {
		h.Log.ErrorContext(ctx, "a page was shown without the earlier prices of a fare, which could not be read", "error", err)
		m.Text = l.Text("moves.failed")
		return
	}
	from := fare.CycleOf(v.today).First() - 7*(published.FreeWeeks-1)
	c := chart.History{Today: v.today, Price: l.Convert(a.Judgement.Fare.Price), Money: l.InUnits, Month: l.MonthShort}
	var low, high, last verdict.Live
	for _, one := range all {
		day := fare.DayOf(time.Unix(one.Found, 0))
		if day < from {
			continue
		}
		if len(c.Days) == 0 {
			low, high = one, one
		}
		if last = one; one.Price < low.Price {
			low = one
		} else if one.Price > high.Price {
			high = one
		}
		c.Days = append(c.Days, chart.DayPrice{Day: day, Price: l.Convert(one.Price)})
		m.Rows = append(rows{{l.WeekdayDate(day), l.Number(int(one.Depart - day)), l.Money(one.Price)}}, m.Rows...)
	}
	if len(c.Days) == 0 {
		m.Text = l.Text("moves.none")
		return
	}
	id := "between"
	if len(c.Days) == 1 {
		id = "once"
	} else if low.Price == high.Price {
		id = "same"
	}
	m.Answer = between(l, low.Price, high.Price)
	m.Text = l.Text("moves."+id, "Days", l.Number(len(c.Days)), "Since", l.WeekdayDate(c.Days[0].Day), "Low",
		l.Money(low.Price),
		"High", l.Money(high.Price), "Last", l.Money(last.Price), "Day", l.WeekdayDate(c.Days[len(c.Days)-1].Day))
	if v.Verdict.addLast(l, a.Judgement, last); len(c.Days) < fewSightings {
		return // a line between so few points would suggest a trend
	}
	c.Label = m.Text
	m.Chart = c.SVG()
}

func (j *verdictView) addLast(l *i18n.Language, a verdict.Judgement, last verdict.Live) {
	if a.Declared && a.Known == nil {
		amount, sign := l.Apart(last.Price, a.Fare.Price)
		than := l.Text("refusal.no_fare_on.last_"+wording.Direction(sign), "Amount", amount)
		j.Facts = append(j.Facts, lastFare(l, last, than))
	}
}

func lastFare(l *i18n.Language, last verdict.Live, comparison string) string {
	back := ""
	if day := last.Return(); day != 0 {
		back = l.WeekdayDate(day)
	}
	return l.Text("refusal.no_fare_on.last", "Price", l.Money(last.Price), "Departure",
		l.WeekdayDate(last.Depart), "Back", back, "Day", l.WeekdayDate(last.FoundDay()), "Than", comparison)
}
