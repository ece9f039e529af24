package contradictions

import (
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
)

// A walk asks several questions about one departure: the route, its month, its day, the days around
// and a comparison. A fare has one difference from the usual fare of its own day on all these
// pages.

var (
	headDifference = regexp.MustCompile(`<h1>[^<]*(?:about €([0-9,]+) (less|more) than usual|` +
		`about the usual price) for`)
	ownDay      = regexp.MustCompile(`Flights like this usually cost about €[0-9,]+: (?:€([0-9,]+) (less|more)|no different)`)
	comparedRow = regexp.MustCompile(`<tr><th scope="row"><a href="[^"]*">([^<]*)</a><small>([^<]*)</small></th>` +
		`<td>€([0-9.,]+)<small>(?:€([0-9,]+) (less|more) than usual|as usual) for that day</small>`)
	numbers = regexp.MustCompile(`quando=([0-9-]+)[^>]*>[0-9]+<b>([0-9]+)</b><i>([+−]?[0-9]+)</i>`)
)

// differences maps each fare, by departure and whole price, to the differences that pages state.
type differences map[string]map[string][]string

func (d differences) add(fare, difference, page string) {
	if d[fare] == nil {
		d[fare] = map[string][]string{}
	}
	d[fare][difference] = append(d[fare][difference], page)
}

func (d differences) faults() (all []string) {
	for _, fare := range slices.Sorted(maps.Keys(d)) {
		if len(d[fare]) > 1 {
			all = append(all, fmt.Sprintf("%s differs from the usual fare of its day by %v", fare, d[fare]))
		}
	}
	return all
}

func onDay(day string, price fare.Cents) string { return fmt.Sprintf("%s at %d", day, (price+50)/100) }

// signed writes a difference as the calendar does, without a separator of thousands.
func signed(amount, direction string) string {
	amount = strings.ReplaceAll(amount, ",", "")
	switch direction {
	case "less":
		return "−" + amount
	case "more":
		return "+" + amount
	}
	return "0"
}

// read adds the differences that a page states. It returns false if a question about no single day
// names a fare without comparing it with its own day.
func (d differences) read(name, body string, a published.Analysis, dated bool) bool {
	subject := onDay(a.Prezzo.Partenza, a.Prezzo.Cent)
	days := calendar.FindString(body)
	for _, m := range numbers.FindAllStringSubmatch(days, -1) {
		d.add(m[1]+" at "+m[2], m[3], name)
	}
	for _, m := range comparedRow.FindAllStringSubmatch(strings.ReplaceAll(body, "\u00a0", " "), -1) {
		for _, said := range m[1:3] {
			day, err := time.Parse("Monday 2 January 2006", html.UnescapeString(said))
			if err != nil {
				continue
			}
			euros, cents, _ := strings.Cut(strings.ReplaceAll(m[3], ",", ""), ".")
			var price fare.Cents
			fmt.Sscanf(euros+(cents + "00")[:2], "%d", &price)
			d.add(onDay(day.Format(time.DateOnly), price), signed(m[4], m[5]), name)
			break
		}
	}
	if a.Prezzo.Dichiarato || a.Verdetto.Percentile == nil || a.Ambito == string(verdict.OfRoute) {
		return true
	}
	if dated {
		if m := headDifference.FindStringSubmatch(body); m != nil {
			d.add(subject, signed(m[1], m[2]), name)
		}
		return true
	}
	m := ownDay.FindStringSubmatch(html.UnescapeString(body))
	if m != nil {
		d.add(subject, signed(m[1], m[2]), name)
	}
	return m != nil
}

