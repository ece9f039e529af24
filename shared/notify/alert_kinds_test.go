package notify

import (
	"math/rand/v2"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

func walk(chance *rand.Rand, days int) (h []Observation) {
	price := 10000
	for day := range days {
		price = max(1000, price+100*(chance.IntN(9)-4))
		seen := Observation{Day: fare.Day(1000 + day), Price: fare.Cents(price), Level: levels[1+chance.IntN(4)]}
		for back := day - 1; back >= 0 && h[back].Price > seen.Price; back-- {
			seen.Low++
		}
		h = append(h, seen)
	}
	return h
}

func TestKinds(t *testing.T) {
	for _, c := range []struct {
		watch Watch
		met   func(h []Observation, at int, last *Observation) bool
	}{
		{Watch{Kind: store.Low, Days: 30}, func(h []Observation, at int, last *Observation) bool {
			if at < 30 {
				return false
			}
			for _, before := range h[at-30 : at] {
				if before.Price <= h[at].Price {
					return false
				}
			}
			return true
		}},
		{Watch{Kind: store.Drop, Percent: 10}, func(h []Observation, at int, last *Observation) bool {
			if last == nil {
				last = &h[0]
			}
			return float64(h[at].Price) <= .9*float64(last.Price)+1e-6
		}},
		{Watch{Kind: store.Drop, Amount: 1500}, func(h []Observation, at int, last *Observation) bool {
			if last == nil {
				last = &h[0]
			}
			return h[at].Price+1500 <= last.Price
		}},
		{Watch{Kind: store.Change}, func(h []Observation, at int, last *Observation) bool {
			if last == nil {
				last = &h[0]
			}
			return h[at].Price != last.Price
		}},
	} {
		chance, messages := rand.New(rand.NewPCG(5, 6)), 0
		for range 50 {
			h := walk(chance, 300)
			var s State
			var last *Observation
			for at, seen := range h {
				want := c.met(h, at, last)
				due, next := c.watch.Due(s, seen)
				if due != want {
					t.Fatalf("%+v, look %d: due %v, want %v after %+v", c.watch, at, due, want, last)
				}
				if again, _ := c.watch.Due(next, seen); again {
					t.Fatalf("%+v: the same observation is sent twice", c.watch)
				}
				tomorrow := seen
				tomorrow.Day++
				tomorrow.Low = 0
				if again, _ := c.watch.Due(next, tomorrow); due && again {
					t.Fatalf("%+v: the same fare is sent twice", c.watch)
				}
				if due {
					messages, last = messages+1, &h[at]
				}
				s = next
			}
		}
		if messages < 50 {
			t.Errorf("%+v: %d messages", c.watch, messages)
		}
	}
}

func TestMissedObservationIsSentLater(t *testing.T) {
	first, cheap := Observation{Day: 1000, Price: 10000, Level: verdict.Fair},
		Observation{Day: 1040, Price: 5000, Level: verdict.Great, Low: 40}
	for _, w := range []Watch{
		{Kind: store.Threshold, Threshold: 5000}, {Kind: store.Verdict}, {Kind: store.Low, Days: 30},
		{Kind: store.Drop, Percent: 50}, {Kind: store.Drop, Amount: 5000}, {Kind: store.Change},
	} {
		s := w.Pass(State{}, first)
		if due, _ := w.Due(s, first); due && w.Kind != store.Verdict && w.Kind != store.Threshold {
			t.Errorf("%+v: the first observation is sent", w)
		}
		s = w.Pass(s, cheap)
		next := cheap
		next.Day, next.Low = 1041, 1
		thin := next
		thin.Level = verdict.Unjudged
		if due, _ := w.Due(s, thin); due {
			t.Errorf("%+v: an observation with too little data is sent", w)
		}
		due, s := w.Due(s, next)
		if !due || s.LastDay != 1041 || s.Price != 5000 {
			t.Errorf("%+v: %v, %+v", w, due, s)
		}
	}
}

func TestPausedAndSince(t *testing.T) {
	h := history{{Day: 1000, Price: 9000, Level: verdict.Expensive},
		{Day: 1010, Price: 5000, Level: verdict.Great, Low: 10}, {Day: 1020, Price: 5000, Level: verdict.Great}}
	for _, c := range []struct {
		name  string
		alert store.Alert
		want  bool
	}{
		{"paused", store.Alert{Threshold: 5000, Paused: 1021}, false},
		{"until today", store.Alert{Threshold: 5000, Paused: 1020}, true},
		{"cheaper since it was asked for", store.Alert{Kind: store.Drop, Percent: 10, Since: 1000}, true},
		{"cheaper before it was asked for", store.Alert{Kind: store.Drop, Percent: 10, Since: 1010}, false},
		{"as cheap as when it was first seen", store.Alert{Kind: store.Drop, Percent: 10, Since: 1015,
			State: store.State{First: 5000}}, false},
		{"cheaper than what was told", store.Alert{Kind: store.Drop, Percent: 10, Since: 900, Mailed: 1005,
			State: store.State{LastPrice: 6000}}, true},
		{"a low that was not told", store.Alert{Kind: store.Low, Days: 10, Since: 1000}, true},
		{"a low that was told", store.Alert{Kind: store.Low, Days: 10, Since: 1000, Mailed: 1010,
			State: store.State{LastPrice: 5000}}, false},
		{"a low before it was asked for", store.Alert{Kind: store.Low, Days: 10, Since: 1011}, false},
	} {
		if got, _ := dueOf(c.alert, h); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestLowFor(t *testing.T) {
	low := func(today fare.Cents, before ...fare.Cents) fare.Day {
		s := verdict.RouteSummary{AsOf: 1000, Currency: fare.EUR, PerEuro: 1}
		s.Live = []verdict.Live{{Depart: 1010, Price: today, Found: fare.Day(1000).Time().Unix()}}
		for i, price := range before {
			s.Lows = append(s.Lows, verdict.Low{Day: 999 - fare.Day(i), Price: price})
		}
		return lowFor(s, 1000)
	}
	for _, c := range []struct {
		name      string
		got, want fare.Day
	}{
		{"nothing is known", low(5000), 0},
		{"as cheap the day before", low(5000, 5000, 4000), 1},
		{"cheaper four days before", low(5000, 6000, 6000, 6000, 4900, 6000), 4},
		{"never as cheap", low(5000, 6000, 6000, 6000), 3},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d, want %d", c.name, c.got, c.want)
		}
	}
}
