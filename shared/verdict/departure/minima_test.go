package departure

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"verdetto/shared/fare"
)

func TestMinima(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 4))
	for range 200 {
		day := begin + fare.Day(chance.IntN(400))
		var live []Quote
		for lead := range 120 {
			if chance.IntN(3) > 0 {
				live = append(live, Quote{lead, fare.Cents(1000 + chance.IntN(9000))})
			}
		}
		for s := range spans {
			want := map[int]fare.Cents{}
			for _, q := range live {
				name := q.Lead
				if s == Month {
					at := (day + fare.Day(q.Lead)).Time()
					name = int(fare.DayOf(time.Date(at.Year(), at.Month()+1, 0, 0, 0, 0, 0, time.UTC)) - day)
				}
				for _, o := range live {
					in := max(q.Lead-o.Lead, o.Lead-q.Lead) <= int(s.Days())
					if s == Month {
						a, b := (day + fare.Day(q.Lead)).Time(), (day + fare.Day(o.Lead)).Time()
						in = a.Month() == b.Month() && a.Year() == b.Year()
					}
					if best, ok := want[name]; in && (!ok || o.Price < best) {
						want[name] = o.Price
					}
				}
			}
			got := s.minima(day, live)
			if len(got) != len(want) {
				t.Fatalf("span %d: %d minima, want %d", s, len(got), len(want))
			}
			for _, q := range got {
				if want[q.Lead] != q.Price {
					t.Fatalf("span %d on %s: %+v, want %d", s, day, q, want[q.Lead])
				}
			}
		}
	}
}

func TestSpansAreJudged(t *testing.T) {
	state := busy(90, 100, 120, 1)
	read, err := DecodeState(state.Encode())
	if err != nil {
		t.Fatal(err)
	}
	for _, later := range []fare.Day{0, 1, 5} {
		today := state.AsOf + later
		day, ok := read.Day(nil, today)
		if !ok {
			t.Fatal("no sheet")
		}
		for s := range spans {
			for _, date := range []fare.Day{today + 3, today + 20, today + 60} {
				cheapest, ok := day.Cheapest(s, date)
				first, last := s.Ends(date)
				if !ok || cheapest.Depart < first || cheapest.Depart > last {
					t.Fatalf("span %d of %s: %+v", s, date, cheapest)
				}
				if slices.ContainsFunc(day.Live(), func(l Live) bool {
					return l.Depart >= first &&
						l.Depart <= last && l.Price < cheapest.Price
				}) {
					t.Errorf("span %d of %s: %d is not the cheapest", s, date, cheapest.Price)
				}
				before := -1.
				for price := cheapest.Price / 2; price < 3*cheapest.Price; price += 50 {
					a, q, ok := day.JudgeSpan(s, date, price)
					if !ok || !a.Known || a.Percentile < before || a.Chance != [horizons]float64{} {
						t.Fatalf("span %d of %s at %d: %+v after %v", s, date, price, a, before)
					}
					if q.Minimum > q.Q1 || q.Q1 > q.Median || q.Median > q.Q3 || q.Q3 > q.Maximum {
						t.Fatalf("quartiles %+v", q)
					}
					before = a.Percentile
				}
			}
		}
		if _, _, ok := day.JudgeSpan(Within1, today-2, 1000); ok {
			t.Error("a span that has left is judged")
		}
		single, _ := day.Quartiles(today + 20)
		if _, q, _ := day.JudgeSpan(Within7, today+20, 1000); q.Median >= single.Median {
			t.Errorf("the median of minima is %d, of departures %d", q.Median, single.Median)
		}
	}
}

func TestSpansOfTheFirstDay(t *testing.T) {
	state := busy(60, 100, 1, 1)
	day, _ := state.Day(nil, state.AsOf)
	for s, within := range map[Span]int{Within1: 3, Within3: 7, Within7: 15} {
		if a, _, ok := day.JudgeSpan(s, state.AsOf+30, 5000); !ok || a.OnSale != 60-within {
			t.Errorf("span %d: %+v, want %d departures outside", s, a, 60-within)
		}
	}
	few := busy(5, 100, 200, 1)
	day, _ = few.Day(nil, few.AsOf)
	if a, _, ok := day.JudgeSpan(Within1, few.AsOf+3, 3000); !ok || !a.Known || a.OnSale != 0 {
		t.Errorf("with 5 departures on sale: %+v", a)
	}
}

func TestCheapest_Flights(t *testing.T) {
	state := busy(60, 100, 1, 1)
	at := func(later fare.Day, price fare.Cents, stops fare.Stops) Live {
		return Live{Depart: state.AsOf + 30 + later, Price: price, Found: state.AsOf.Time().Unix(), Stops: stops}
	}
	want := at(0, 1000, fare.NonStop)
	state.Live = []Live{at(-1, 1000, fare.OneStop), want, at(1, 1000, fare.OneStop), at(2, 1001, fare.NonStop)}
	day, _ := state.Day(nil, state.AsOf)
	if got, _ := day.Cheapest(Within3, want.Depart); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