func (s *service) walk(r fare.Route, day string) {
	from, to := string(r.Origin), string(r.Destination)
	base, d, dayPage := "da="+from+"&a="+to, differences{}, "&quando="+day
	for _, page := range []struct {
		more  string
		q     url.Values
		dated bool
	}{
		{"&con=" + day, url.Values{}, false},
		{"&mese=" + day[:7] + "&con=" + day, url.Values{"mese": {day[:7]}}, false},
		{dayPage, url.Values{"partenza": {day}}, true},
		{"&quando=" + day + "&flessibile=3", url.Values{"partenza": {day}, "flessibile": {"3"}}, false},
	} {
		body := s.ask("/?" + base + page.more + "&lang=en")
		if body == "" {
			continue
		}
		page.q.Set("origine", from)
		page.q.Set("destinazione", to)
		var a published.Analysis
		if err := json.Unmarshal([]byte(s.ask("/v1/analisi?"+page.q.Encode())), &a); err != nil {
			s.t.Fatalf("%s: %v", base+page.more, err)
		}
		if !d.read(page.more, body, a, page.dated) && s.judgesDay(from, to, a.Prezzo.Partenza) {
			s.t.Errorf("page %s: its fare is not compared with the usual fare of its own day", base+page.more)
		}
	}
	// At least a headline, two rows of comparisons and a calendar state it.
	for fare, said := range d {
		for _, pages := range said {
			if strings.HasPrefix(fare, day) && slices.Contains(pages, dayPage) && len(pages) < 4 && len(said) == 1 {
				s.t.Errorf("walk over %s on %s: only %v state the difference of %s", r, day, pages, fare)
			}
		}
	}
	for _, fault := range d.faults() {
		s.t.Errorf("walk over %s on %s: %s", r, day, fault)
	}
	s.documents["walk"]++
}

func (s *service) judgesDay(from, to, day string) bool {
	q := url.Values{"origine": {from}, "destinazione": {to}, "partenza": {day}}
	var a published.Analysis
	if err := json.Unmarshal([]byte(s.ask("/v1/analisi?"+q.Encode())), &a); err != nil {
		s.t.Fatalf("departure %s: %v", day, err)
	}
	return a.Verdetto.Percentile != nil
}

func TestFaultsOfAWalkAreFound(t *testing.T) {
	percentile := 20
	a := published.Analysis{Ambito: string(verdict.OfMonth), Verdetto: published.Verdetto{Percentile: &percentile},
		Prezzo: published.Prezzo{Cent: 2199, Partenza: "2016-05-09"}}
	const head = "<h1>Good: about €8 less than usual for this route.</h1>"
	const own = "<p>Flights like this usually cost about €25: €3 less.</p>"
	const day = "<h1>Good: about €%s than usual for Monday 9 May.</h1>"
	const days = `<section class="calendar"><a href="/?quando=2016-05-09&lang=en">9<b>22</b><i>%s</i></a></section>`
	const row = `<tr><th scope="row"><a href="/">Monday 9 May 2016</a><small></small></th><td>€21.99<small>%s</small>`
	for name, c := range map[string]struct {
		route, dated string
		found        bool
	}{
		"a sound walk": {head + own + fmt.Sprintf(days, "−3") + fmt.Sprintf(row, "€3 less than usual for that day"),
			fmt.Sprintf(day, "3 less"), false},
		"no word about its own day":      {head + fmt.Sprintf(days, "−3"), fmt.Sprintf(day, "3 less"), true},
		"the day page differs":           {head + own, fmt.Sprintf(day, "4 less"), true},
		"the day page says the opposite": {head + own, fmt.Sprintf(day, "3 more"), true},
		"the calendar differs":           {head + own + fmt.Sprintf(days, "−2"), fmt.Sprintf(day, "3 less"), true},
		"the calendar calls it usual":    {head + own + fmt.Sprintf(days, "0"), fmt.Sprintf(day, "3 less"), true},
		"the comparison takes the route's": {head + own +
			fmt.Sprintf(row, "€8 less than usual for that day"), "", true},
		"thousands":                     {strings.ReplaceAll(head+own+fmt.Sprintf(days, "−1003"), "€3", "€1,003"), fmt.Sprintf(day, "1,003 less"), false},
		"the comparison calls it usual": {head + own + fmt.Sprintf(row, "as usual for that day"), "", true},
	} {
		d := differences{}
		compared := d.read("route", c.route, a, false)
		d.read("day", c.dated, a, true)
		if found := !compared || len(d.faults()) > 0; found != c.found {
			t.Errorf("%s: found %v", name, d)
		}
	}
}
