package page

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// calendarView shows the departures of a route month by month. Each day with a fare links to its
// page, and shows the difference from its usual fare.
type calendarView struct {
	Weekdays []weekday
	Months   []calendarMonth
	Days     int    // the greatest age of its fares
	Known    string // how many days have a fare
	Returns  string // of returns: how to read their tables; empty: one-way fares
	Hidden   bool   // single fares may not be shown
	Around   weeks  // of a question about some days
	Grid     *grid  // of a return: the known fares around both of its days
}

type weekday struct{ Short, Full string }

type calendarMonth struct {
	ID, Name, From, Days string
	Open                 bool
	To                   string // the question about the month
	Weeks                weeks
	Grid                 *grid // of returns, instead of weeks
}

// A calendarDay outside the month has no number, and a day without a fare no link.
type calendarDay struct {
	Number          int
	To, Fare, Class string
	Sub             template.HTML // the colour and the mark in words, or the difference from the usual fare
	Selected        bool
}

// weeks run from Monday to Sunday.
type weeks [][7]calendarDay

// A template takes ten times as long, and a page has hundreds of cells.
func (w weeks) HTML() template.HTML {
	var b strings.Builder
	for _, week := range w {
		b.WriteString("<tr>")
		for _, day := range week {
			number := ""
			if day.Number != 0 {
				number = strconv.Itoa(day.Number)
			}
			day.write(&b, number, number)
		}
		b.WriteByte('\n')
	}
	return template.HTML(b.String())
}

func (c calendarDay) write(b *strings.Builder, number, empty string) {
	if c.To == "" {
		b.WriteString("<td>" + empty)
		return
	}
	selected := ""
	if c.Selected {
		selected = ` aria-current="date"`
	}
	b.WriteString(`<td class="` + c.Class + `"><a href="` + escape.Replace(c.To) + `"` + selected + ">" +
		number + "<b>" + c.Fare + "</b><i>" + string(c.Sub) + "</i></a>")
}

func calendarID(month string) string { return "m" + month }

func (v *view) newCalendar(asked answer.Question) *calendarView {
	l := v.T
	calendar := &calendarView{Days: verdict.LiveDays, Hidden: !v.AllFares}
	if asked.Trip != fare.OneWay {
		calendar.Returns = l.Text("calendar.returns", "Nights", wording.NightRange(asked.Trip.String()),
			"Days", verdict.LiveDays)
	}
	for i := range 7 { // weeks begin on Monday
		day := time.Weekday((i + 1) % 7)
		calendar.Weekdays = append(calendar.Weekdays, weekday{l.WeekdayShort(day), l.Weekday(day)})
	}
	return calendar
}

// showCalendar opens the calendar at the question's month, or else at that of the judged departure.
func (v *view) showCalendar(q question, asked answer.Question, a verdict.Analysis, c *verdict.Calendario,
	linkOn func(trip) string) {
	if c == nil {
		return
	}
	l, calendar := v.T, v.newCalendar(asked)
	open, date := a.Prezzo.Partenza, ""
	if asked.When != nil {
		open = asked.When.Date.String()
		if asked.When.Span == nil {
			date = open
		}
	}
	begin, end := monthsIn(c.Mesi, open, asked.Trip)
	known := map[fare.Day]calendarDay{}
	left, number := c.Giorni, 0
	for i, m := range c.Mesi {
		first, err := fare.ParseDay(m.Mese + "-01")
		if err != nil {
			continue // impossible: Mese is always a month
		}
		month := calendarMonth{
			ID: calendarID(m.Mese), Name: l.MonthOf(first),
			From: l.Text("calendar.month", "Price", l.About(m.MinimoCent)), Days: l.Count("calendar.days", m.Giorni),
			Open: strings.HasPrefix(open, m.Mese) || open == "" && i == 0,
			To: linkOn(trip{Month: m.Mese, Stay: q.inMonth(m.Mese).Stay, NonStop: q.NonStop,
				airlineChoice: q.airlineChoice}),
		}
		shown := i >= begin && i < end
		if shown {
			month.Weeks = weeksOf(first)
		}
		of := left
		number += m.Giorni
		for ; len(left) > 0 && strings.HasPrefix(left[0].Partenza, m.Mese); left = left[1:] {
			g := left[0]
			day, err := fare.ParseDay(g.Partenza)
			if err != nil || !shown {
				continue
			}
			cell := dayCell(month.Weeks, day)
			*cell = v.cellOf(g, day, linkOn(tripOn(q, g)))
			cell.Selected = g.Partenza == date
			known[day] = *cell
		}
		if shown && asked.Trip != fare.OneWay {
			month.Grid = v.returnsIn(q, asked, first, of[:len(of)-len(left)])
		}
		calendar.Months = append(calendar.Months, month)
	}
	calendar.Known = l.Count("calendar.days", number)
	v.Verdict.Calendar = calendar
	if w := asked.When; w != nil {
		calendar.Around = around(w, known)
		calendar.Grid = v.returnsAround(q, w, c.Giorni)
	}
}

