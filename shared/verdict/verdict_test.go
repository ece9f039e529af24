package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

const day0 = fare.Day(16800) // 2015-12-31

func seen(found, depart fare.Day, price fare.Cents) fare.Observation {
	return fare.Observation{Found: found.Time().Unix(), Depart: depart, Price: price}
}

// random returns random observations of a route, with days without fares, repeated departures and
// prices in steps.
func random(rng *rand.Rand, n, days int) []fare.Observation {
	all := make([]fare.Observation, n)
	for i := range all {
		found := day0 + fare.Day(rng.IntN(days))
		all[i] = fare.Observation{
			Found:  found.Time().Unix() + int64(rng.IntN(3))*3600,
			Depart: found + fare.Day(rng.IntN(60)),
			Price:  fare.Cents(1000 + 500*rng.IntN(20)),
		}
	}
	return all
}

// standing computes the fares that are available on a day by a simple search. live holds the newest
// observation of each departure that has not left, if found in the last 7 days. fresh holds the
// observations found in the 24 hours up to the newest one.
func standing(observations []fare.Observation, day fare.Day) (fresh, live map[fare.Day]fare.Observation) {
	fresh, live = map[fare.Day]fare.Observation{}, map[fare.Day]fare.Observation{}
	newest := int64(0)
	for _, o := range observations {
		if o.FoundDay() <= day {
			newest = max(newest, o.Found)
		}
	}
	for _, o := range observations {
		if o.FoundDay() > day || o.FoundDay() < day-LiveDays || o.Depart < day {
			continue
		}
		if had, ok := live[o.Depart]; !ok || o.Found > had.Found || o.Found == had.Found && o.Price < had.Price {
			live[o.Depart] = o
		}
	}
	for d, o := range live {
		if newest-o.Found < 86400 {
			fresh[d] = o
		}
	}
	return fresh, live
}

func cheapest(offers map[fare.Day]fare.Observation, today fare.Day) (low fare.Cents, ok bool) {
	low = fare.MaxPrice
	for _, o := range offers {
		if o.Depart >= today {
			low, ok = min(low, o.Price), true
		}
	}
	return low, ok
}

func TestLowsFollowTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for round := range 200 {
		all := random(rng, 1+rng.IntN(200), 1+rng.IntN(80))
		asOf := day0 + fare.Day(rng.IntN(90))
		summary := Build(all, RouteSummary{}, asOf, Options{})

		want := map[fare.Day]fare.Cents{}
		for _, o := range all {
			if d := o.FoundDay(); d < asOf {
				fresh, _ := standing(all, d)
				want[d], _ = cheapest(fresh, d)
			}
		}
		got := map[fare.Day]fare.Cents{}
		for _, l := range summary.Lows {
			got[l.Day] = l.Price
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("round %d: lows: %s", round, diff)
		}

		fresh, live := standing(all, asOf)
		for today := asOf; today <= asOf+LiveDays; today++ {
			low, any := cheapest(fresh, today)
			if !any { // all fresh fares have departed
				low, any = cheapest(live, today)
			}
			c, ok := summary.Cheapest(today)
			if ok != any || ok && c.Price != low {
				t.Fatalf("round %d: %d days after the refresh the cheapest is %v, %v; want %d, %v", round,
					today-asOf, c, ok, low, any)
			}
			if ok && live[c.Depart].Price != c.Price {
				t.Fatalf("round %d: %v is not live", round, c)
			}
		}
		if len(summary.Live) > LiveDays+1 {
			t.Fatalf("the summary has %d live fares", len(summary.Live))
		}
	}
}

func TestSummaryHoldsForOneCycle(t *testing.T) {
	summary := Build([]fare.Observation{seen(day0, day0+100, 5000)}, RouteSummary{}, day0, Options{})
	for _, c := range []struct {
		today fare.Day
		want  bool
	}{{day0 - 1, false}, {day0, true}, {day0 + LiveDays, true}, {day0 + LiveDays + 1, false}} {
		if _, ok := summary.Cheapest(c.today); ok != c.want {
			t.Errorf("%d days after the refresh there is a live fare: %v", c.today-day0, ok)
		}
	}
}

func TestOrderOfInputIsIrrelevant(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	all := random(rng, 500, 100)
	want := Build(all, RouteSummary{}, day0+99, Options{})
	for range 20 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(want, Build(all, RouteSummary{}, day0+99, Options{})); diff != "" {
			t.Fatal(diff)
		}
	}
}

