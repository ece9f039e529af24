package page

import (
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// calendarView is the departures of a route as they are shown: month by month, each
// day that has a fare in its level and leading to its question.
type calendarView struct {
	Weekdays []weekday
	Months   []calendarMonth
	Returns  bool // it is of return fares
	Hidden   bool // fares may not be shown one by one
}

type weekday struct{ Short, Full string }

type calendarMonth struct {
	ID, Name, From, Days string
	Level, LevelText     string
	Open                 bool
	To                   string // the question about the month
	Weeks                [][7]calendarDay
}

// calendarDay is a cell of the calendar: of another month where it has no number, without a fare
// where it leads nowhere.
type calendarDay struct {
	Number               int
	To, Fare, Level, Sub string // Sub says in words what the colour and the mark say
	Unsure, Asked        bool
}

// calendarID names the table of a month, such as 2027-03, for links to it.
func calendarID(month string) string { return "m" + month }

// showCalendar puts the calendar beside a verdict. What is open is the month that was
// asked about, or else that of the judged departure.
func (v *view) showCalendar(q question, asked answer.Question, a verdict.Analysis, c *verdict.Calendario) {
	if c == nil {
		return
	}
	l := v.T
	calendar := &calendarView{Returns: asked.Trip != fare.OneWay, Hidden: !v.AllFares}
	for i := range 7 { // weeks begin on Monday
		day := time.Weekday((i + 1) % 7)
		calendar.Weekdays = append(calendar.Weekdays, weekday{l.WeekdayShort(day), l.Weekday(day)})
	}
	open, date := a.Prezzo.Partenza, ""
	if asked.When != nil {
		open = asked.When.Date.String()
		if asked.When.Span == nil {
			date = open
		}
	}
	days, from, to := c.Giorni, v.shortest(v.AskFrom), v.shortest(v.AskTo)
	for i, m := range c.Mesi {
		first, err := fare.ParseDay(m.Mese + "-01")
		if err != nil {
			continue // it is ours, and has one
		}
		month := calendarMonth{
			ID: calendarID(m.Mese), Name: l.MonthOf(first),
			From:  l.Text("calendar.from", "Price", l.Money(wording.Whole(m.MinimoCent))),
			Days:  l.Count("calendar.days", m.Giorni),
			Level: levelClass(m.Livello), LevelText: levelText(l, m.Livello, m.Affidabilita),
			Open: m.Mese == open[:min(len("2006-01"), len(open))] || open == "" && i == 0,
			To:   q.linkOn(trip{Month: m.Mese, NonStop: q.NonStop}, v.AskFrom, v.AskTo),
		}
		cells := weeksOf(first)
		for ; len(days) > 0 && days[0].Partenza[:len("2006-01")] == m.Mese; days = days[1:] {
			g := days[0]
			day, err := fare.ParseDay(g.Partenza)
			if err != nil {
				continue
			}
			cell := at(cells, day)
			cell.To = q.linkOn(sameTrip(q, asked, day), from, to)
			cell.Level, cell.Sub, cell.Unsure, cell.Asked = levelClass(g.Livello),
				levelText(l, g.Livello, g.Affidabilita), g.Affidabilita == verdict.Bassa, g.Partenza == date
			if g.Cent != nil {
				cell.Fare = l.Whole(*g.Cent)
			}
		}
		month.Weeks = cells
		calendar.Months = append(calendar.Months, month)
	}
	v.Verdict.Calendar = calendar
}

// sameTrip is the trip that was asked about, on another day of departure: as many nights away, and
// no fare of the reader's.
func sameTrip(q question, asked answer.Question, day fare.Day) trip {
	t := trip{Date: day.String(), NonStop: q.NonStop}
	if w := asked.When; w != nil && w.Back != 0 {
		t.Back = (day + w.Back - w.Date).String()
	}
	return t
}

// shortest is a city's code, where that says no less than what it was asked for
// by: a year of links weighs less with it.
func (v *view) shortest(name string) string {
	if p, ok := places.Find(name); ok {
		if city, ok := places.Get(p.City); ok && city.NameIn(v.T.Code) == name {
			return string(p.City)
		}
	}
	return name
}

func weeksOf(first fare.Day) (weeks [][7]calendarDay) {
	for day := first; day.Month() == first.Month(); day++ {
		if day == first || day.Time().Weekday() == time.Monday {
			weeks = append(weeks, [7]calendarDay{})
		}
		at(weeks, day).Number = day.Time().Day()
	}
	return weeks
}

func at(weeks [][7]calendarDay, day fare.Day) *calendarDay {
	t := day.Time()
	column := int(t.Weekday()+6) % 7
	return &weeks[(t.Day()-1+(column+35-(t.Day()-1))%7)/7][column]
}

func levelClass(level string) string {
	if level == verdict.Insufficient {
		return "unknown"
	}
	return level
}

func levelText(l *i18n.Language, level, reliability string) string {
	switch {
	case level == verdict.Insufficient:
		return l.Text("calendar.unknown")
	case reliability == verdict.Bassa:
		return l.Text("calendar.unsure", "Level", l.Text("level."+level))
	}
	return l.Text("level." + level)
}