func (v *view) cellOf(g verdict.Giorno, day fare.Day, to string) calendarDay {
	cell := calendarDay{Number: day.Time().Day(), To: to}
	if g.Cent != nil {
		cell.Fare = v.T.Whole(*g.Cent)
	}
	cell.compare(v.T, g)
	return cell
}

// A calendar shows the days of the open month and of the months around it, as many as monthsShown
// or returnsShown in all. The other months are links.
const (
	monthsShown  = 7
	returnsShown = 3 // a month of returns has several cells for each day
)

// monthsIn returns the indices of the first month whose days a calendar shows, and of the month
// after the last. Without a day or month in open, the first month is open.
func monthsIn(all []verdict.MeseInCalendario, open string, of fare.Trip) (first, end int) {
	shown := monthsShown
	if of != fare.OneWay {
		shown = returnsShown
	}
	isOpen := func(m verdict.MeseInCalendario) bool { return strings.HasPrefix(open, m.Mese) }
	opened := max(0, slices.IndexFunc(all, isOpen))
	first = max(0, min(opened-shown/2, len(all)-shown))
	return first, first + shown
}

// tripOn returns the trip of a known fare, with the fare's days. It omits the price that the reader
// entered, which is only about the requested trip.
func tripOn(q question, g verdict.Giorno) trip {
	return trip{Date: g.Partenza, Back: g.Ritorno, NonStop: q.NonStop, airlineChoice: q.airlineChoice}
}

// shortest returns a city's code if the page shows the city under this name, and otherwise the
// name. Codes keep a page small that has a link for each day of a year.
func (v *view) shortest(name string) string {
	if p, ok := places.Find(name); ok {
		if city, ok := places.Get(p.City); ok && city.NameIn(v.T.Code) == name {
			return string(p.City)
		}
	}
	return name
}

func weeksOf(first fare.Day) (all weeks) {
	for day := first; day.Month() == first.Month(); day++ {
		if day == first || day.Time().Weekday() == time.Monday {
			all = append(all, [7]calendarDay{})
		}
		dayCell(all, day).Number = day.Time().Day()
	}
	return all
}

func dayCell(weeks weeks, day fare.Day) *calendarDay {
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

// classOfLevel is the colour and the mark of a calendar cell, by the level that the departure's
// page states.
var classOfLevel = map[string]string{verdict.Ottimo: "less", verdict.Buono: "less", verdict.Normale: "same",
	verdict.Caro: "more", verdict.Insufficient: "unknown"}

func (c *calendarDay) compare(l *i18n.Language, g verdict.Giorno) {
	c.Class = classOfLevel[g.Livello]
	if g.Percentile == nil {
		c.Sub = l.HTML("calendar.unknown")
		return
	}
	switch {
	case g.Cent == nil:
		c.Sub = l.HTML("calendar." + c.Class)
	case wording.Sign(l, g.Livello, *g.Cent, *g.MedianaCent) == 0:
		c.Sub = "0"
	default:
		c.Sub = template.HTML(l.Signed(*g.Cent, *g.MedianaCent)) // a number: nothing to escape
	}
}
