package verdict

import (
	"math"
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
		if known, ok := live[o.Depart]; !ok || o.Found > known.Found || o.Found == known.Found && o.Price < known.Price {
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
			if d := o.FoundDay(); d < asOf && (want[d] == 0 || o.Price < want[d]) {
				want[d] = o.Price
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
			if !any {
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

func upTo(n int) (lows []fare.Cents) {
	for i := range n {
		lows = append(lows, fare.Cents(1000*(i+1)))
	}
	return lows
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		name       string
		summary    RouteSummary
		level      Level
		percentile int
	}{
		{"a new low", steady(900, upTo(100)...), Great, 0},
		{"as low as the lowest", steady(1000, upTo(100)...), Great, 0},
		{"one of very many is lower", steady(1100, append(slices.Repeat([]fare.Cents{9000}, 398), 1000)...), Great, 1},
		{"all but one of very many are lower", steady(8000, append(slices.Repeat([]fare.Cents{1000}, 398), 9000)...),
			Expensive, 99},
		{"the last of ottimo", steady(10_500, upTo(100)...), Great, 10},
		{"equal days count half", steady(11_000, upTo(100)...), Good, 10},
		{"the last of buono", steady(35_500, upTo(100)...), Good, 35},
		{"the first of normale", steady(36_000, upTo(100)...), Fair, 35},
		{"the last of normale", steady(70_500, upTo(100)...), Fair, 70},
		{"the first of caro", steady(71_000, upTo(100)...), Expensive, 70},
		{"a new high", steady(101_000, upTo(100)...), Expensive, 100},
		{"rounded up", steady(85_000, upTo(101)[1:]...), Expensive, 83},
		{"the lowest price on nine days of ten", steady(5000, append(slices.Repeat([]fare.Cents{5000}, 90),
			slices.Repeat([]fare.Cents{7000}, 10)...)...), Fair, 0},
		{"a hair under a price that never moves", steady(4901, slices.Repeat([]fare.Cents{5000}, 20)...), Fair, 0},
		{"2 % under a price that never moves", steady(4900, slices.Repeat([]fare.Cents{5000}, 20)...), Great, 0},
		{"a hair over a price that never moves", steady(5099, slices.Repeat([]fare.Cents{5000}, 20)...), Fair, 100},
		{"2 % over a price that never moves", steady(5100, slices.Repeat([]fare.Cents{5000}, 20)...), Expensive, 100},
		{"8 are enough", steady(900, upTo(8)...), Great, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, ok := Judge(c.summary, day0.Time())
			if !ok {
				t.Fatal("no live fare")
			}
			if a.Verdict.Level != c.level || a.Verdict.Percentile != c.percentile {
				t.Errorf("%s at %d, want %s at %d", a.Verdict.Level, a.Verdict.Percentile, c.level, c.percentile)
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
		want := Verdict{Level: Unjudged, Sample: n}
		if diff := cmp.Diff(want, a.Verdict); diff != "" {
			t.Errorf("%d lows: %s", n, diff)
		}
		if a.Collection == nil || a.Collection.Days != n {
			t.Errorf("%d lows: %+v", n, a.Collection)
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
			p := a.Verdict.Percentile
			if p < last || p < 0 || p > 100 {
				t.Fatalf("percentile %d after %d", p, last)
			}
			last = p
		}
	}
}

func TestAmounts(t *testing.T) {
	a, _ := Judge(steady(3000, upTo(9)...), day0.Time())
	if a.Verdict.Median != 5000 || a.Verdict.Minimum != 1000 ||
		a.Difference() != -2000 || a.Verdict.Sample != 9 {
		t.Errorf("of nine: %d %d %d", a.Verdict.Median, a.Verdict.Minimum, a.Difference())
	}
	a, _ = Judge(steady(6000, upTo(10)...), day0.Time())
	if a.Verdict.Median != 5500 || a.Difference() != 500 {
		t.Errorf("of ten: %d %d", a.Verdict.Median, a.Difference())
	}
}

func TestCounts(t *testing.T) {
	s := steady(5000, slices.Repeat([]fare.Cents{6000}, 10)...)
	for back, price := range map[fare.Day]fare.Cents{20: 5000, 30: 4000, 399: 3000, 400: 2000, 900: 1000} {
		s.Lows = append(s.Lows, Low{Day: day0 - back, Price: price})
	}
	slices.SortFunc(s.Lows, Low.compare)
	a, _ := Judge(s, day0.Time())
	v := a.Verdict
	if v.Days.Lower != 2 || v.Days.Equal != 1 || v.Sample != 13 || v.Days.Since != day0-399 ||
		v.Percentile != 15 || v.Minimum != 3000 || v.Median != 6000 {
		t.Errorf("%+v", v)
	}
}

func TestReliability(t *testing.T) {
	at := func(below, size int, effective float64) Percentile {
		return Percentile{Below: below, Size: size, EffectiveSize: effective}
	}
	seen := math.Inf(1)
	for _, c := range []struct {
		name       string
		percentile Percentile
		hours      time.Duration
		want       Reliability
	}{
		{"few", at(4, 8, seen), 0, LowReliability},
		{"many days that stand for the rest badly", at(100, 200, 10), 0, LowReliability},
		{"many days that stand for the rest", at(100, 200, 20), 0, MediumReliability},
		{"many days that stand for the rest well", at(100, 200, 70), 0, HighReliability},
		{"every day of a month", at(10, 30, seen), 0, MediumReliability},
		{"less than a month", at(10, 29, seen), 0, LowReliability},
		{"every day of two months", at(30, 60, seen), 0, HighReliability},
		{"stale", at(100, 200, seen), 72, MediumReliability},
		{"nearly three days are not stale", at(100, 200, seen), 71, HighReliability},
		{"few and stale", at(4, 8, seen), 73, LowReliability},
	} {
		if got := reliability(c.percentile, c.hours*time.Hour); got != c.want {
			low, high := c.percentile.Interval()
			t.Errorf("%s: %s, want %s (from %.1f to %.1f)", c.name, got, c.want, low, high)
		}
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

func TestJudgementHasEveryField(t *testing.T) {
	all := random(rand.New(rand.NewPCG(4, 4)), 2000, 200)
	asOf := day0 + 199
	a, ok := Judge(Build(all, RouteSummary{}, asOf, Options{}), asOf.Time())
	if !ok {
		t.Fatal("no live fare")
	}
	v := a.Verdict
	if v.Reliability == "" || !v.Judged() || v.Interval == nil || v.Days == nil || len(a.Months) == 0 || a.Window == nil {
		t.Errorf("%+v", a)
	}
	if a.Observations != 2000 || a.Newest.Location() != time.UTC || fare.DayOf(a.Newest) != asOf {
		t.Errorf("%d observations, newest %v", a.Observations, a.Newest)
	}
}

func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, n := range []int{0, 1, 50, 3000} {
		f.Add(Build(random(rng, n, 200), RouteSummary{}, day0+199, Options{}).Encode())
	}
	f.Add([]byte{})
	f.Add([]byte{lowsFormat, 2, 2, 2, 0xfe, 0xff, 0xff, 0xff, 0x0f})
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

func normal(s RouteSummary) RouteSummary {
	s.Live, s.Lows, s.Months = append([]Live{}, s.Live...), append([]Low{}, s.Lows...), append([]Month{}, s.Months...)
	return s
}
