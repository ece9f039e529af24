package answer_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
)

const today = fare.Day(20000) // 2024-10-04

type stored struct {
	answer.Fares
	summaries map[fare.Series]verdict.RouteSummary
	reads     int
	demand    map[string]fare.Day
	err       error
}

func (s *stored) Covered(context.Context, fare.City, int) ([]fare.City, error) {
	return []fare.City{"MIL"}, nil
}

func (s *stored) Summary(_ context.Context, series fare.Series) (verdict.RouteSummary, error) {
	s.reads++
	if summary, ok := s.summaries[series]; ok {
		return store.Summaries.Pack(summary).Value()
	}
	return verdict.RouteSummary{}, store.ErrNotFound
}

func (s *stored) note(what string, until time.Time) error {
	if s.err != nil {
		return s.err
	}
	if s.demand == nil {
		s.demand = map[string]fare.Day{}
	}
	if _, twice := s.demand[what]; twice {
		return errors.New(what + " is noted a second time")
	}
	s.demand[what] = fare.DayOf(until) - today
	return nil
}

func (s *stored) NoteDemand(_ context.Context, series fare.Series, until time.Time) error {
	return s.note(series.String(), until)
}

func (s *stored) RequestOrigin(_ context.Context, origin fare.City, until time.Time) error {
	return s.note(string(origin), until)
}

func (s *stored) Rates(context.Context) (fare.Rates, error) {
	return fare.Rates{PerEuro: map[string]float64{"HUF": 400, "USD": 1.25}}, nil
}

func readerOf(fares answer.Fares) *answer.Reader {
	return answer.NewReader(
		fares, func() time.Time { return today.Time().Add(12 * time.Hour) }, slog.New(slog.DiscardHandler),
	)
}

func (s *stored) reader() *answer.Reader {
	return readerOf(s)
}

func found(
	t *testing.T, code string, prices func(day fare.Day) map[fare.Stops]fare.Cents, nights int16,
) verdict.RouteSummary {
	t.Helper()
	currency, err := fare.ParseCurrency(code)
	storetest.Must(t, err)
	var all []fare.Observation
	for d := today - 60; d <= today; d++ {
		for stops, price := range prices(d) {
			all = append(all, fare.Observation{
				Found: d.Time().Unix(), Depart: d + 40, Price: price, Currency: currency, Stops: stops, Nights: nights,
			})
		}
	}
	return verdict.Build(
		all, verdict.RouteSummary{}, today,
		verdict.Options{Rates: fare.Rates{PerEuro: map[string]float64{"HUF": 400, "USD": 1.25}}},
	)
}

func world(t *testing.T) *stored {
	one := func(base, step fare.Cents) func(fare.Day) map[fare.Stops]fare.Cents {
		return func(d fare.Day) map[fare.Stops]fare.Cents {
			return map[fare.Stops]fare.Cents{fare.NonStop: base + step*fare.Cents(d%7)}
		}
	}
	both := func(d fare.Day) map[fare.Stops]fare.Cents {
		return map[fare.Stops]fare.Cents{fare.NonStop: 90_00, fare.OneStop: 50_00 + 1_00*fare.Cents(d%7)}
	}
	unknown := func(fare.Day) map[fare.Stops]fare.Cents { return map[fare.Stops]fare.Cents{fare.StopsUnknown: 70_00} }
	series := func(to fare.City, trip fare.Trip) fare.Series {
		return fare.Series{Route: fare.Route{Origin: "MIL", Destination: to}, Trip: trip}
	}
	old := found(t, "EUR", one(30_00, 1_00), 0)
	old.AsOf -= 30
	return &stored{summaries: map[fare.Series]verdict.RouteSummary{
		series("LON", fare.OneWay):     found(t, "EUR", both, 0),
		series("LON", fare.Return4to7): found(t, "EUR", one(120_00, 2_00), 5),
		series("BUD", fare.OneWay):     found(t, "HUF", one(12_000_00, 500_00), 0),
		series("PAR", fare.OneWay):     found(t, "EUR", unknown, 0),
		series("ROM", fare.OneWay):     old,
		series("PRG", fare.OneWay):     found(t, "EUR", unknown, 0),
	}}
}

func question(to string, change func(*answer.Question)) answer.Question {
	q := answer.Question{
		From: answer.Name("origine", "Milano"), To: answer.Name("destinazione", to),
	}
	if change != nil {
		change(&q)
	}
	return q
}

func priced(amount float64, currency string) func(*answer.Question) {
	return func(q *answer.Question) {
		q.Price = &answer.Price{Parameter: "prezzo", Amount: amount, Currency: currency}
	}
}

func TestWhatCannotBeAnswered(t *testing.T) {
	as := func(target any) func(error) bool { return func(err error) bool { return errors.As(err, target) } }
	var (
		city     *answer.UnknownCity
		same     *answer.SameCity
		price    *answer.BadPrice
		currency *answer.UnknownCurrency
	)
	for _, c := range []struct {
		name string
		q    answer.Question
		is   func(error) bool
		free bool
	}{
		{"an unknown city", question("Atlantide", nil), as(&city), false},
		{"the same city", question("Milano", nil), as(&same), true},
		{"a route that is not covered", question("Vienna", nil), why(answer.NotCovered), false},
		{
			"a stay that is not covered", question("Londra", func(q *answer.Question) { q.Trip = fare.Return15 }),
			why(answer.NoReturns), false,
		},
		{"no live fare", question("Roma", nil), why(answer.NoFare), false},
		{
			"non-stop where stops are not known", question("Parigi", func(q *answer.Question) { q.NonStop = true }),
			why(answer.StopsUnknown), false,
		},
		{"a price of nothing", question("Londra", priced(0, "EUR")), as(&price), true},
		{"a negative price", question("Londra", priced(-5, "EUR")), as(&price), true},
		{"an absurd price", question("Londra", priced(100_000.01, "EUR")), as(&price), true},
		{"an absurd price in another currency", question("Londra", priced(50_000_000, "HUF")), as(&price), true},
		{"a price under a cent", question("Budapest", priced(0.01, "HUF")), as(&price), true},
		{"an unknown currency", question("Londra", priced(5, "XXX")), as(&currency), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := world(t)
			r := s.reader()
			err := r.Check(t.Context(), c.q)
			if c.free != (err != nil) {
				t.Fatalf("checked: %v", err)
			}
			if err == nil {
				_, err = r.Answer(t.Context(), c.q)
			}
			if !c.is(err) || err.Error() == "" {
				t.Errorf("error %v", err)
			}
			if c.free && s.reads > 0 {
				t.Errorf("%d reads for what is refused", s.reads)
			}
		})
	}
}

func TestDemandIsNotedOnceADay(t *testing.T) {
	s := world(t)
	r := s.reader()
	for range 3 {
		for _, q := range []answer.Question{
			question("Londra", nil), question("Londra", func(q *answer.Question) { q.NonStop = true }),
			question("Vienna", nil), question("Londra", func(q *answer.Question) { q.Trip = fare.Return15 }),
		} {
			_, _ = r.Answer(t.Context(), q)
		}
	}
	if diff := cmp.Diff(map[string]fare.Day{"MIL-LON": 8, "MIL": 16, "MIL-LON#15+": 8}, s.demand); diff != "" {
		t.Error(diff)
	}
	s = world(t)
	s.err = fmt.Errorf("note: %w", store.ErrUnavailable)
	if _, err := s.reader().Answer(t.Context(), question("Londra", nil)); err != nil {
		t.Errorf("demand that cannot be noted fails the answer: %v", err)
	}
}
