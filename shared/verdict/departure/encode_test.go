package departure

import (
	"math"
	"math/rand/v2"
	"testing"

	"verdetto/shared/fare"
)

func (s *service) stored(t testing.TB, day fare.Day) *service {
	t.Helper()
	c := &service{}
	var err error
	must := func(e error) {
		if err = e; err != nil {
			t.Fatal(err)
		}
	}
	c.pooled, err = DecodePooled(s.pooled.Encode())
	must(err)
	for i := range s.routes {
		route, err := DecodeRoute(s.routes[i].Encode())
		must(err)
		departures, err := DecodeDepartures(s.departures[i].Encode(day))
		must(err)
		questions, err := DecodeQuestions(s.questions[i].Encode())
		must(err)
		c.routes, c.departures, c.questions = append(c.routes, route), append(c.departures, departures),
			append(c.questions, questions)
	}
	return c
}

func TestStoredStateAnswersAlike(t *testing.T) {
	for _, cycle := range []fare.Day{1, 7} {
		kept, store := newService(3, 0), newService(3, 0)
		m := newMarket(8, 3, 25)
		worst, answered, atEdge := 0., 0, 0
		for day := fare.Day(0); day < 500; day += cycle {
			var today [3][]Quote
			for i := range today {
				today[i] = m.quotes(i, day)
			}
			quotes := func(route int) []Quote { return today[route] }
			want := kept.refresh(day, quotes)
			got := store.refresh(day, quotes)
			store = store.stored(t, day)
			for i := range want {
				if want[i].Known != got[i].Known || want[i].Count != got[i].Count {
					t.Fatalf("day %d: %+v, stored %+v", day, want[i], got[i])
				}
				if !want[i].Known {
					continue
				}
				answered++
				d := max(math.Abs(want[i].Percentile-got[i].Percentile),
					math.Abs(want[i].Chance[Week]-got[i].Chance[Week])/10)
				if d > .001 { // rounding may move a residual to the next step, or a percentile to the next cell
					atEdge++
				} else {
					worst = max(worst, d)
				}
			}
		}
		t.Logf("every %d days: off by %.5f at most, %d answers, %d at an edge", cycle, worst, answered, atEdge)
		if atEdge > answered/1000 || answered < 1000 {
			t.Errorf("every %d days: %d of %d answers are off", cycle, atEdge, answered)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	s, _ := after(9, 3, 60, 70)
	for i := range s.departures {
		s.departures[i].See(70-lowDays, Quote{lowDays + 90, 4999})
		s.departures[i].See(70-lowDays-1, Quote{lowDays + 92, 4999})
	}
	again := s.stored(t, 70)
	twice := again.stored(t, 70)
	if *again.pooled != *twice.pooled || string(again.pooled.Encode()) != string(s.pooled.Encode()) {
		t.Error("the pooled part changed")
	}
	for i := range s.routes {
		if string(s.routes[i].Encode()) != string(again.routes[i].Encode()) {
			t.Errorf("route %d changed", i)
		}
		if string(s.departures[i].Encode(70)) != string(again.departures[i].Encode(70)) {
			t.Errorf("departures of route %d changed", i)
		}
		if string(s.questions[i].Encode()) != string(again.questions[i].Encode()) {
			t.Errorf("questions of route %d changed", i)
		}
		for at, want := range s.departures[i] {
			got := again.departures[i][at]
			if last, _, _ := want.Last(); at < 70 || last < 70-lowDays {
				if got != nil {
					t.Errorf("departure %d was kept", at)
				}
				continue
			}
			for range 20 {
				price := fare.Cents(3000 + rand.IntN(9000))
				for _, day := range []fare.Day{70, 90, 125} {
					a, b, ok := want.movesAndLow(day, price)
					if c, d, also := got.movesAndLow(day, price); a != c || b != d || ok != also {
						t.Fatalf("departure %d, day %d: %d %d %v is read as %d %d %v", at, day, a, b, ok, c, d, also)
					}
				}
			}
		}
	}
	var none Statistics
	left := Statistics{}
	s.routes[0].Day(s.pooled.View(71), nil).Fold([]Quote{{3, 5000}, {50, 70_000}}, &left)
	s.routes[0].Learn(Week, s.pooled.View(71), []Outcome{{Cells{1, levelFirst + 2, changeFirst, lowFirst, besideFirst + 1}, true}}, &left)
	back, err := DecodeStatistics(left.Encode())
	if err != nil || *back != left || *back == none {
		t.Errorf("statistics are read as others: %v", err)
	}
}

// The item that stores a route with its departures must fit into 8 KB, and also contains other data.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		departures, most int
	}{{14, 1000}, {300, 5000}} {
		s, _ := after(10, 1, c.departures, 120)
		route, departures := len(s.routes[0].Encode()), len(s.departures[0].Encode(119))
		t.Logf("%d live departures: route %d bytes, departures %d (%.1f each), together %d; open questions %d; pooled %d",
			c.departures, route, departures, float64(departures)/float64(c.departures), route+departures,
			len(s.questions[0].Encode()), len(s.pooled.Encode()))
		if n := len(s.departures[0]); n < c.departures {
			t.Errorf("only %d departures", n)
		}
		if route+departures > c.most {
			t.Errorf("%d live departures: %d bytes", c.departures, route+departures)
		}
		if n := len(s.pooled.Encode()); n > 1500 {
			t.Errorf("the pooled part: %d bytes", n)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	s, _ := after(11, 1, 20, 30)
	decoders := map[string]func([]byte) error{
		"pooled":     func(b []byte) error { _, err := DecodePooled(b); return err },
		"route":      func(b []byte) error { _, err := DecodeRoute(b); return err },
		"departures": func(b []byte) error { _, err := DecodeDepartures(b); return err },
		"questions":  func(b []byte) error { _, err := DecodeQuestions(b); return err },
		"statistics": func(b []byte) error { _, err := DecodeStatistics(b); return err },
	}
	for name, data := range map[string][]byte{
		"pooled": s.pooled.Encode(), "route": s.routes[0].Encode(), "departures": s.departures[0].Encode(30),
		"questions":  s.questions[0].Encode(),
		"statistics": new(Statistics).Encode(),
	} {
		decode := decoders[name]
		if err := decode(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, bad := range [][]byte{nil, {9}, data[:len(data)/2], data[:len(data)-1],
			append(append([]byte{}, data...), 0)} {
			if decode(bad) == nil {
				t.Errorf("%s: %d bytes of %d were read", name, len(bad), len(data))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	s, _ := after(12, 1, 12, 20)
	f.Add(s.pooled.Encode(), s.routes[0].Encode(), s.departures[0].Encode(20), s.questions[0].Encode())
	f.Fuzz(func(t *testing.T, pooled, route, departures, questions []byte) {
		if d, err := DecodeDepartures(departures); err == nil {
			day := fare.Day(math.MinInt32)
			for at, past := range d {
				past.movesAndLow(at, 5000)
				last, _, _ := past.Last()
				day = max(day, last)
			}
			if _, err := DecodeDepartures(d.Encode(day)); len(d) > 0 && err != nil {
				t.Errorf("departures: %v", err)
			}
		}
		if q, err := DecodeQuestions(questions); err == nil {
			if _, err := DecodeQuestions(q.Encode()); err != nil {
				t.Errorf("questions: %v", err)
			}
		}
		p, err := DecodePooled(pooled)
		if err != nil {
			return
		}
		r, err := DecodeRoute(route)
		if err != nil {
			return
		}
		view := p.View(max(p.epoch, r.epoch) + 1)
		quotes := []Quote{{20, 5000}}
		on := r.Day(view, quotes)
		on.Judge(nil, Quote{20, 5000})
		on.Quartiles(Quote{20, 5000})
		on.Fold(quotes, new(Statistics))
		if _, err := DecodePooled(p.Encode()); err != nil {
			t.Errorf("pooled: %v", err)
		}
	})
}
