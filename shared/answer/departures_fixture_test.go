package answer_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// perEuro is how many units of currency one euro buys.
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
				continue
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
	sheets    map[fare.Series]*departure.State
	pooled    int
	read      int
	histories int
	broken    error
}

func (s *sheets) Sheet(_ context.Context, series fare.Series, _ bool) (*departure.State, error) {
	s.read++
	if s.broken != nil {
		return nil, s.broken
	}
	if state, ok := s.sheets[series]; ok {
		return store.States.Pack(state).Value()
	}
	return nil, store.ErrNotFound
}

func (s *sheets) Pooled(context.Context) (departure.Cycle, error) {
	s.pooled++
	return departure.Cycle{Day: today - 1, Pooled: learned(today)}, nil
}

// Blocks returns the departures 40 to 43 days ahead, for 50 to 53 euros today and 1 euro more for
// each earlier day. One second before each fare, a more expensive one was found.
func (s *sheets) Blocks(_ context.Context, series fare.Series, _ store.Consistency) (all []store.StoredBlock, _ error) {
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
			if series == pest {
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
	s := &sheets{stored: world(t), sheets: map[fare.Series]*departure.State{
		london: sheetOf(1, fare.EUR, 1, departure.AllNonStop),
		pest:   sheetOf(2, huf, 400, departure.StopsUnknown),
		{Route: london.Route, Trip: fare.Return4to7}: sheetOf(3, fare.EUR, 1, departure.AllNonStop),
	}}
	past := sheetOf(4, fare.EUR, 1, departure.StopsUnknown)
	past.Live = nil
	s.sheets[fare.Series{Route: fare.Route{Origin: "MIL", Destination: "PRG"}}] = past
	return s, readerOf(s)
}

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
