package departure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

type market struct {
	rng    *rand.Rand
	routes []map[fare.Day]float64
	ahead  int
}

func newMarket(seed uint64, routes, ahead int) *market {
	return &market{rng: rand.New(rand.NewPCG(seed, 1)), routes: make([]map[fare.Day]float64, routes), ahead: ahead}
}

func (m *market) quotes(route int, day fare.Day) (quotes []Quote) {
	if m.routes[route] == nil {
		m.routes[route] = map[fare.Day]float64{}
	}
	for lead := range m.ahead {
		at := day + fare.Day(lead)
		price, ok := m.routes[route][at]
		if !ok {
			price = 4 + float64(route)/3 + .2*m.rng.NormFloat64()
		}
		if m.rng.IntN(11) == 0 {
			price += .1 * m.rng.NormFloat64()
		}
		m.routes[route][at] = price
		if m.rng.IntN(10) > 0 {
			quotes = append(quotes, Quote{lead,
				fare.Cents(100*math.Round(math.Exp(price)+float64(max(0, 20-lead))) - 1)})
		}
	}
	return quotes
}

type service struct {
	pooled     *Pooled
	routes     []*Route
	departures []Departures
	questions  []Questions
}

func newService(routes int, day fare.Day) *service {
	s := &service{pooled: Start(day)}
	for range routes {
		s.routes = append(s.routes, new(Route))
		s.departures = append(s.departures, Departures{})
		s.questions = append(s.questions, nil)
	}
	return s
}

func (s *service) refresh(day fare.Day, quotes func(route int) []Quote) (answers []Answer) {
	for h := range horizons {
		view := s.pooled.View(day)
		var left Statistics
		for i, r := range s.routes {
			for _, outcomes := range s.questions[i].Due(h, day) {
				r.Learn(h, view, outcomes, &left)
			}
		}
		s.pooled.Learn(h, day, &left)
	}
	view := s.pooled.View(day)
	var left Statistics
	for i, r := range s.routes {
		all := quotes(i)
		on := r.Day(view, all)
		for _, q := range all {
			a := on.Judge(s.departures[i][day+fare.Day(q.Lead)], q)
			answers = append(answers, a)
			s.questions[i].See(day, day+fare.Day(q.Lead), q.Price)
			s.questions[i].Ask(day, q, a.Cells)
		}
		for _, q := range all {
			s.departures[i].See(day, q)
		}
		on.Fold(all, &left)
	}
	s.pooled.Fold(day, &left)
	return answers
}

func after(seed uint64, routes, ahead, days int) (*service, *market) {
	s, m := newService(routes, 0), newMarket(seed, routes, ahead)
	for day := range fare.Day(days) {
		s.refresh(day, func(route int) []Quote { return m.quotes(route, day) })
	}
	return s, m
}

func TestLevels(t *testing.T) {
	for percentile, want := range map[float64]string{
		0: "ottimo", .1: "ottimo", .1099: "ottimo", .11: "buono", .3599: "buono", .36: "normale", .7: "normale",
		.7099: "normale", .71: "caro", 1: "caro",
		.29: "buono", .57: "normale", // the floats 100*.29 and 100*.57 are slightly below 29 and 57
	} {
		if got := string(LevelOf(percentile)); got != want {
			t.Errorf("%v is %s, want %s", percentile, got, want)
		}
	}
	if Percent(.29) != 29 || Percent(.57) != 57 || Percent(.575) != 57 {
		t.Error("whole-number percentiles are off")
	}
}

func TestNoAnswerOfTooLittle(t *testing.T) {
	p, r := Start(10), new(Route)
	for i := range MinCount + 1 {
		day := fare.Day(10 + i)
		on := r.Day(p.View(day), nil)
		a := on.Judge(nil, Quote{30, 5000})
		_, ok := on.Quartiles(Quote{30, 0})
		if want := i >= MinCount; a.Known != want || ok != want || a.Count != i {
			t.Errorf("after %d fares: known %v, quartiles %v, count %d", i, a.Known, ok, a.Count)
		}
		if a.Known == math.IsNaN(a.Percentile) || !(a.Chance[Week] > 0 && a.Chance[Week] < 1) {
			t.Errorf("after %d fares: %+v", i, a)
		}
		var s Statistics
		on.Fold([]Quote{{30, 5000}}, &s)
		p.Fold(day, &s)
	}
}

func TestOwnPrice(t *testing.T) {
	s, m := after(2, 4, 60, 40)
	rng := rand.New(rand.NewPCG(2, 2))
	view := s.pooled.View(40)
	var today [4][]Quote
	for route := range today {
		today[route] = m.quotes(route, 40)
	}
	for range 1000 {
		route, lead := rng.IntN(4), rng.IntN(60)
		past := s.departures[route][fare.Day(40+lead)]
		low := fare.Cents(1 + rng.IntN(30_000))
		high := low + fare.Cents(rng.IntN(30_000))
		on := s.routes[route].Day(view, today[route])
		a, b := on.Judge(past, Quote{lead, low}), on.Judge(past, Quote{lead, high})
		if a.Percentile > b.Percentile {
			t.Fatalf("route %d, %d days ahead: %d has percentile %v, %d has %v", route, lead, low, a.Percentile,
				high, b.Percentile)
		}
		if again := s.routes[route].Day(view, today[route]).Judge(past, Quote{lead, low}); again != a {
			t.Fatalf("asked again: %+v, before %+v", again, a)
		}
	}
	first := s.refresh(40, func(route int) []Quote { return today[route] })
	if len(first) == 0 || !first[0].Known {
		t.Fatal("nothing was answered")
	}
}

