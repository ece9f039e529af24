package verdict

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"verdetto/shared/fare"
)

func currency(t testing.TB, code string) fare.Currency {
	t.Helper()
	c, err := fare.ParseCurrency(code)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func percentileOf(t testing.TB, s RouteSummary, now time.Time) int {
	t.Helper()
	a, ok := Judge(s, now)
	if !ok || !a.Verdict.Judged() {
		t.Fatal("no percentile")
	}
	return a.Verdict.Percentile
}

func TestExchangeRatesMoveNoVerdict(t *testing.T) {
	const days = 120
	asOf := day0 + days
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range 300 {
		quotedIn := []string{"HUF"}
		if round%2 == 1 {
			quotedIn = []string{"EUR", "HUF", "USD"}
		}
		perEuro := map[string]float64{"HUF": 310, "USD": 1.1}
		var all []fare.Observation
		level := 50.0
		for d := day0; d <= asOf; d++ {
			if rng.IntN(4) == 0 {
				level = math.Round(max(10, level*math.Exp(rng.NormFloat64()*0.1)))
			}
			for _, code := range quotedIn {
				rate, _ := fare.Rates{PerEuro: perEuro}.Rate(code)
				all = append(all, fare.Observation{
					Found: d.Time().Unix(), Depart: d + 30, Price: fare.Cents(math.Round(level * rate * 100)),
					Currency: currency(t, code), DayOnly: true,
				})
			}
		}
		summary := Build(all, RouteSummary{}, asOf, Options{Rates: fare.Rates{PerEuro: perEuro}})
		want := percentileOf(t, summary, asOf.Time())
		for _, move := range []float64{0.8, 1.2} {
			for _, code := range []string{"HUF", "USD"} {
				moved := map[string]float64{"HUF": 310, "USD": 1.1}
				moved[code] *= move
				after := Build(all, summary, asOf, Options{Rates: fare.Rates{PerEuro: moved}})
				if got := percentileOf(t, after, asOf.Time()); got != want {
					t.Fatalf("round %d, quoted in %v: with %s at %.1f of its rate the percentile is %d, it was %d", round, quotedIn, code, move, got, want)
				}
			}
		}
	}
}

func TestAFareThatStandsStillIsNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	prices := map[string]fare.Cents{"RON": 39_00, "GBP": 18_49, "HUF": 2_990_00, "EUR": 9_99}
	for code, price := range prices {
		rate := 4.5
		var all []fare.Observation
		var summary RouteSummary
		for d := day0; d < day0+100; d++ {
			all = append(all, fare.Observation{Found: d.Time().Unix(), Depart: d + 40, Price: price,
				Currency: currency(t, code)})
			rate *= math.Exp(rng.NormFloat64() * 0.02)
			summary = Build(all, summary, d, Options{Rates: fare.Rates{PerEuro: map[string]float64{code: rate}}})
			a, ok := Judge(summary, d.Time())
			if !ok {
				t.Fatal("no live fare")
			}
			if l := a.Verdict.Level; l != Fair && l != Unjudged {
				t.Fatalf("%d %s on every day is %s on %s", price, code, l, d)
			}
			if (Quoted(a.Fare) != fare.Money{Amount: price, Currency: a.Fare.Quoted.Currency} || Quoted(a.Fare).Currency.String() != code) {
				t.Fatalf("%d %s is published as %+v", price, code, Quoted(a.Fare))
			}
			if want := fare.Cents(math.Round(float64(price) / rate)); code != "EUR" && a.Fare.Price != want {
				t.Fatalf("%d %s at %f is shown as %d euro cents", price, code, rate, a.Fare.Price)
			}
		}
	}
}

// If the fares vary, new rates may change the percentile, because another fare may become the
// cheapest of a day.
func TestThreeCurrenciesOfTheirOwn(t *testing.T) {
	const days, rounds = 120, 100
	for _, c := range []struct {
		name   string
		moves  bool
		within int
		share  float64
	}{
		{"that stand still", false, 0, 1},
		{"that go their own way", true, 10, 0.7},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(21, 22))
			perEuro := map[string]float64{"EUR": 1, "HUF": 310, "USD": 1.1}
			near, cases, most := 0, 0, 0
			for range rounds {
				var all []fare.Observation
				level := map[string]float64{"EUR": 50, "HUF": 55, "USD": 60}
				for d := day0; d <= day0+days; d++ {
					for i, code := range []string{"EUR", "HUF", "USD"} {
						if c.moves && rng.IntN(4) == 0 {
							level[code] = math.Round(max(10, level[code]*math.Exp(rng.NormFloat64()*0.1)))
						}
						all = append(all, fare.Observation{
							Found: d.Time().Unix(), Depart: d + 30 + fare.Day(i),
							Price:    fare.Cents(math.Round(level[code] * perEuro[code] * 100)),
							Currency: currency(t, code), DayOnly: true,
						})
					}
				}
				asOf := day0 + days
				summary := Build(all, RouteSummary{}, asOf, Options{Rates: fare.Rates{PerEuro: perEuro}})
				was := percentileOf(t, summary, asOf.Time())
				for _, move := range []float64{0.8, 1.2} {
					for _, code := range []string{"HUF", "USD"} {
						moved := maps.Clone(perEuro)
						moved[code] *= move
						by := percentileOf(t, Build(all, summary, asOf,
							Options{Rates: fare.Rates{PerEuro: moved}}), asOf.Time()) - was
						by = max(by, -by)
						most = max(most, by)
						cases++
						if by <= c.within {
							near++
						}
					}
				}
			}
			t.Logf("within %d points in %.0f %% of %d cases, at most %d", c.within,
				100*float64(near)/float64(cases), cases, most)
			if float64(near) < c.share*float64(cases) || c.moves && most == 0 {
				t.Errorf("%d of %d cases are within %d points", near, cases, c.within)
			}
		})
	}
}

