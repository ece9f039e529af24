package departure

import (
	"math"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

func TestFirstDay(t *testing.T) {
	var today []Quote
	for lead := range onSaleRank + 1 {
		on := new(Route).Day(Start(10).View(10), today)
		price := fare.Cents(5000)
		out := on.Judge(nil, Quote{60, price})
		if want := len(today) >= onSaleRank; out.Known != want || want && out.OnSale != len(today) {
			t.Errorf("%d departures on sale, another is judged: %+v", len(today), out)
		}
		if len(today) > 0 {
			in := on.Judge(nil, today[0])
			if want := len(today) > onSaleRank; in.Known != want || want && in.OnSale != len(today)-1 {
				t.Errorf("%d departures on sale, one of them is judged: %+v", len(today), in)
			}
		}
		today = append(today, Quote{30 + lead, price + 500*fare.Cents(lead)})
	}
	on := new(Route).Day(Start(10).View(10), today)
	before := -1.
	for i, q := range today {
		a, ok := on.Quartiles(q)
		judged := on.Judge(nil, q)
		if !ok || a.Q1 > a.Median || a.Median > a.Q3 || judged.Percentile <= before || judged.Near != 0 {
			t.Errorf("departure %d of 9: %+v, %+v", i, judged, a)
		}
		before = judged.Percentile
	}
}

func TestOnSaleIsLeftOut(t *testing.T) {
	s, m := after(14, 1, 60, 30)
	view, today := s.pooled.View(30), m.quotes(0, 30)
	i := len(today) / 2
	ask := func(price fare.Cents) Answer {
		all := slices.Clone(today)
		all[i].Price = price
		on := s.routes[0].Day(view, all)
		a := on.Judge(nil, Quote{today[i].Lead, 5000})
		q, _ := on.Quartiles(Quote{Lead: today[i].Lead})
		if again, _ := on.Quartiles(Quote{today[i].Lead, price}); again != q {
			t.Errorf("quartiles %v, and %v for another price", again, q)
		}
		return a
	}
	if a, b := ask(5000), ask(5001); a != b {
		t.Errorf("%+v, and %+v where its fare on sale is another", a, b)
	}
	without := slices.Delete(slices.Clone(today), i, i+1)
	a, b := ask(5000), s.routes[0].Day(view, without).Judge(nil, Quote{today[i].Lead, 5000})
	if a.OnSale != b.OnSale || math.Abs(a.Percentile-b.Percentile) > .02 {
		t.Errorf("%+v, and %+v where it is not on sale", a, b)
	}
}

func TestBeside(t *testing.T) {
	today := []Quote{{30, 5000}, {31, 6000}, {32, 5000 * 2}, {33, 9000}, {34, 7000}}
	on := new(Route).Day(Start(10).View(10), today)
	for _, c := range []struct {
		q    Quote
		cell int
	}{
		{Quote{30, 5000}, 1},
		{Quote{30, 6000}, 2},
		{Quote{31, 6000}, 5},
		{Quote{60, 5100}, 2}, // this departure is not on sale; its price is 2 % above the cheapest fare
		{Quote{32, 10000}, 7},
	} {
		if got := int(on.Judge(nil, c.q).Cells[4]) - besideUnknown; got != c.cell {
			t.Errorf("%+v: cell %d, want %d", c.q, got, c.cell)
		}
	}
	few := new(Route).Day(Start(10).View(10), today[:4])
	if got := few.Judge(nil, today[0]).Cells[4]; got != besideUnknown {
		t.Errorf("3 others on sale: cell %d", got-besideUnknown)
	}
	if got := few.Judge(nil, Quote{60, 5000}).Cells[4]; got == besideUnknown {
		t.Error("4 others on sale are too few")
	}
}

func TestBesideUnknownIsNotLearned(t *testing.T) {
	p, r := Start(10), new(Route)
	var sums Statistics
	r.Learn(Week, p.View(20), []Outcome{{Cells{1, levelFirst, changeFirst, lowFirst, besideUnknown}, true}}, &sums)
	p.Learn(Week, 20, &sums)
	after, before := p.tables[Week].cells, initial[Week].cells
	if after[lowFirst] == before[lowFirst] || after[besideUnknown] != 0 {
		t.Errorf("the fourth term moved from %v to %v, the fifth to %v", before[lowFirst], after[lowFirst], after[besideUnknown])
	}
}

// All fares depend only on the lead time, so with a lead-time curve the quartiles of a departure
// are close to its price.
func TestCurveCountsOnce(t *testing.T) {
	price := func(lead int) fare.Cents { return fare.Cents(10_000 - 800*place(lead, curveEdges)) }
	var today []Quote
	for lead := range 200 {
		today = append(today, Quote{lead, price(lead)})
	}
	off := func(on *RouteDay) (worst float64) {
		for _, q := range today {
			usual, ok := on.Quartiles(q)
			if !ok {
				t.Fatalf("no quartiles for %+v", q)
			}
			for _, quartile := range []fare.Cents{usual.Q1, usual.Q3} {
				worst = max(worst, math.Abs(float64(quartile)/float64(q.Price)-1))
			}
		}
		return worst
	}
	all := make([][]Quote, 400)
	for i := range all {
		all[i] = today
	}
	for name, c := range map[string]struct {
		start         *Pooled
		hasStartCurve bool
		right         [3]bool
	}{
		"with a first curve": {Start(10), true, [3]bool{true, true, true}},
		"without":            {Start(10), false, [3]bool{false, true, true}},
	} {
		p, sums := c.start, Statistics{}
		if c.hasStartCurve {
			p.StartCurve(10, all)
		}
		routes, view := make([]Route, len(all)), p.View(10)
		first := off(routes[0].Day(view, today))
		for i := range routes {
			routes[i].Day(view, today).Fold(today, &sums)
		}
		stored, err := DecodeRoute(routes[0].Encode())
		if err != nil {
			t.Fatal(err)
		}
		p.Fold(10, &sums)
		second := p.View(11)
		for i, worst := range []float64{first, off(routes[0].Day(second, today)), off(stored.Day(second, today))} {
			if right := worst < .06; right != c.right[i] {
				t.Errorf("%s: case %d: a quartile is off by %.3f", name, i, worst)
			}
		}
		if routes[0].Day(second, today).Fold(today, &sums); routes[0].noCurve {
			t.Errorf("%s: the residuals are still without a curve", name)
		}
	}
}