// steady returns a summary with a live fare (found in the last 7 days) of the given price and with
// the given lows, one low per day.
func steady(price fare.Cents, lows ...fare.Cents) RouteSummary {
	s := RouteSummary{AsOf: day0, View: View{
		Newest: day0.Time().Unix(), Live: []Live{{Depart: day0 + 30, Price: price, Found: day0.Time().Unix()}},
	}}
	for i, l := range lows {
		s.Lows = append(s.Lows, Low{Day: day0 - 1 - fare.Day(i), Price: l})
	}
	slices.SortFunc(s.Lows, func(a, b Low) int { return int(a.Price - b.Price) })
	return s
}

// together returns a summary like steady, but with all lows on one day. So all lows have equal
// weight.
func together(price fare.Cents, lows ...fare.Cents) RouteSummary {
	s := steady(price, lows...)
	for i := range s.Lows {
		s.Lows[i].Day = day0 - 1
	}
	return s
}

func upTo(n int) (lows []fare.Cents) {
	for i := range n {
		lows = append(lows, fare.Cents(1000*(i+1)))
	}
	return lows
}

func TestLevels(t *testing.T) {
	same := slices.Repeat([]fare.Cents{5000}, 20)
	for _, c := range []struct {
		name       string
		summary    RouteSummary
		level      string
		percentile int
	}{
		{"a new low", together(900, upTo(100)...), Ottimo, 0},
		{"ties count half", together(1000, upTo(100)...), Ottimo, 0},
		{"one of very many is cheaper", together(1100, append(slices.Repeat([]fare.Cents{9000}, 300), 1000)...),
			Ottimo, 1},
		{"the last of ottimo", together(11_000, upTo(100)...), Ottimo, 10},
		{"the first of buono", together(12_000, upTo(100)...), Buono, 11},
		{"the last of buono", together(36_000, upTo(100)...), Buono, 35},
		{"the first of normale", together(37_000, upTo(100)...), Normale, 36},
		{"the last of normale", together(71_000, upTo(100)...), Normale, 70},
		{"the first of caro", together(72_000, upTo(100)...), Caro, 71},
		{"a new high", together(101_000, upTo(100)...), Caro, 100},
		{"a price that never moves", together(5000, same...), Normale, 50},
		{"a hair under one that never moves", together(4990, same...), Normale, 0},
		{"2 % under one that never moves", together(4900, same...), Ottimo, 0},
		{"a hair over one that never moves", together(5010, same...), Normale, 100},
		{"2 % over one that never moves", together(5103, same...), Caro, 100},
		{"8 are enough", together(900, upTo(8)...), Ottimo, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, ok := Judge(c.summary, day0.Time())
			if !ok {
				t.Fatal("no live fare")
			}
			if a.Verdetto.Livello != c.level || *a.Verdetto.Percentile != c.percentile {
				t.Errorf("%s at %d, want %s at %d", a.Verdetto.Livello, *a.Verdetto.Percentile, c.level, c.percentile)
			}
		})
	}
}

func TestFewerThanEightNeverGiveAVerdict(t *testing.T) {
	for n := range MinSample {
		a, ok := Judge(steady(900, upTo(n)...), day0.Time())
		if !ok {
			t.Fatal("no live fare")
		}
		want := Verdetto{Livello: Insufficient, Campione: n}
		if diff := cmp.Diff(want, a.Verdetto); diff != "" {
			t.Errorf("%d lows: %s", n, diff)
		}
		if a.Raccolta == nil || a.Raccolta.DaGiorni != n {
			t.Errorf("%d lows: %+v", n, a.Raccolta)
		}
	}
}

func TestPercentileIsMonotone(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		lows := make([]fare.Cents, MinSample+rng.IntN(60))
		for i := range lows {
			lows[i] = fare.Cents(1000 + 100*rng.IntN(30))
		}
		last := -1
		for price := fare.Cents(900); price < 4500; price += 50 {
			a, _ := Judge(steady(price, lows...), day0.Time())
			p := *a.Verdetto.Percentile
			if p < last || p < 0 || p > 100 {
				t.Fatalf("percentile %d after %d", p, last)
			}
			last = p
		}
	}
}

