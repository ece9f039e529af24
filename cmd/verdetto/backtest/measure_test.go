package backtest

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// TestTravellersByHand has one departure, a fare a day from the tenth day before it, and a window of 3 to 6 days.
func TestTravellersByHand(t *testing.T) {
	prices := []fare.Cents{90, 70, 80, 80, 60, 65, 75, 55, 85, 99, 120} // 10 to 0 days ahead
	s := routeReplay{euro: 1, span: span{first: 0, from: 0, to: 10, cycle: 1}, departures: []departure{{depart: 10}}}
	place := 50
	for i, p := range prices {
		level := verdict.Normale
		switch i {
		case 4:
			level = verdict.Caro
		case 6:
			level = verdict.Buono
		}
		s.departures[0].quotes = append(s.departures[0].quotes, quote{fare.Day(i), p * 100})
		s.judgements = append(s.judgements, judgement{
			day: fare.Day(i), verdict: verdict.Verdetto{Livello: level, Percentile: &place}, quartile: 7000,
			window: &verdict.Anticipo{DaGiorni: 3, AGiorni: 6},
		})
	}
	tl := measured(s)
	// Who starts on each of the first ten days. Past the window (from 2 days ahead) everybody with advice buys at once.
	want := map[string][]float64{
		"at once":                       {90, 70, 80, 80, 60, 65, 75, 55, 85, 99},
		"clairvoyant":                   {55, 55, 55, 55, 55, 55, 55, 55, 85, 99},
		"ottimo or buono in the window": {75, 75, 75, 75, 75, 75, 75, 55, 85, 99}, // 4 days ahead is buono, 3 is the end
		"unless caro in the window":     {65, 65, 65, 65, 65, 65, 75, 55, 85, 99}, // 6 days ahead is caro
		"first day of the window":       {60, 60, 60, 60, 60, 65, 75, 55, 85, 99},
		"lower quartile":                {70, 70, 60, 60, 60, 65, 55, 55, 120, 120},
		"always waiting":                {120, 120, 120, 120, 120, 120, 120, 120, 120, 120},
	}
	for i, p := range policies {
		sum, early := 0.0, 0.0
		for day, euro := range want[p.name] {
			sum += euro
			if day <= 7 {
				early += euro
			}
		}
		if got := (pool{tl.cost[0][i]}).total(); got != (cell{10, sum}) {
			t.Errorf("%s: %v, want 10 travellers and %v euro", p.name, got, sum)
		}
		if got := (pool{tl.cost[1][i]}).total(); got != (cell{8, early}) {
			t.Errorf("%s: %v, want 8 travellers before the window's end and %v euro", p.name, got, early)
		}
	}
}

func measured(s routeReplay) *tally {
	t := &tally{cost: grid(len(travellerKinds), len(policies)), premium: make([]mean, len(buckets)+1), premiums: make([][]float64, len(buckets)+1)}
	t.travellers(s)
	t.bookingWindow(s)
	return t
}

// TestTravellersForward follows each traveller day by day; the measure reckons from the last day backwards.
func TestTravellersForward(t *testing.T) {
	for name, observations := range market(5, 2, 120, 90) {
		s := replay(t.Context(), observations, span{first: day0, from: day0 + 30, to: day0 + 119, cycle: 1})
		tl := measured(s)
		want := make([]cell, len(policies))
		for _, l := range s.departures {
			last := len(l.quotes) - 1
			if l.depart > s.span.to {
				continue
			}
			for start := range last {
				if l.quotes[start].day < s.span.from {
					continue
				}
				for i, p := range policies {
					best := l.quotes[start].price
					at := start
					for ; at < last && (p.buys == nil || !p.buys(s, l, at)); at++ {
						best = min(best, l.quotes[at+1].price)
					}
					if p.buys != nil {
						best = l.quotes[at].price
					}
					want[i].n++
					want[i].sum += float64(best) / 100
				}
			}
		}
		for i, p := range policies {
			got := pool{tl.cost[0][i]}.total()
			if got.n != want[i].n || math.Abs(got.sum-want[i].sum) > 1e-3 || got.n == 0 {
				t.Errorf("%s, %s: %v, want %v", name, p.name, got, want[i])
			}
		}
	}
}

