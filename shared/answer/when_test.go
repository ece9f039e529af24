package answer_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// sheetOf returns a departure state with departures on the next 120 days, each seen daily
// for 40 days. Prices are in currency, at perEuro.
func sheetOf(seed uint64, currency fare.Currency, perEuro float64, stops departure.StopsKnown) *departure.State {
	chance := rand.New(rand.NewPCG(seed, 5))
	var s departure.Learner
	s.Convert(currency, perEuro)
	s.Stops = stops
	s.Facts = verdict.RouteSummary{View: verdict.View{
		Observations: 4800, Newest: today.Time().Unix(), Window: &verdict.Window{
			From: 30, To: 60, Median: 40_00, Sample: 100,
		},
	}}.Facts()
	price := map[fare.Day]fare.Cents{}
	var all []departure.Live
	for day := today - 40; day <= today; day++ {
		for lead := fare.Day(1); lead <= 120; lead++ {
			at := day + lead
			if price[at] == 0 || chance.IntN(8) == 0 {
				price[at] = fare.Cents(perEuro * float64(2000+100*chance.IntN(60)))
			}
			if at%10 == 3 {
				continue // a day without flights
			}
			all = append(
				all,
				departure.Live{Depart: at, Price: price[at], Found: day.Time().Unix() + 3600, Stops: fare.NonStop},
			)
		}
	}
	var left departure.Statistics
	s.Advance(today, departure.Start(today-40), all, &left)
	return &s.State
}

// learned returns pooled statistics with one outcome for each horizon.
func learned(day fare.Day) *departure.Pooled {
	pooled := departure.Start(day)
	var sums departure.Statistics
	for _, h := range departure.Horizons() {
		new(departure.Route).Learn(h, pooled.View(day), []departure.Outcome{{}}, &sums)
		pooled.Learn(h, day, &sums)
	}
	return pooled
}

type sheets struct {
	*stored
	of        map[fare.Series]*departure.State
	pooled    int // reads of the pooled statistics
	read      int
	histories int
	broken    error
}

func (s *sheets) Sheet(_ context.Context, of fare.Series, _ bool) (*departure.State, error) {
	s.read++
	if s.broken != nil {
		return nil, s.broken
	}
	if state, ok := s.of[of]; ok {
		return store.States.Pack(state).Value()
	}
	return nil, store.ErrNotFound
}

func (s *sheets) Pooled(context.Context) (departure.Cycle, error) {
	s.pooled++
	return departure.Cycle{Day: today - 1, Pooled: learned(today)}, nil
}

// Blocks returns a history of 30 days with the departures 40 to 43 days ahead. They cost 50 to 53
// euro today, and 1 euro more for each earlier day. MIL-BUD has the same prices in forints, at 400
// per euro. One second before each fare, a more expensive one was found.
func (s *sheets) Blocks(_ context.Context, of fare.Series, _ store.Consistency) (all []store.StoredBlock, _ error) {
	s.histories++
	huf, _ := fare.ParseCurrency("HUF")
	var found []fare.Observation
	for back := range fare.Day(30) {
		for at := range fare.Day(4) {
			o := fare.Observation{
				Found: (today - back).Time().Unix() + 60, Depart: today + 40 +
					at, Price: fare.Cents(5000 + 100*int(at+back)),
				Stops: fare.Stops(1 + at%2),
			}
			if of == pest {
				o.Price, o.Currency = 400*o.Price, huf
			}
			dearer := o
			dearer.Price, dearer.Found = dearer.Price+900*100, dearer.Found-1
			found = append(found, o, dearer)
		}
	}
	for _, b := range fare.Blocks(found) {
		all = append(all, store.StoredBlock{Block: b})
	}
	return all, nil
}

var (
	london = fare.Series{Route: fare.Route{Origin: "MIL", Destination: "LON"}}
	pest   = fare.Series{Route: fare.Route{Origin: "MIL", Destination: "BUD"}}
)

func departures(t *testing.T) (*sheets, *answer.Reader) {
	huf, err := fare.ParseCurrency("HUF")
	storetest.Must(t, err)
	s := &sheets{stored: world(t), of: map[fare.Series]*departure.State{
		london: sheetOf(1, fare.EUR, 1, departure.AllNonStop),
		pest:   sheetOf(2, huf, 400, departure.StopsUnknown),
		{Route: london.Route, Trip: fare.Return4to7}: sheetOf(3, fare.EUR, 1, departure.AllNonStop),
	}}
	return s, readerOf(s)
}

// on returns a function that sets the departure day of a question, or a range of days around it.
func on(date fare.Day, span ...departure.Span) func(*answer.Question) {
	return func(q *answer.Question) {
		q.When = &answer.When{Parameter: "partenza", When: verdict.When{Date: date}}
		if len(span) > 0 {
			q.When.Span = &span[0]
		}
	}
}

func both(changes ...func(*answer.Question)) func(*answer.Question) {
	return func(q *answer.Question) {
		for _, c := range changes {
			c(q)
		}
	}
}

