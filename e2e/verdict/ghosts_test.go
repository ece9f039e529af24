package verdict

import (
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

// Every route of a recorded weekly panel is judged on every Monday from February on. On routes
// whose cheapest quote never changed, the verdict must be normale or too little data. Prices
// converted at each day's rates would give other verdicts there.
func TestExchangeRatesMakeNoVerdicts(t *testing.T) {
	t.Parallel()
	file := filepath.Join(testenv.Data(t), "fares", "eu_wizzair_weekly.csv.gz")
	panel, _, err := onemachine.OpenPanel(file, "", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	origins, err := panel.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	quoted := map[fare.Route][]fare.Observation{}
	last := fare.Day(0)
	for _, origin := range origins {
		answer, err := panel.Fares(t.Context(), origin, time.Time{}, time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range answer.Fares {
			quoted[f.Route] = append(quoted[f.Route], f.Observation)
			last = max(last, f.FoundDay())
		}
	}
	asQuoted, converted := 0, 0
	still, verdicts, judged := 0, 0, 0
	monday := fare.DayOf(time.Date(2016, 2, 1, 0, 0, 0, 0, time.UTC))
	for ; monday <= last+6; monday += 7 {
		rates := ecb.Table().RatesOn(monday)
		for route, all := range quoted {
			var known, inEuro []fare.Observation
			for _, o := range all {
				if o.FoundDay() > monday {
					continue
				}
				known = append(known, o)
				cents, ok := ecb.Table().RatesOn(o.FoundDay()).Euro(float64(o.Price)/100, o.Currency.String())
				if !ok {
					t.Fatalf("%s: no rate of %s", route, o.Currency)
				}
				o.Price, o.Currency = cents, fare.EUR
				inEuro = append(inEuro, o)
			}
			a, ok := verdict.Judge(verdict.Build(known, verdict.RouteSummary{}, monday,
				verdict.Options{Rates: rates}), monday.Time().Add(12*time.Hour))
			if !ok {
				continue
			}
			judged++
			if says(a) {
				verdicts++
			}
			if !standsStill(known) {
				continue
			}
			still++
			if says(a) {
				asQuoted++
				t.Errorf("%s is %s on %s, at %v that never changed", route, a.Verdetto.Livello, monday,
					a.Prezzo.Quotato)
			}
			if b, ok := verdict.Judge(verdict.Build(inEuro, verdict.RouteSummary{}, monday, verdict.Options{}),
				monday.Time().Add(12*time.Hour)); ok && says(b) {
				converted++
			}
		}
	}
	t.Logf("%d routes, %d judged on Mondays, %d verdicts other than normale; quotes that never changed: %d, of which not normale %d; converted at each day's rates: %d",
		len(quoted), judged, verdicts, still, asQuoted, converted)
	if still == 0 || verdicts == 0 || converted == 0 {
		t.Error("the panel shows nothing")
	}
}

func says(a verdict.Analysis) bool {
	return a.Verdetto.Livello != verdict.Normale && a.Verdetto.Livello != verdict.Insufficient
}

// standsStill reports whether the cheapest quote has the same amount and currency on every day with
// fares.
func standsStill(all []fare.Observation) bool {
	lowest := map[fare.Day]fare.Observation{}
	for _, o := range all {
		if low, ok := lowest[o.FoundDay()]; !ok || o.Price < low.Price {
			lowest[o.FoundDay()] = o
		}
	}
	var quotes []fare.Money
	for _, o := range lowest {
		quotes = append(quotes, fare.Money{Amount: o.Price, Currency: o.Currency})
	}
	return len(quotes) > 0 && !slices.ContainsFunc(quotes, func(m fare.Money) bool { return m != quotes[0] })
}