// TestBookingWindow wants the truth of the market: fares are lowest 53 days ahead.
func TestBookingWindow(t *testing.T) {
	r := run(t, market(6, 3, 160, 120), Options{From: day0 + 80})
	advised := r.Window[len(r.Window)-1]
	if advised.Lead != "advised" || advised.Count == 0 {
		t.Fatalf("%+v", r.Window)
	}
	for _, b := range r.Window[:len(r.Window)-1] {
		if b.Mean <= advised.Mean {
			t.Errorf("%s days ahead the premium is %.3f, in the advised window %.3f", b.Lead, b.Mean, advised.Mean)
		}
	}
}

func TestHolds(t *testing.T) {
	// Lows of 10 to 100 euros in turn, for 50 days before and after.
	s := routeReplay{}
	for i := range 101 {
		s.lows = append(s.lows, verdict.Low{Day: fare.Day(i), Price: fare.Cents(1000 * (i%10 + 1))})
	}
	at := func(day fare.Day, below, size float64) judgement {
		return judgement{day: day, price: 5500, standing: verdict.Percentile{Below: below, EffectiveSize: size}}
	}
	for _, c := range []struct {
		name        string
		judgement   judgement
		held, known bool
	}{
		{"where it was", at(50, 0.5, 30), true, true},
		{"far from where it was", at(50, 0, 30), false, true},
		{"far, but the interval is wide", at(50, 0.1, 1), true, true},
		{"four weeks are left", at(72, 0.5, 30), true, true},
		{"too few days later", at(73, 0.5, 30), false, false},
	} {
		if held, known := holds(s, c.judgement); held != c.held || known != c.known {
			t.Errorf("%s: held %v, known %v", c.name, held, known)
		}
	}
}

func TestTiesSpread(t *testing.T) {
	for _, c := range []struct {
		below, equal, size float64
		p                  int
		want               float64
	}{
		{0, 9, 9, 50, 0.5}, // a price that never moves is anywhere
		{0, 0, 9, 5, 0.5},  // a new low lies in the lowest tenth
		{0, 0, 9, 10, 1},
		{5, 0, 9, 50, 0},
		{5, 3, 9, 70, 0.5},
	} {
		if got := atMost(verdict.Percentile{Below: c.below / c.size, Equal: c.equal / c.size, Weight: c.size}, c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestBuckets(t *testing.T) {
	got := map[int]string{}
	for _, lead := range []int{0, 3, 4, 60, 61, 180, 181, 500} {
		got[lead] = bucketName(bucketOf(lead))
	}
	want := map[int]string{0: "0-3", 3: "0-3", 4: "4-7", 60: "46-60", 61: "61-90", 180: "91-180", 181: "181+", 500: "181+"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestResampling: where routes differ, or days do, the interval is about two
// standard errors either side; what is the same everywhere has no interval.
func TestResampling(t *testing.T) {
	const routes, blocks = 40, 40
	r := resample(routes, blocks)
	fill := func(value func(route, block int) float64) pool {
		p := make(pool, routes)
		for i := range p {
			for b := range blocks {
				p[i].add(fare.Day(b*blockDays), 0, value(i, b))
			}
		}
		return p
	}
	sign := func(n int) float64 { return float64(n%2*2 - 1) }
	for _, c := range []struct {
		name     string
		value    func(route, block int) float64
		from, to float64 // the interval's half-width
	}{
		{"routes differ", func(route, _ int) float64 { return sign(route) }, 0.25, 0.37}, // 1.96/sqrt(40) = 0.31
		{"days differ", func(_, block int) float64 { return sign(block) }, 0.25, 0.37},
		{"routes and days differ", func(route, block int) float64 { return sign(route) + sign(block) }, 0.36, 0.52},
	} {
		i := r.of(fill(c.value))
		if half := (i.High - i.Low) / 2; half < c.from || half > c.to {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
	p := fill(func(route, block int) float64 { return sign(route) + sign(block) })
	shifted := fill(func(route, block int) float64 { return sign(route) + sign(block) + float64(route%3) })
	if d := r.difference(r.averages(shifted), r.averages(p)); d == nil || d.Low < 0.7 || d.High > 1.3 {
		t.Errorf("a shift of nought, one or two by route: %+v", d)
	}
	for name, p := range map[string]pool{"nothing": make(pool, routes), "the same everywhere": fill(func(int, int) float64 { return 3 })} {
		if i := r.of(p); i != nil {
			t.Errorf("%s has an interval: %+v", name, i)
		}
	}
}