func TestAmounts(t *testing.T) {
	a, _ := Judge(together(3000, upTo(9)...), day0.Time())
	if *a.Verdetto.MedianaCent != 5000 || *a.Verdetto.MinimoCent != 1000 ||
		*a.Verdetto.ScartoMedianaCent != -2000 || a.Verdetto.Campione != 9 {
		t.Errorf("of nine: %d %d %d", *a.Verdetto.MedianaCent, *a.Verdetto.MinimoCent, *a.Verdetto.ScartoMedianaCent)
	}
	a, _ = Judge(together(6000, upTo(10)...), day0.Time())
	if *a.Verdetto.MedianaCent != 5500 || *a.Verdetto.ScartoMedianaCent != 500 {
		t.Errorf("of ten: %d %d", *a.Verdetto.MedianaCent, *a.Verdetto.ScartoMedianaCent)
	}
}

func TestReliability(t *testing.T) {
	at := func(below float64, size int, effective float64) Percentile {
		return Percentile{Below: below, Size: size, EffectiveSize: effective}
	}
	for _, c := range []struct {
		name       string
		percentile Percentile
		hours      time.Duration
		want       string
	}{
		{"few", at(0.5, 8, 8), 0, Bassa},
		{"many days that amount to few", at(0.5, 200, 2), 0, Bassa},
		{"many days that amount to some", at(0.5, 200, 6), 0, Media},
		{"many days that amount to many", at(0.5, 200, 20), 0, Alta},
		{"a month of narrow interval", at(0, 30, 30), 0, Media},
		{"less than a month of fares", at(0, 29, 29), 0, Bassa},
		{"two months of fares", at(0, 60, 30), 0, Alta},
		{"many but stale", at(0.5, 200, 20), 72, Media},
		{"nearly three days are not stale", at(0.5, 200, 20), 71, Alta},
		{"few and stale", at(0.5, 8, 8), 73, Bassa},
	} {
		if got := reliability(c.percentile, c.hours*time.Hour); got != c.want {
			low, high := c.percentile.Interval()
			t.Errorf("%s: %s, want %s (from %.1f to %.1f)", c.name, got, c.want, low, high)
		}
	}
}

// TestEffectiveSize: prices alternate between two values and keep each value for 1 to 50 days. The
// longer they keep it, the smaller the effective sample size.
func TestEffectiveSize(t *testing.T) {
	runs := func(length, n int) (lows []fare.Cents) {
		for i := range n {
			lows = append(lows, fare.Cents(1000+1000*(i/length%2)))
		}
		return lows
	}
	// all is the number of independent days of equal weight that hold as much information as 100
	// independent days whose weights decrease with age.
	var sum, squares float64
	for day := fare.Day(1); day <= 100; day++ {
		sum, squares = sum+Weight(day), squares+Weight(day)*Weight(day)
	}
	all := sum * sum / squares
	for _, c := range []struct {
		name     string
		lows     []fare.Cents
		low, top float64
	}{
		{"a price that never moves", slices.Repeat([]fare.Cents{5000}, 100), 1, 1},
		{"one change", runs(50, 100), 1, 2},
		{"a change every ten days", runs(10, 100), all / 20, all / 5},
		{"a change every two days", runs(2, 100), 0.8 * all, all},
		{"a change every day", runs(1, 100), all, all}, // never more than the number of days
	} {
		percentile, ok := PercentileOf(steady(5000, c.lows...), day0)
		if !ok || percentile.EffectiveSize < c.low-1e-9 || percentile.EffectiveSize > c.top+1e-9 {
			t.Errorf("%s: 100 days amount to %.1f, want %v to %v", c.name, percentile.EffectiveSize, c.low, c.top)
		}
	}
	t.Logf("100 independent days amount to %.1f", all)
}

// TestMemoryFades: fares rose by half, a year ago or a month ago. The percentile compares today's
// fare mostly with the fares after the rise.
func TestMemoryFades(t *testing.T) {
	at := func(price fare.Cents, since int) Verdetto {
		var lows []fare.Cents
		for i := range 400 { // from yesterday back
			level := fare.Cents(100_00)
			if i < since {
				level = 150_00
			}
			lows = append(lows, level+fare.Cents(i%10)*1_00)
		}
		a, _ := Judge(steady(price, lows...), day0.Time())
		return a.Verdetto
	}
	for _, c := range []struct {
		name      string
		price     fare.Cents
		since     int
		low, high int // of the percentile
	}{
		{"the usual of now, a year after", 154_50, 365, 45, 55},
		{"the usual of now, four weeks after", 154_50, 28, 60, 80},
		{"the cheapest of now, a year after", 149_00, 365, 1, 6},
		{"the usual of then, a year after", 104_50, 365, 0, 3},
	} {
		if p := *at(c.price, c.since).Percentile; p < c.low || p > c.high {
			t.Errorf("%s: percentile %d, want %d to %d", c.name, p, c.low, c.high)
		}
	}
	if m := *at(154_50, 365).MedianaCent; m < 152_00 || m > 157_00 {
		t.Errorf("a year after the median is %d", m)
	}
}

