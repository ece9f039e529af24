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
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/page"
)

type calendarView struct {
	Weekdays []weekday
	Months   []calendarMonth
	Days     int
	Known    string
	Returns  string
	Hidden   bool
	Around   weeks
	Grid     *grid
}

type weekday struct{ Short, Full string }

type calendarMonth struct {
	ID, Name, From, Days string
	Open                 bool
	To                   string
	Weeks                weeks
	Grid                 *grid
}

type calendarDay struct {
	Number          int
	To, Fare, Class string
	Sub             template.HTML
	Selected        bool
}

type weeks [][7]calendarDay

// HTML uses no template, because templates are slow for hundreds of cells: see
// TestProveWeeksWithoutTemplate.
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
	b.WriteString(`<td class="` + c.Class + `"><a href="` + page.Escape.Replace(c.To) + `"` + selected + ">" +
		number + "<b>" + c.Fare + "</b><i>" + string(c.Sub) + "</i></a>")
}

func calendarID(of fare.Day) string { return "m" + monthIn(of) }

// showCalendar opens the calendar at the question's month, or else at the month of the judged
// departure.
func (v *view) showCalendar(q question, asked answer.Question, a verdict.Judgement, c *verdict.Calendar,
	linkOn func(trip) string) {
	if c == nil {
		return
	}
	l := v.T
	calendar := &calendarView{Days: verdict.LiveDays, Hidden: !v.AllFares}
	if asked.Trip != fare.OneWay {
		calendar.Returns = l.Text("calendar.returns", "Nights", wording.NightRange(asked.Trip.String()),
			"Days", verdict.LiveDays)
	}
	for i := range 7 {
		day := time.Weekday((i + 1) % 7)
		calendar.Weekdays = append(calendar.Weekdays, weekday{l.WeekdayShort(day), l.Weekday(day)})
	}
	open, date := a.Fare.Depart, fare.Day(0)
	if asked.When != nil {
		open = asked.When.Date
		if asked.When.Span == nil {
			date = open
		}
	}
	begin, end := monthsIn(c.Months, open, asked.Trip)
	known := map[fare.Day]calendarDay{}
	left := c.Days
	for i, m := range c.Months {
		first, last := departure.Month.Ends(m.Fare.Depart)
		ask := trip{Stay: q.inMonth(first).Stay, NonStop: q.NonStop, airlineChoice: q.airlineChoice}
		ask.in(first)
		month := calendarMonth{
			ID: calendarID(first), Name: l.MonthOf(first),
			From: l.Text("calendar.month", "Price", l.About(m.Fare.Price)), Days: l.Count("calendar.days", m.Departures),
			Open: first <= open && open <= last || open == 0 && i == 0,
			To:   linkOn(ask),
		}
		shown := i >= begin && i < end
		if shown {
			month.Weeks = weeksOf(first)
		}
		days := left
		for ; len(left) > 0 && left[0].Fare.Depart <= last; left = left[1:] {
			if !shown {
				continue
			}
			day := left[0].Fare.Depart
			cell := dayCell(month.Weeks, day)
			*cell = v.cellOf(left[0], linkOn(tripOn(q, left[0].Fare)))
			cell.Selected = day == date
			known[day] = *cell
		}
		if shown && asked.Trip != fare.OneWay {
			month.Grid = v.returnsIn(q, asked, first, days[:len(days)-len(left)])
		}
		calendar.Months = append(calendar.Months, month)
	}
	calendar.Known = l.Count("calendar.days", len(c.Days))
	v.Verdict.Calendar = calendar
	if w := asked.When; w != nil {
		calendar.Around = around(w, known)
		calendar.Grid = v.returnsAround(q, w, c.Days)
	}
}

func (v *view) cellOf(d verdict.Day, to string) calendarDay {
	cell := calendarDay{Number: d.Fare.Depart.Time().Day(), To: to}
	if d.Fare.Price > 0 {
		cell.Fare = v.T.Whole(d.Fare.Price)
	}
	cell.compare(v.T, d)
	return cell
}

// A calendar shows the days of at most monthsShown or returnsShown months. Other months are links.
const (
	monthsShown  = 7
	returnsShown = 3 // fewer than monthsShown, because a month of returns has several cells for each day
)

// The result end can exceed the number of months.
func monthsIn(all []verdict.CalendarMonth, open fare.Day, kind fare.Trip) (first, end int) {
	shown := monthsShown
	if kind != fare.OneWay {
		shown = returnsShown
	}
	isOpen := func(m verdict.CalendarMonth) bool { return monthIn(m.Fare.Depart) == monthIn(open) }
	opened := max(0, slices.IndexFunc(all, isOpen))
	first = max(0, min(opened-shown/2, len(all)-shown))
	return first, first + shown
}

// tripOn omits the price that the reader entered, because the price belongs to the requested trip.
func tripOn(q question, l verdict.Live) trip {
	t := trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}
	t.on(l.Depart, l.Return())
	return t
}

func monthIn(d fare.Day) string { return d.String()[:len("2006-01")] }

// shortest returns the city's code if query is the name under which the page shows the city, and
// otherwise query. Codes are shorter than names, and a calendar has many links.
func (v *view) shortest(city fare.City, query string) string {
	if p, ok := places.Get(city); ok && named(p, v.T).Name == query {
		return string(city)
	}
	return query
}

func weeksOf(first fare.Day) weeks {
	all := make(weeks, 0, 6)
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

func levelClass(level verdict.Level) string {
	if level == verdict.Unjudged {
		return "unknown"
	}
	return string(level)
}

var classOfLevel = map[verdict.Level]string{verdict.Great: "less", verdict.Good: "less", verdict.Fair: "same",
	verdict.Expensive: "more", verdict.Unjudged: "unknown"}

func (c *calendarDay) compare(l *i18n.Language, d verdict.Day) {
	price, judged := d.Fare.Price, d.Verdict
	c.Class = classOfLevel[judged.Level]
	if !judged.Judged() {
		c.Sub = l.HTML("calendar.unknown")
		return
	}
	if c.Sub = template.HTML(wording.Signed(l, price, judged.Median)); price == 0 {
		c.Sub = l.HTML("level." + string(judged.Level))
	}
}
