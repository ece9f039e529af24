package page_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// siteOf returns the page over the route from Milan to Bucharest, as of a day.
func siteOf(s verdict.RouteSummary, day fare.Day) site {
	return openOn(day, analisitest.Site{Summaries: analisitest.Summaries{analisitest.MilBuh: s}})
}

// openOn returns a site as of a day.
func openOn(day fare.Day, s analisitest.Site) site {
	of := site{counters: &counters{}}
	s.Counters, s.Coverage = of.counters, milanCoverage{}
	s.Now = func() time.Time { return day.Time().Add(12 * time.Hour) }
	of.API = s.Open()
	return of
}

var (
	levelOfPage = regexp.MustCompile(`<article class="verdict ([a-z-]+)"`)
	svgOf       = regexp.MustCompile(`(?s)<svg class="chart (scale|history)" viewBox="0 0 ([0-9]+) [0-9]+".*?</svg>`)
	box         = regexp.MustCompile(`<rect class="(?:zone|band) ([a-z]+)" x="([-0-9.]+)" y="([-0-9.]+)" ` +
		`width="([-0-9.]+)" height="([-0-9.]+)"/>`)
	dotOf    = regexp.MustCompile(`<circle class="today[^"]*" cx="([-0-9.]+)" cy="([-0-9.]+)"`)
	needleOf = regexp.MustCompile(`<path class="needle" d="M([-0-9.]+) `)
	nameOf   = regexp.MustCompile(`<text class="name"[^>]*>([^<]*)</text>`)
)

func number(t *testing.T, s string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// contradictions checks the charts of a page against its level. It finds charts that show today's
// fare on another level or on none, and scales that do not name the level. It also returns the
// number of charts.
func contradictions(t *testing.T, page string) (level string, found []string, charts int) {
	t.Helper()
	level = levelOfPage.FindStringSubmatch(page)[1]
	for _, m := range svgOf.FindAllStringSubmatch(page, -1) {
		svg, kind := m[0], m[1]
		charts++
		on := ""
		for _, b := range box.FindAllStringSubmatch(svg, -1) {
			x, y, w, h := number(t, b[2]), number(t, b[3]), number(t, b[4]), number(t, b[5])
			var inside bool
			if kind == "scale" {
				at := min(number(t, needleOf.FindStringSubmatch(svg)[1]), number(t, m[2])-2.1)
				inside = x <= at && at <= x+w
			} else {
				dot := dotOf.FindStringSubmatch(svg)
				cy := number(t, dot[2])
				inside = y <= cy-6.9 && cy+6.9 <= y+h // all of the dot
			}
			if inside {
				on += b[1]
			}
		}
		if on != level {
			found = append(found, fmt.Sprintf("the %s of a fare that is %s shows it on %q", kind, level, on))
		}
		var names []string
		for _, n := range nameOf.FindAllStringSubmatch(svg, -1) {
			names = append(names, n[1])
		}
		if kind == "scale" && !slices.Contains(names, level) {
			found = append(found, fmt.Sprintf("the scale of a fare that is %s names %v", level, names))
		}
		for _, n := range names {
			if !strings.Contains(svg, ` `+n+`"`) {
				found = append(found, fmt.Sprintf("the %s names %s and has no room for it", kind, n))
			}
		}
	}
	return level, found, charts
}

// agree judges prices across the range of a route, and compares every page's charts with its
// headline. It returns the number of pages of each level.
func agree(t *testing.T, s verdict.RouteSummary, day fare.Day, prices int) map[string]int {
	t.Helper()
	levels := map[string]int{}
	low, high := s.Euro(s.Lows[0].Price)*9/10, s.Euro(s.Lows[len(s.Lows)-1].Price)*11/10+100
	asked := []string{""}
	for i := range prices {
		asked = append(asked, fmt.Sprintf("%.2f", float64(low+(high-low)*fare.Cents(i)/fare.Cents(prices))/100))
	}
	for i := 0; i < len(s.Lows); i += max(1, len(s.Lows)/prices) { // observed prices, with ties
		asked = append(asked, fmt.Sprintf("%.2f", float64(s.Euro(s.Lows[i].Price))/100))
	}
	of := siteOf(s, day)
	for _, price := range asked {
		w := of.visit("/?da=MIL&a=BUH&lang=it&visto=" + url.QueryEscape(price))
		if w.Code == 404 && price == "" {
			continue // no fare is live
		}
		level, found, charts := contradictions(t, w.Body.String())
		if w.Code != 200 || charts != 4 {
			t.Fatalf("visto=%s: %d, %d charts", price, w.Code, charts)
		}
		levels[level]++
		for _, f := range found {
			t.Errorf("visto=%s: %s", price, f)
		}
	}
	return levels
}

// TestChartsAgree: no chart shows another level than the headline, for any prices and questions.
func TestChartsAgree(t *testing.T) {
	d := fare.DayOf(analisitest.Today)
	levels := map[string]int{}
	for seed := range uint64(24) {
		chance := rand.New(rand.NewPCG(seed, 1))
		var all []fare.Observation
		price := 3000.
		for ago := fare.Day(8 + chance.IntN(300)); ago >= 0; ago-- {
			switch seed % 6 {
			case 0: // it never moves
			case 1: // a floor with some exceptions
				price = 1999 + float64(chance.IntN(3)/2*500)
			case 2: // few prices
				price = float64(2000 + 1000*chance.IntN(3))
			case 3: // it rises, so that the past was cheaper
				price += 15
			case 4: // it falls
				price = max(500, price-10)
			case 5: // it wanders
				price = max(500, price*(.9+.2*chance.Float64()))
			}
			all = append(all, fare.Observation{Found: (d - ago).Time().Unix() + 3600, Depart: d + 9,
				Price: fare.Cents(price)})
		}
		for level, n := range agree(t, verdict.Build(all, verdict.RouteSummary{}, d, verdict.Options{}), d, 12) {
			levels[level] += n
		}
	}
	t.Logf("pages by level: %v", levels)
	for _, level := range []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro} {
		if levels[level] < 20 {
			t.Errorf("%d pages are %s", levels[level], level)
		}
	}
}
