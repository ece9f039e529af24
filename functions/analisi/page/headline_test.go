package page_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/functions/analisi/analisitest"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func siteOf(s verdict.RouteSummary, day fare.Day) site {
	return openOn(day, analisitest.Site{Summaries: analisitest.Summaries{analisitest.MilBuh: s}})
}

func openOn(day fare.Day, s analisitest.Site) site {
	of := site{counters: &counters{}}
	s.Counters, s.Coverage = of.counters, milanCoverage{}
	s.Now = func() time.Time { return day.Time().Add(12 * time.Hour) }
	of.API = s.Open()
	return of
}

var (
	levelOfPage = regexp.MustCompile(`<article class="verdict ([a-z-]+)"`)
	headlineOf  = regexp.MustCompile(`<h1>([^<]*)</h1>`)
)

// headlineFault returns how the headline of an Italian page contradicts its level, or "".
func headlineFault(page string) string {
	level, headline := levelOfPage.FindStringSubmatch(page)[1], headlineOf.FindStringSubmatch(page)[1]
	said := ""
	for _, word := range wordsOf.FindAllString(strings.ToLower(headline), -1) {
		said += levelOf[word]
	}
	if said != level {
		return fmt.Sprintf("%q is the headline of a fare that is %s", headline, level)
	}
	return ""
}

var (
	wordsOf = regexp.MustCompile(`molto bassi|bassi|nella norma|alti|ottimo|buon|giusto|caro`)
	levelOf = map[string]string{"molto bassi": "ottimo", "bassi": "buono", "nella norma": "normale",
		"alti": "caro", "ottimo": "ottimo", "buon": "buono", "giusto": "normale", "caro": "caro"}
)

// agree compares headline and level on the page of a route, for several prices across its usual
// range. It returns the number of pages by level.
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
		w := of.visit(strings.TrimSuffix("/?da=MIL&a=BUH&lang=it&visto="+url.QueryEscape(price), "&visto="))
		if w.Code == 404 && price == "" {
			continue // no fare is live
		}
		if w.Code != 200 {
			t.Fatalf("visto=%s: %d", price, w.Code)
		}
		levels[levelOfPage.FindStringSubmatch(w.Body.String())[1]]++
		if fault := headlineFault(w.Body.String()); fault != "" {
			t.Errorf("visto=%s: %s", price, fault)
		}
	}
	return levels
}

// The prices are random.
func TestHeadlinesAgree(t *testing.T) {
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
	for _, level := range []string{string(verdict.Great), string(verdict.Good), string(verdict.Fair), string(verdict.Expensive)} {
		if levels[level] < 20 {
			t.Errorf("%d pages are %s", levels[level], level)
		}
	}
}