func TestQuartilesAgree(t *testing.T) {
	s, m := after(3, 4, 100, 60)
	view := s.pooled.View(60)
	for route := range 4 {
		on := s.routes[route].Day(view, m.quotes(route, 60))
		for lead := range 100 {
			q, ok := on.Quartiles(Quote{Lead: lead})
			if !ok || !(q.Minimum <= q.Q1 && q.Q1 < q.Median && q.Median < q.Q3 && q.Q3 <= q.Maximum) {
				t.Fatalf("%d days ahead: %+v, %v", lead, q, ok)
			}
			for share, at := range map[float64]fare.Cents{.25: q.Q1, .5: q.Median, .75: q.Q3} {
				percentile := func(factor float64) float64 {
					return on.Judge(nil, Quote{lead, fare.Cents(math.Round(float64(at) * factor))}).Percentile
				}
				if below, above := percentile(math.Exp(-step-.001)),
					percentile(math.Exp(step+.001)); below >= share || above <= share {
					t.Fatalf("%d days ahead: prices a step around the %v quantile %d have percentiles %v and %v", lead, share, at, below, above)
				}
			}
			if usual := on.Usual(Quote{Lead: lead}); usual.Median != q.Median || usual.HalfHigh != q.HalfHigh {
				t.Fatalf("%d days ahead: %+v and %+v", lead, usual, q)
			}
			for price := q.Minimum / 2; price < 2*q.Maximum; price += 50 {
				level := LevelOf(on.Judge(nil, Quote{lead, price}).Percentile).Beside(price, q.Median, q.HalfHigh)
				cheap := level == Great || level == Good
				if level != Fair && Near(price, q.Median) || cheap && price >= q.Median ||
					level == Expensive && price <= max(q.Median, q.HalfHigh) {
					t.Fatalf("%d days ahead %d is %s, the median being %d", lead, price, level, q.Median)
				}
			}
		}
	}
}

func TestEpochsAreIrrelevant(t *testing.T) {
	s, _ := after(4, 2, 30, 110)
	for _, later := range []fare.Day{111, 119, 120, 150, 200} {
		plain := s.routes[0].Day(s.pooled.View(later), nil).Judge(nil, Quote{20, 7000})
		route, err := DecodeRoute(s.routes[0].Encode())
		if err != nil {
			t.Fatal(err)
		}
		*route = *s.routes[0].clone()
		route.rebase(&View{day: later})
		pooled := *s.pooled
		pooled.rebase(later)
		if moved := later >= epochDays; (route.epoch == later) != moved || (pooled.epoch == later) != moved {
			t.Fatalf("day %d: epochs %d and %d", later, route.epoch, pooled.epoch)
		}
		rebased := route.Day(pooled.View(later), nil).Judge(nil, Quote{20, 7000})
		for name, pair := range map[string][2]float64{
			"percentile": {plain.Percentile, rebased.Percentile}, "chance": {plain.Chance[0],
				rebased.Chance[0]}, "near": {plain.Near, rebased.Near},
			"borrowed": {plain.Borrowed, rebased.Borrowed}, "cases": {plain.Cases[0], rebased.Cases[0]},
		} {
			// A new epoch removes residuals that weigh less than 1e-6 fares.
			if math.Abs(pair[0]-pair[1]) > 1e-5 || pair[0] <= 0 {
				t.Errorf("day %d: %s is %v, and %v from the next epoch", later, name, pair[0], pair[1])
			}
		}
	}
}

func TestFadesByHalf(t *testing.T) {
	s, _ := after(5, 1, 30, 20)
	now := s.routes[0].Day(s.pooled.View(20), nil).Judge(nil, Quote{20, 7000})
	then := s.routes[0].Day(s.pooled.View(80), nil).Judge(nil, Quote{20, 7000})
	if math.Abs(then.Near/now.Near-.25) > 1e-12 || then.Count != now.Count || then.Borrowed <= now.Borrowed ||
		math.Abs(then.Cases[Week]/now.Cases[Week]-.5) > 1e-12 {
		t.Errorf("%+v after 60 days: %+v", now, then)
	}
	mean := func(day fare.Day) float64 { return s.routes[0].Day(s.pooled.View(day), nil).level.weight }
	if math.Abs(mean(27)/mean(20)-.5) > 1e-12 {
		t.Errorf("the weight of the mean is %v, and %v after 7 days", mean(20), mean(27))
	}
}

