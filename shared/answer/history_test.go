package answer_test

import (
	"testing"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict/departure"
)

func TestHistoryOfDepartures(t *testing.T) {
	nonStop := func(q *answer.Question) { q.NonStop = true }
	month, none := on(today+40, departure.Month), func(*answer.Question) {}
	for _, c := range []struct {
		name  string
		q     answer.Question
		moves int
		first fare.Cents
		last  fare.Cents
		read  int
	}{
		{"of the route alone", question("Londra", none), 0, 0, 0, 0},
		{"a departure", question("Londra", on(today+41)), 30, 80_00, 51_00, 1},
		{"one without stops", question("Londra", both(on(today+40), nonStop)), 30, 79_00, 50_00, 1},
		{"one of whose fares all have stops", question("Londra", both(on(today+41), nonStop)), 0, 0, 0, 1},
		{"in another currency", question("Budapest", on(today+41)), 30, 80_00, 51_00, 1},
		{"a departure that was never seen", question("Londra", on(today+90)), 0, 0, 0, 1},
		{"a month", question("Londra", month), 120, 79_00, 53_00, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := departures(t)
			f, moves, err := r.History(t.Context(), c.q)
			storetest.Must(t, err)
			if len(moves) != c.moves || s.histories != c.read || s.reads != 1 || s.read != 0 {
				t.Fatalf(
					"%d moves; %d histories, %d summaries, %d sheets were read", len(moves), s.histories, s.reads,
					s.read,
				)
			}
			if c.q.When != nil {
				price := c.q
				priced(33, "EUR")(&price)
				a, err := r.Answer(t.Context(), price)
				if err == nil {
					beside, err := r.Moves(t.Context(), price, a)
					if err != nil || len(beside) != len(moves) || s.histories != 2 {
						t.Fatalf("%v: %d moves, %d histories were read", err, len(beside), s.histories)
					}
					for i, l := range moves {
						if l.Price = f.Summary.Euro(l.Price); l.Price != beside[i].Price || l.Found != beside[i].Found {
							t.Fatalf("%+v beside an answer, %+v", beside[i], l)
						}
					}
				} else if !c.q.NonStop {
					t.Fatal(err)
				}
			}
			if c.moves == 0 {
				return
			}
			if first, last := f.Summary.Euro(moves[0].Price), f.Summary.Euro(
				moves[len(moves)-1].Price,
			); first != c.first ||
				last != c.last {
				t.Errorf("from %d to %d", first, last)
			}
			weeks := f.Summary.WeeksOf(moves)
			days := 0
			for _, w := range weeks {
				days += w.Days
				if w.Minimum > w.Median || w.Minimum < 50_00 {
					t.Errorf("%+v", w)
				}
			}
			if days != 30 || weeks[0].First > today-29 {
				t.Errorf("%d days in %+v", days, weeks)
			}
		})
	}
}
