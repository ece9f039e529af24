package page

import (
	"cmp"
	"slices"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type daysView struct {
	Title, Note string
	Rows        []dayRow
}

type dayRow struct{ Name, To, Seen, Fare, Level, Word string }

const maxDays = 5

func (v *view) listDays(q question, asked answer.Question, c *verdict.Calendar, linkOn func(trip) string) {
	if c == nil || !v.AllFares {
		return
	}
	w, id, first, last := asked.When, "cheapest", v.today, v.today+answer.MaxAhead
	by := func(a, b verdict.Day) int { return cmp.Compare(a.Fare.Price, b.Fare.Price) }
	switch {
	case w == nil:
	case w.Span != nil:
		first, last = w.Span.Ends(w.Date)
	default:
		id = "around"
		away := func(d verdict.Day) fare.Day { return max(d.Fare.Depart-w.Date, w.Date-d.Fare.Depart) }
		by = func(a, b verdict.Day) int { return cmp.Compare(away(a), away(b)) }
	}
	days := slices.DeleteFunc(slices.Clone(c.Days), func(d verdict.Day) bool {
		day := d.Fare.Depart
		return day < first || day > last || id == "around" && day == w.Date
	})
	slices.SortStableFunc(days, by)
	days = days[:min(len(days), maxDays)]
	if id == "around" {
		slices.SortStableFunc(days, byDay)
	}
	if len(days) == 0 {
		return
	}
	d := &daysView{Title: v.T.Text("days." + id), Note: v.T.Text("days.note")}
	for _, one := range days {
		d.Rows = append(d.Rows, v.dayRow(one, linkOn(tripOn(q, one.Fare))))
	}
	v.Verdict.Days = d
}

func (v *view) dayRow(d verdict.Day, to string) dayRow {
	l, out := v.T, d.Fare.Depart
	row := dayRow{Name: v.dayName(out), To: to}
	if back := d.Fare.Return(); back != 0 {
		row.Name = v.shortDay(out) + " – " + v.shortDay(back)
	}
	if d.Fare.Price == 0 { // the service may not show single fares
		return row
	}
	row.Fare, row.Seen = l.Money(d.Fare.Price), v.seen(d.Fare)
	row.Level, row.Word = levelClass(d.Verdict.Level), l.Text("calendar.unknown")
	if d.Verdict.Judged() {
		row.Word = l.Text("level." + string(d.Verdict.Level))
	}
	return row
}

func (v *view) dayName(d fare.Day) string  { return v.dayIn(d, v.T.Month(d.Month())) }
func (v *view) shortDay(d fare.Day) string { return v.dayIn(d, v.T.MonthShort(d.Month())) }

func (v *view) dayIn(d fare.Day, month string) string {
	return unbroken(v.T.Text("format.weekday_day", "Weekday", v.T.WeekdayShort(d.Time().Weekday()), "Day", d.Time().Day(),
		"Month", month))
}