func TestDepartures(t *testing.T) {
	seen := today + 45
	for seen%10 == 3 {
		seen++
	}
	for _, c := range []struct {
		name  string
		q     answer.Question
		scope verdict.Scope
		span  fare.Day // maximum days between question and departure; -1: unknown
		says  int
	}{
		{"a departure", question("Londra", on(seen)), "partenza", 0, 2},
		{
			"without stops", question(
				"Londra", both(on(seen), func(q *answer.Question) { q.NonStop = true }),
			), "partenza", 0,
			2,
		},
		{"soon", question("Londra", on(today+9)), "partenza", 0, 1},
		{"tomorrow", question("Londra", on(today+1)), "partenza", 0, 0},
		{"in another currency", question("Budapest", on(seen)), "partenza", 0, 2},
		{
			"a return", question(
				"Londra", both(on(seen), func(q *answer.Question) { q.Trip = fare.Return4to7 }),
			), "partenza",
			0, 2,
		},
		{"some days", question("Londra", on(seen, departure.Within3)), "partenza", 3, 2},
		{"a month", question("Londra", on(seen, departure.Month)), "mese", 31, 2},
		{"a price", question("Londra", both(on(seen), priced(33, "EUR"))), "partenza", 0, 2},
		{"a price where no fare is", question("Londra", both(on(today+200), priced(33, "EUR"))), "partenza", 0, 2},
		{"a price in another currency", question("Budapest", both(on(seen), priced(33, "USD"))), "partenza", 0, 2},
		{"a price of a month", question("Londra", both(on(seen, departure.Month), priced(33, "EUR"))), "mese", -1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := departures(t)
			storetest.Must(t, r.Check(t.Context(), c.q))
			full, err := r.Answer(t.Context(), c.q)
			storetest.Must(t, err)
			a := full.Judgement
			if s.read != 1 || s.reads != 0 || s.pooled != 1 {
				t.Errorf("%d sheets, %d summaries and %d pooled parts were read", s.read, s.reads, s.pooled)
			}
			if a.Scope != c.scope || full.Origin.Name != "Milano" || full.Series.Origin != "MIL" || a.Observations != 4800 ||
				a.Window == nil {
				t.Errorf("%+v", a)
			}
			v, q := a.Verdict, a.Quartiles
			if !v.Judged() || q == nil || v.Median != q.Median || v.Minimum != q.Minimum ||
				a.Difference() != a.Fare.Price-q.Median || v.Sample < 4000 {
				t.Fatalf("%+v %+v", v, q)
			}
			if !slices.IsSorted([]fare.Cents{q.Minimum, q.Q1, q.Median, q.Q3, q.Maximum}) ||
				q.Minimum < 15_00 || q.Maximum > 100_00 {
				t.Errorf("%+v", q)
			}
			if c.span < 0 {
				if a.Fare.Depart != 0 || a.Lead != nil || a.Forecasts != nil {
					t.Errorf("%+v", a)
				}
				return
			}
			at := a.Fare.Depart
			if at < c.q.When.Date-c.span || at > c.q.When.Date+c.span {
				t.Errorf("departs %s", at)
			}
			if lead := int(at - today); *a.Lead != lead || *a.InWindow != (lead >= 30 && lead <= 60) {
				t.Errorf("%d days ahead, inside %v", *a.Lead, *a.InWindow)
			}
			if len(a.Forecasts) != c.says {
				t.Fatalf("%+v", a.Forecasts)
			}
			for i, p := range a.Forecasts {
				if p.Days != []int{7, 14}[i] || p.Chance < 0 || p.Chance > .4 || p.OrMore && p.Chance != .4 ||
					p.Cases == 0 || p.Low > p.Mean || p.Mean > p.High || p.Pays && p.High > 0 {
					t.Errorf("%+v", p)
				}
			}
		})
	}
}