func TestOrderOfOriginsIsIrrelevant(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	s, m := after(6, 30, 20, 15)
	view := s.pooled.View(15)
	var parts []*Statistics
	for i, r := range s.routes {
		part := new(Statistics)
		for h := range horizons {
			r.Learn(h, view, []Outcome{{Cells{0, levelFirst, changeFirst, lowFirst, besideFirst + 1}, i%3 == 0}}, part)
		}
		quotes := m.quotes(i, 15)
		r.Day(view, quotes).Fold(quotes, part)
		parts = append(parts, part)
	}
	var want *Pooled
	for range 20 {
		rng.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		var all Statistics
		for _, p := range parts {
			all.Add(p)
		}
		got := *s.pooled
		for h := range horizons {
			got.Learn(h, 15, &all)
		}
		got.Fold(15, &all)
		if want == nil {
			want = &got
		}
		if got != *want {
			t.Fatal("another order gave another state")
		}
	}
	if *want == *s.pooled {
		t.Fatal("nothing was folded in")
	}
}

func TestOneDayIsOneDay(t *testing.T) {
	s, _ := after(7, 4, 60, 120)
	chance := func(p *Pooled) float64 {
		return new(Route).Day(p.View(130), nil).Judge(nil, Quote{30, 5000}).Chance[Week]
	}
	before := chance(s.pooled)
	var after []float64
	for _, fares := range []int{1_000, 100_000} {
		p, all := *s.pooled, Statistics{}
		outcomes := make([]Outcome, fares)
		for j := range outcomes {
			outcomes[j] = Outcome{new(Route).Day(p.View(129), nil).Judge(nil, Quote{30, 5000}).Cells, true}
		}
		new(Route).Learn(Week, p.View(129), outcomes, &all)
		p.Learn(Week, 129, &all)
		after = append(after, chance(&p))
	}
	if after[0] <= before || after[0] > before+.2 || math.Abs(after[0]-after[1]) > 1e-6 {
		t.Errorf("%.3f before; after a sale of 1,000 fares %.3f, of 100,000 %.3f", before, after[0], after[1])
	}
}

func TestLearns(t *testing.T) {
	s := newService(2, 0)
	for day := range fare.Day(200) {
		s.refresh(day, func(route int) []Quote {
			price := fare.Cents(100_000)
			if route == 0 {
				price = fare.Cents(100_000 * math.Pow(.98, float64(day)))
			}
			return []Quote{{40, price}, {30, price}, {29, price}, {28, price}, {27, price}, {26, price}, {25,
				price}, {24, price}, {23, price}}
		})
	}
	view := s.pooled.View(200)
	falling, steady := s.routes[0].Day(view, nil).Judge(nil, Quote{27, 2000}), s.routes[1].Day(view, nil).Judge(nil,
		Quote{27, 100_000})
	for h := range horizons {
		if falling.Chance[h] < 2*steady.Chance[h] || falling.Chance[h] < .4 || falling.Cases[h] < 100 {
			t.Errorf("%d days: %.2f where all falls and %.2f where nothing does, of %.0f cases", h.Days(),
				falling.Chance[h], steady.Chance[h], falling.Cases[h])
		}
	}
}

func TestQuestions(t *testing.T) {
	var qs Questions
	cells := Cells{1, levelFirst, changeFirst, lowFirst, besideFirst + 1}
	qs.Ask(100, Quote{20, 1000}, cells)
	qs.Ask(100, Quote{21, 1000}, cells)
	qs.Ask(100, Quote{22, 1000}, cells)
	for _, seen := range []struct {
		day    fare.Day
		depart fare.Day
		price  fare.Cents
	}{{100, 120, 900}, {100, 122, 900}, {101, 120, 951}, {107, 120, 960}, {107, 121, 950}, {108, 120, 500},
		{115, 121, 500}} {
		qs.See(seen.day, seen.depart, seen.price)
	}
	want := func(h Horizon, day fare.Day, left int, fell ...bool) {
		t.Helper()
		var got []bool
		for _, outcomes := range qs.Due(h, day) {
			for _, o := range outcomes {
				got = append(got, o.Fell)
			}
		}
		if !slices.Equal(got, fell) || len(qs) != left {
			t.Errorf("day %d, %d days: %v, want %v; %d are left, want %d", day, h.Days(), got, fell, len(qs), left)
		}
	}
	want(Week, 107, 3)
	want(Week, 108, 3, false, true)
	want(Week, 109, 3)
	want(Fortnight, 114, 3)
	want(Fortnight, 115, 0, true, true)
}

func ExampleRouteDay_Judge() {
	pooled, route, past := Start(0), new(Route), new(Past)
	for day := range fare.Day(30) {
		view, left := pooled.View(day), Statistics{}
		today := Quote{Lead: 60 - int(day), Price: 10_000 + 200*fare.Cents(day%5)}
		route.Day(view, nil).Fold([]Quote{today}, &left)
		past.See(day, today.Price)
		pooled.Fold(day, &left)
	}
	a := route.Day(pooled.View(30), nil).Judge(past, Quote{Lead: 30, Price: 9_000})
	fmt.Println(LevelOf(a.Percentile), Percent(a.Percentile), a.Count)
	// Output: ottimo 0 30
}