func TestACurrencyIsChanged(t *testing.T) {
	ron := currency(t, "RON")
	rates := fare.Rates{PerEuro: map[string]float64{"RON": 5}}
	var all []fare.Observation
	var summary RouteSummary
	for i := range fare.Day(HistoryDays + 200) {
		d := day0 + i
		o := fare.Observation{Found: d.Time().Unix(), Depart: d + 40, Price: 10_00 + 1_00*fare.Cents(i%10)}
		if i >= 100 {
			o.Price, o.Currency = o.Price*5, ron
		}
		all = append(all, o)
		summary = Build(all, summary, d, Options{Rates: rates})
		if a, _ := Judge(summary, d.Time()); i > 90 && (a.Fare.Price != 10_00+1_00*fare.Cents(i%10) ||
			math.Abs(float64(a.Verdict.Percentile)-(float64(i%10)+.5)*10) > 10) {
			t.Fatalf("day %d: the fare %d is at percentile %d", i, a.Fare.Price, a.Verdict.Percentile)
		}
	}
	if summary.Currency != ron || len(summary.Lows) != HistoryDays+199 {
		t.Errorf("%d lows, ranked in %s", len(summary.Lows), summary.Currency)
	}
	euro := slices.IndexFunc(summary.Lows, func(l Low) bool { return l.Day == day0+50 })
	if l := summary.Lows[euro]; l.Quoted != (fare.Money{Amount: 10_00}) || l.Price != 50_00 {
		t.Errorf("a low of long ago, quoted in euro, is %+v", l)
	}
}

func TestWhatCannotBeConverted(t *testing.T) {
	hrk := currency(t, "HRK")
	var all []fare.Observation
	for d := day0; d < day0+60; d++ {
		o := seen(d, d+30, 50_00)
		if d < day0+40 {
			o.Price, o.Currency = 300_00, hrk
		}
		all = append(all, o)
	}
	s := Build(all, RouteSummary{}, day0+59, Options{})
	if s.Observations != 20 || len(s.Lows) != 19 || s.Currency != fare.EUR {
		t.Errorf("%d observations and %d lows in %s; want 20 and 19 in EUR", s.Observations, len(s.Lows), s.Currency)
	}
	before := Build(all[:40], RouteSummary{}, day0+39,
		Options{Rates: fare.Rates{PerEuro: map[string]float64{"HRK": 7.5}}})
	if s = Build(all, before, day0+59, Options{}); s.Observations != 60 || s.Currency != hrk {
		t.Errorf("%d observations, ranked in %s; want 60 in HRK", s.Observations, s.Currency)
	}
}

func TestNonStopIsAViewOfItsOwn(t *testing.T) {
	var all []fare.Observation
	for d := day0; d < day0+30; d++ {
		for _, stops := range []fare.Stops{fare.NonStop, fare.OneStop} {
			o := seen(d, d+30, 80_00)
			if o.Stops = stops; stops == fare.OneStop {
				o.Price = 50_00
			}
			all = append(all, o)
		}
	}
	s := Build(all, RouteSummary{}, day0+29, Options{})
	for _, c := range []struct {
		name  string
		s     func() (RouteSummary, bool)
		price fare.Cents
		n     int
	}{
		{"any", func() (RouteSummary, bool) { return s, true }, 50_00, 60},
		{"non-stop", s.WithoutStops, 80_00, 30},
	} {
		got, known := c.s()
		live, ok := got.Cheapest(day0 + 29)
		if !known || !ok || live.Price != c.price || got.Observations != c.n || len(got.Lows) != 29 ||
			got.Lows[0].Price != c.price {
			t.Errorf("%s: known %v, cheapest %d, %d observations, %d lows", c.name, known, live.Price,
				got.Observations, len(got.Lows))
		}
	}
	back, err := Decode(s.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if n, known := back.WithoutStops(); !known || n.Observations != 30 {
		t.Error("the view without stops is not stored")
	}
	if _, known := Build([]fare.Observation{seen(day0, day0+9, 100)}, RouteSummary{}, day0,
		Options{}).WithoutStops(); known {
		t.Error("where nothing is known of stops there is a view without them")
	}
}

// DynamoDB reads at most 8 KB with one eventually consistent read unit.
func TestSummarySize(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	var all []fare.Observation
	var summary RouteSummary
	for i := range fare.Day(LowDays + 10) {
		d := day0 + i
		for range 10 {
			all = append(all, fare.Observation{Found: d.Time().Unix(), Depart: d + fare.Day(rng.IntN(300)),
				Price: fare.Cents(20_00 + 10*rng.IntN(1000)), Stops: fare.StopsOf(rng.IntN(3))})
		}
		if i%300 == 0 || i == LowDays+9 {
			summary = Build(all, summary, d, Options{})
		}
	}
	if n := len(summary.Encode()); len(summary.Lows) != LowDays-1 || n > 8192 {
		t.Errorf("%d lows take %d bytes; want %d in 8192 at most", len(summary.Lows), n, LowDays-1)
	} else {
		t.Logf("%d and %d lows take %d bytes", len(summary.Lows), len(summary.NonStop.Lows), n)
	}
}