func TestLowsOutliveTheirObservations(t *testing.T) {
	asOf := day0 + 1000
	var all []fare.Observation
	for d := asOf - HistoryDays - 50; d <= asOf; d++ {
		all = append(all, seen(d, d+20, fare.Cents(5000+10*(d-day0))))
	}
	before := Build(all, RouteSummary{}, asOf-60, Options{})
	observations := Build(all, RouteSummary{}, asOf, Options{}).Observations
	if observations != HistoryDays {
		t.Errorf("%d observations are left of one a day, want %d", observations, HistoryDays)
	}
	after := Build(all, before, asOf, Options{})
	days := map[fare.Day]fare.Cents{}
	for _, l := range after.Lows {
		days[l.Day] = l.Price
	}
	for _, l := range before.Lows {
		if days[l.Day] != l.Price {
			t.Errorf("the low of %s was %d and is %d", l.Day, l.Price, days[l.Day])
		}
	}
	if again := Build(all, after, asOf, Options{}); !cmp.Equal(after, again) {
		t.Errorf("made again from its own lows the summary differs: %s", cmp.Diff(after, again))
	}
	old := RouteSummary{View: View{Lows: []Low{{Day: asOf - LowDays, Price: 1}, {Day: asOf - LowDays + 1, Price: 2}}}}
	if got := Build(nil, old, asOf, Options{}).Lows; len(got) != 1 || got[0].Price != 2 {
		t.Errorf("of lows at the end of three years there remain %v", got)
	}
}

func TestAnalysisHasEveryField(t *testing.T) {
	all := random(rand.New(rand.NewPCG(4, 4)), 2000, 200)
	asOf := day0 + 199
	a, ok := Judge(Build(all, RouteSummary{}, asOf, Options{}), asOf.Time())
	if !ok {
		t.Fatal("no live fare")
	}
	v := a.Verdetto
	if v.Affidabilita == "" || v.Percentile == nil || v.ScartoMedianaCent == nil || v.Stagionale == nil ||
		len(a.MesiPerConvenienza) == 0 || a.AnticipoConsigliato == nil {
		t.Errorf("%+v", a)
	}
	if a.Osservazioni != 2000 || a.AggiornatoIl.Location() != time.UTC || fare.DayOf(a.AggiornatoIl) != asOf {
		t.Errorf("%d observations, newest %v", a.Osservazioni, a.AggiornatoIl)
	}
}

func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 50, 3000} {
		f.Add(Build(random(rng, n, 200), RouteSummary{}, day0+199, Options{}).Encode())
	}
	f.Add([]byte{})
	f.Add([]byte{summaryFormat, 2, 2, 2, 0xfe, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(s.Encode())
		if err != nil {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
		if diff := cmp.Diff(s, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestEncode(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 7, 300, 5000} {
		want := Build(random(rng, n, 390), RouteSummary{}, day0+389, Options{})
		got, err := Decode(want.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(normal(want), normal(got)); diff != "" {
			t.Errorf("%d observations: %s", n, diff)
		}
	}
	data := Build(random(rng, 300, 300), RouteSummary{}, day0+299, Options{}).Encode()
	for cut := range data {
		if _, err := Decode(data[:cut]); err == nil {
			t.Fatalf("a summary cut at byte %d of %d was read", cut, len(data))
		}
	}
	if _, err := Decode(append(data, 0)); err == nil {
		t.Error("a summary with a byte too many was read")
	}
}

// normal returns s with empty slices in place of nil slices, so that two summaries can be compared.
func normal(s RouteSummary) RouteSummary {
	s.Live, s.Lows, s.Months = append([]Live{}, s.Live...), append([]Low{}, s.Lows...), append([]Month{}, s.Months...)
	return s
}
