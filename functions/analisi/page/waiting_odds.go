package page

import (
	"cmp"

	"verdetto/shared/answer"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict/departure"
)

type waits struct {
	Answer, Advice string
	Heads          []string
	Rows           rows
}

func waitsOf(saying wording.Verdict) *waits {
	l, a := saying.Language, saying.Of
	switch {
	case a.Lead != nil && *a.Lead == 0, !a.Declared && a.Lead == nil && len(a.Forecasts) == 0:
		return nil
	case a.Declared:
		return waitsWithOwn(saying)
	case len(a.Forecasts) == 0:
		return waitsUnknown(l, cmp.Or(saying.Waiting(), l.Text("waits.unrecorded")))
	}
	w := &waits{Answer: wording.Pays(l, a), Rows: rows{{l.Text("waits.fall")}, {l.Text("waits.rise")},
		{l.Text("waits.mean")}}}
	for _, f := range a.Forecasts {
		w.Heads = append(w.Heads, l.Text("waits.within", "Days", f.Days))
		for i, cell := range []string{
			wording.Fall(l, f), wording.Percent(l, f.Rise), wording.Change(l, f.Mean),
		} {
			w.Rows[i] = append(w.Rows[i], cell)
		}
	}
	return w
}

func waitsWithOwn(saying wording.Verdict) *waits {
	l, a := saying.Language, saying.Of
	switch {
	case a.Lead == nil:
		return &waits{Answer: l.Text("pays.choose"), Advice: l.Text("waits.choose")}
	case len(a.Forecasts) == 0 && *a.Lead <= int(departure.Week.Days()):
		return waitsUnknown(l, l.Text("waits.soon"))
	case len(a.Forecasts) == 0:
		return waitsUnknown(l, l.Text("waits.unrecorded"))
	}
	return &waits{Answer: wording.Pays(l, a), Advice: wording.Record(l, a) + " " + l.Text("waits.own")}
}

func waitsUnknown(l *i18n.Language, why string) *waits {
	return &waits{Answer: l.Text("pays.unknown"), Advice: why}
}

func (v *view) waitsWithout(e *answer.NoAnswer) *waits {
	l, usual := v.T, e.Usual
	if e.Date <= v.today && !ofMonth(&e.When) {
		return nil
	}
	if !usual.Verdict.Judged() {
		return waitsUnknown(l, l.Text("waits.nothing"))
	}
	w := waitsUnknown(l, cmp.Or(wording.Advice(l, usual), l.Text("waits.unrecorded")))
	if len(usual.Forecasts) > 0 {
		w.Answer = wording.Pays(l, usual)
	}
	month := ""
	if ofMonth(&e.When) {
		month = l.MonthOf(usual.Fare.Depart)
	}
	w.Advice = l.Text("waits.usual", "Day", l.WeekdayDay(usual.Fare.Depart), "Month", month, "Nights",
		nightsText(l, e.Series.Trip), "Price", l.About(usual.Fare.Price)) + " " + w.Advice
	return w
}
