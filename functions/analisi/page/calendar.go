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

// calendarView shows the departures of a route month by month. Each day with a fare has its level
// and links to its question.
type calendarView struct {
	Weekdays []weekday
	Months   []calendarMonth
	Returns  bool             // it shows return fares
	Hidden   bool             // single fares may not be shown
	Around   [][7]calendarDay // the weeks of a question about some days
	Grid     *grid            // of a return: the days around both of its days
}

type weekday struct{ Short, Full string }

type calendarMonth struct {
	ID, Name, From, Days string
	Level, LevelText     string
	Open                 bool
	To                   string // the question about the month
	Weeks                [][7]calendarDay
}

// calendarDay is a cell of the calendar. A cell outside the month has no number; a day without a
// fare has no link.
type calendarDay struct {
	Number               int
	To, Fare, Level, Sub string // Sub describes the colour and the mark in words
	Unsure, Asked        bool
}

// calendarID returns the anchor of a month such as 2027-03.
func calendarID(month string) string { return "m" + month }

// showCalendar adds the calendar to a verdict. It opens the question's month, or else the month
// of the judged departure.
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
	known := map[fare.Day]calendarDay{}
	days, from, to := c.Giorni, v.shortest(v.AskFrom), v.shortest(v.AskTo)
	for i, m := range c.Mesi {
		first, err := fare.ParseDay(m.Mese + "-01")
		if err != nil {
			continue // impossible: Mese is always a month
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
			*cell = v.cellOf(g, day, q.linkOn(sameTrip(q, asked, day), from, to))
			cell.Asked = g.Partenza == date
			known[day] = *cell
		}
		month.Weeks = cells
		calendar.Months = append(calendar.Months, month)
	}
	v.Verdict.Calendar = calendar
	if w := asked.When; w != nil {
		calendar.Around = around(w, known)
		calendar.Grid = v.returnsAround(q, w, c.Giorni)
	}
}

// cellOf shows a departure in a cell that links to a question.
func (v *view) cellOf(g verdict.Giorno, day fare.Day, to string) calendarDay {
	cell := calendarDay{Number: day.Time().Day(), To: to, Level: levelClass(g.Livello),
		Sub: levelText(v.T, g.Livello, g.Affidabilita), Unsure: g.Affidabilita == verdict.Bassa}
	if g.Cent != nil {
		cell.Fare = v.T.Whole(*g.Cent)
	}
	return cell
}

// sameTrip returns the same trip on another day of departure: with as many nights away, and
// without the reader's own fare.
func sameTrip(q question, asked answer.Question, day fare.Day) trip {
	t := trip{Date: day.String(), NonStop: q.NonStop}
	if w := asked.When; w != nil && w.Back != 0 {
		t.Back = (day + w.Back - w.Date).String()
	}
	return t
}

// shortest returns a city's code if the page shows the same name for it, and otherwise the name.
// Codes keep the links of a whole year small.
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