func TestDeparturesWithoutAnswer(t *testing.T) {
	empty := today + 45
	for empty%10 != 3 {
		empty++
	}
	near := func(day fare.Day) verdict.Day {
		return verdict.Day{Judged: verdict.Judged{Fare: verdict.Live{Depart: day}}}
	}
	back := func(name string, day fare.Day) func(*answer.Question) {
		return func(q *answer.Question) { q.When.BackName, q.When.Back = name, day }
	}
	for _, c := range []struct {
		name string
		q    answer.Question
		want error
		free bool
	}{
		{
			"a day that has been", question("Londra", on(today-1)),
			&answer.BadDate{Parameter: "partenza", Fault: answer.Past, From: today}, true,
		},
		{
			"some days around it", question("Londra", on(today-1, departure.Within3)),
			&answer.BadDate{Parameter: "partenza", Fault: answer.Past, From: today}, true,
		},
		{
			"a month that has been", question("Londra", on(today-5, departure.Month)),
			&answer.BadDate{Parameter: "partenza", Fault: answer.Past, From: today}, true,
		},
		{
			"a day too far", question("Londra", on(today+366)),
			&answer.BadDate{Parameter: "partenza", Fault: answer.Far, From: today}, true,
		},
		{
			"a month too far", question("Londra", on(today+400, departure.Month)),
			&answer.BadDate{Parameter: "partenza", Fault: answer.Far, From: today}, true,
		},
		{
			"back on the same day", question("Londra", both(on(today+30), back("ritorno", today+30))),
			&answer.BadDate{Parameter: "ritorno", Fault: answer.BackFirst, From: today + 30}, true,
		},
		{
			"back too late", question("Londra", both(on(today+30), back("ritorno", today+361))),
			&answer.BadDate{Parameter: "ritorno", Fault: answer.BackFar, From: today + 30}, true,
		},
		{
			"no fare that day", question("Londra", on(empty)),
			&answer.NoAnswer{Reason: answer.NoFareOn, Near: []verdict.Day{near(empty - 2), near(empty - 1), near(empty + 1)}}, false,
		},
		{"a route never seen", question("Vienna", on(empty)), &answer.NoAnswer{Reason: answer.NotCovered}, false},
		{"a route without a sheet", question("Parigi", on(empty)), &answer.NoAnswer{Reason: answer.NoFareOn}, false},
		{
			"stops that are not known", question(
				"Budapest", both(on(empty), func(q *answer.Question) { q.NonStop = true }),
			),
			&answer.NoAnswer{Reason: answer.StopsUnknown}, false,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := departures(t)
			err := r.Check(t.Context(), c.q)
			if c.free != (err != nil) {
				t.Fatalf("checked: %v", err)
			}
			if err == nil {
				_, err = r.Answer(t.Context(), c.q)
			} else if s.read+s.reads > 0 {
				t.Error("something was read for what is refused")
			}
			var bad *answer.BadDate
			none := answer.Why(err)
			switch want := c.want.(type) {
			case *answer.BadDate:
				if !errors.As(err, &bad) || *bad != *want {
					t.Errorf("error %#v", err)
				}
			case *answer.NoAnswer:
				if none == nil || none.Reason != want.Reason || len(none.Near) != len(want.Near) {
					t.Fatalf("error %#v", err)
				}
				for i, near := range none.Near {
					if near.Fare.Depart != want.Near[i].Fare.Depart || near.Fare.Price == 0 || near.Verdict.Median == 0 {
						t.Errorf("near is %+v", near)
					}
				}
				if usual := none.Usual; len(want.Near) > 0 && (usual.Verdict.Median == 0 || usual.Difference() != 0) {
					t.Errorf("usual is %+v", none.Usual)
				}
			}
		})
	}
	_, r := departures(t)
	for _, month := range []fare.Day{today, today + 365} { // begun, and just within reach
		if err := r.Check(t.Context(), question("Londra", on(month, departure.Month))); err != nil {
			t.Error(err)
		}
	}
}

// A day is past when it is past at the origin, and no earlier or later.
func TestToday(t *testing.T) {
	for _, c := range []struct{ origin, now, want string }{
		{"New York", "2026-12-01T03:00:00Z", "2026-11-30"}, {"Roma", "2026-12-01T03:00:00Z", "2026-12-01"},
		{"LAX", "2026-12-01T07:59:59Z", "2026-11-30"}, {"LAX", "2026-12-01T08:00:00Z", "2026-12-01"},
		{"Honolulu", "2026-12-01T09:59:59Z", "2026-11-30"}, {"São Paulo", "2026-12-01T02:00:00Z", "2026-11-30"},
		{"Auckland", "2026-11-30T12:00:00Z", "2026-12-01"}, {"Tokyo", "2026-11-30T15:00:00Z", "2026-12-01"},
		{"Kathmandu", "2026-11-30T18:15:00Z", "2026-12-01"}, {"Londra", "2026-06-30T23:00:00Z", "2026-07-01"},
		{"Milano", "2026-11-30T23:00:00Z", "2026-12-01"}, {"nowhere at all", "2026-11-30T23:59:59Z", "2026-11-30"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Today(places.Read(c.origin).Place, now); got.String() != c.want {
			t.Errorf("%s at %s: %s, want %s", c.origin, c.now, got, c.want)
		}
		reader := answer.Reader{Now: func() time.Time { return now }}
		for day, refused := range map[fare.Day]bool{fare.DayOf(now) - 2: true, answer.Today(places.Read(c.origin).Place, now) - 1: true,
			answer.Today(places.Read(c.origin).Place, now): false, fare.DayOf(now) + answer.MaxAhead: false} {
			q := answer.Question{From: answer.Name("", c.origin), When: &answer.When{When: verdict.When{Date: day}}}
			if err := reader.Check(t.Context(), q); (err != nil) != refused {
				t.Errorf("%s at %s: departure on %s: %v", c.origin, c.now, day, err)
			}
		}
	}
}
