package tasks

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
)

// Lists on a page and in answers of the API become lines of text. A page shows a list correctly if
// its line equals that of the answer: complete, in order, and nothing else.

var (
	cellOf = regexp.MustCompile(`<td class="([a-z-]+)"><a href="[^"]*&quando=([0-9-]+)[^"]*"(?: ` +
		`aria-current="date")?>[0-9]*<b>([0-9]+)</b>`)
	// The months list the trips near those of the question again.
	nearTrips = regexp.MustCompile(`(?s)<h3>.*?</table>`)
	placeOf   = regexp.MustCompile(`<th scope="row"><a href="[^"]+">([^<]+)</a><small>([^<]+)</small>(?:<small>[^<]+</small>)*</th><td>` +
		`([^<]+)</td><td>(?:<span class="level ([a-z-]+)">)?`)
	movesOf = regexp.MustCompile(`(?s)<details class="fold" id="past">.*?</details>`)
	moveOf  = regexp.MustCompile(`<tr><th scope="row">([^<]+)</th><td>([0-9]+)</td><td>([^<]+)</td>`)
)

func line(name string, of []string) string { return "\n" + name + ": " + strings.Join(of, "; ") + "\n" }

// linesOf returns the text of a page, then its lists as lines.
func linesOf(page string) string {
	page = html.UnescapeString(page)
	var b strings.Builder
	b.WriteString(page)
	months := map[string][]string{}
	for _, m := range cellOf.FindAllStringSubmatch(nearTrips.ReplaceAllString(page, ""), -1) {
		month := m[2][:len("2006-01")]
		months[month] = append(months[month], fmt.Sprintf("%s at %s euro", m[2], m[3]))
	}
	for month, days := range months {
		b.WriteString(line("calendar of "+month, days))
	}
	for _, m := range placeOf.FindAllStringSubmatch(page, -1) {
		b.WriteString(line("destination "+m[1], []string{m[2], m[3], m[4]}))
	}
	var moves []string
	for _, m := range moveOf.FindAllStringSubmatch(movesOf.FindString(page), -1) {
		moves = append(moves, fmt.Sprintf("%s, %s days ahead, %s", m[1], m[2], m[3]))
	}
	b.WriteString(line("moves", moves))
	return b.String()
}

func dateOf(day string) string {
	d, err := fare.ParseDay(day)
	if err != nil {
		return day + " is no day"
	}
	return i18n.ForCode("it").WeekdayDate(d)
}

func shortDateOf(day string) string {
	d, err := fare.ParseDay(day)
	if err != nil {
		return day + " is no day"
	}
	l, t := i18n.ForCode("it"), d.Time()
	return l.Text("format.weekday_day", "Weekday", l.WeekdayShort(t.Weekday()), "Day", t.Day(), "Month",
		l.MonthShort(t.Month()))
}

func calendarDay(day string, c fare.Cents) string {
	return fmt.Sprintf("%s at %d euro", day, (c+50)/100)
}

func calendarOf(month string, days []published.Giorno) string {
	var all []string
	for _, g := range days {
		all = append(all, calendarDay(g.Partenza, *g.Cent))
	}
	return line("calendar of "+month, all)
}

// Each page on the way to a day links to the next. The last shows the level and fare of the day,
// and the same calendar month as the API.
func ofDay(day string, links ...string) func(a answer, page int) []string {
	return func(a answer, page int) []string {
		if page < len(links) {
			return []string{`href="` + links[page] + `"`}
		}
		parts := []string{calendarOf(day[:len("2006-01")], a.Giorni)}
		for _, g := range a.Giorni {
			if g.Partenza == day {
				return append(parts, `class="verdict `+g.Livello+`"`, euro(*g.Cent))
			}
		}
		return []string{day + ", which the API does not have"}
	}
}

// The page of a city's destinations judges each fare for its day.
func ofDeals(a answer, _ int) (parts []string) {
	for _, o := range a.Occasioni {
		parts = append(parts, line("destination "+places.Name(fare.City(o.DestinazioneIata), "it"),
			[]string{shortDateOf(o.Prezzo.Partenza), euro(o.Prezzo.Cent), o.Level}))
	}
	return parts
}

// ofMoves lists the earlier changes of a departure's fare.
func ofMoves(a answer, _ int) []string {
	var all []string
	for _, d := range slices.Backward(a.Partenza.Giorni) {
		all = append(all, fmt.Sprintf("%s, %d days ahead, %s", dateOf(d.Giorno), d.Anticipo, euro(d.Cent)))
	}
	return []string{`id="past"`, line("moves", all)}
}
