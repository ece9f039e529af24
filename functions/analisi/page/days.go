package page

import (
	"cmp"
	"slices"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// daysView lists the cheapest departures of a question, or those around its day. Each fare is judged
// for its own day.
type daysView struct {
	Title string
	Rows  []dayRow
}

type dayRow struct{ Name, To, Seen, Fare, Level, Word string }

const maxDays = 5

func (v *view) listDays(q question, asked answer.Question, c *verdict.Calendario, linkOn func(trip) string) {
	if c == nil || !v.AllFares {
		return
	}
	w, id, first, last := asked.When, "cheapest", v.today, v.today+answer.MaxAhead
	by := func(a, b verdict.Giorno) int { return cmp.Compare(*a.Cent, *b.Cent) }
	switch {
	case w == nil:
	case w.Span != nil:
		first, last = w.Span.Ends(w.Date)
	default:
		id = "around"
		away := func(g verdict.Giorno) int {
			day, _ := fare.ParseDay(g.Partenza)
			return max(int(day-w.Date), int(w.Date-day))
		}
		by = func(a, b verdict.Giorno) int { return cmp.Compare(away(a), away(b)) }
	}
	days := slices.DeleteFunc(slices.Clone(c.Giorni), func(g verdict.Giorno) bool {
		day, err := fare.ParseDay(g.Partenza)
		return err != nil || day < first || day > last || id == "around" && day == w.Date
	})
	slices.SortStableFunc(days, by)
	days = days[:min(len(days), maxDays)]
	if id == "around" {
		slices.SortStableFunc(days, func(a, b verdict.Giorno) int { return cmp.Compare(a.Partenza, b.Partenza) })
	}
	if len(days) == 0 {
		return
	}
	d := &daysView{Title: v.T.Text("days." + id)}
	for _, g := range days {
		d.Rows = append(d.Rows, v.dayRow(g, linkOn(tripOn(q, g))))
	}
	v.Verdict.Days = d
}

func (v *view) dayRow(g verdict.Giorno, to string) dayRow {
	l := v.T
	out, _ := fare.ParseDay(g.Partenza)
	row := dayRow{Name: l.Text("format.weekday_day", "Weekday", l.WeekdayShort(out.Time().Weekday()), "Day",
		out.Time().Day(), "Month", l.Month(out.Month())), To: to, Fare: l.Money(*g.Cent), Level: levelClass(g.Livello),
		Word: l.Text("calendar.unknown")}
	if back, err := fare.ParseDay(g.Ritorno); err == nil {
		row.Name = v.shortDay(out) + " – " + v.shortDay(back)
	}
	if g.Percentile != nil {
		row.Word = wording.Level(l, g.Livello, g.Affidabilita)
	}
	if g.TrovatoIl != nil {
		row.Seen = l.Text("near.seen", "When", wording.Ago(l, int(v.today-fare.DayOf(*g.TrovatoIl))))
	}
	return row
}
