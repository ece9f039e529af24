package backtest

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// TestTravellersByHand: one departure with one fare a day, from 10 days before departure on. The
// advised booking window is 3 to 6 days before departure.
func TestTravellersByHand(t *testing.T) {
	prices := []fare.Cents{90, 70, 80, 80, 60, 65, 75, 55, 85, 99, 120} // 10, 9, ... 0 days before departure
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
			window: &verdict.Window{From: 3, To: 6},
		})
	}
	m := measured(s)
	// One traveller starts on each of the first ten days. Policies with advice buy at once after
	// the window ends, 2 days before departure.
	want := map[string][]float64{
		"at once":                       {90, 70, 80, 80, 60, 65, 75, 55, 85, 99},
		"clairvoyant":                   {55, 55, 55, 55, 55, 55, 55, 55, 85, 99},
		"ottimo or buono in the window": {75, 75, 75, 75, 75, 75, 75, 55, 85, 99},
		// 4 days before departure the verdict is buono; 3 days before departure the window ends.
		"unless caro in the window": {65, 65, 65, 65, 65, 65, 75, 55, 85, 99}, // caro 6 days before
		"first day of the window":   {60, 60, 60, 60, 60, 65, 75, 55, 85, 99},
		"lower quartile":            {70, 70, 60, 60, 60, 65, 55, 55, 120, 120},
		"always waiting":            {120, 120, 120, 120, 120, 120, 120, 120, 120, 120},
	}
	for i, p := range policies {
		sum, early := 0.0, 0.0
		for day, euro := range want[p.name] {
			sum += euro
			if day <= 7 {
				early += euro
			}
		}
		if got := m.cost[0][i]; got.Count != 10 || got.Mean() != sum/10 {
			t.Errorf("%s: %d travellers and %v euro, want 10 and %v", p.name, got.Count, got.Mean(), sum/10)
		}
		if got := m.cost[1][i]; got.Count != 8 || got.Mean() != early/8 {
			t.Errorf("%s: %d travellers before the window's end and %v euro, want 8 and %v", p.name, got.Count,
				got.Mean(), early/8)
		}
	}
}

func measured(r routeReplay) *measures {
	m := newMeasures(r.span, 1)
	m.travellers(0, r)
	m.bookingWindow(0, r)
	return m
}

// TestTravellersForward simulates each traveller day by day, from the first day on. The tested code
// computes the same prices backwards, from the last day.
func TestTravellersForward(t *testing.T) {
	for name, observations := range market(5, 2, 120, 90) {
		s := replay(t.Context(), observations, span{first: day0, from: day0 + 30, to: day0 + 119, cycle: 1})
		m := measured(s)
		sums, n := make([]float64, len(policies)), 0
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
					sums[i] += float64(best) / 100
				}
				n++
			}
		}
		for i, p := range policies {
			got := m.cost[0][i]
			if want := sums[i] / float64(n); got.Count != n || math.Abs(got.Mean()-want) > 1e-6 || n == 0 {
				t.Errorf("%s, %s: %v of %d, want %v of %d", name, p.name, got.Mean(), got.Count, want, n)
			}
		}
	}
}

// TestBookingWindow: the invented fares are cheapest 53 days before departure, and the report finds
// this minimum.
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

func TestTiesSpread(t *testing.T) {
	for _, c := range []struct {
		below, equal, size int
		p                  int
		want               float64
	}{
		{0, 9, 9, 50, 0.5}, // a constant price has any rank
		{0, 0, 9, 5, 0.5},  // a new low lies in the lowest tenth
		{0, 0, 9, 10, 1},
		{5, 0, 9, 50, 0},
		{5, 3, 9, 70, 0.5},
	} {
		if got := atMost(verdict.Percentile{Below: c.below, Equal: c.equal, Size: c.size},
			c.p); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestBuckets(t *testing.T) {
	got := map[int]string{}
	for _, lead := range []int{0, 3, 4, 60, 61, 180, 181, 500} {
		got[lead] = bucketName(bucketOf(lead))
	}
	want := map[int]string{0: "0-3", 3: "0-3", 4: "4-7", 60: "46-60", 61: "61-90", 180: "91-180", 181: "181+",
		500: "181+"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
