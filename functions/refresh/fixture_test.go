package refresh_test

import (
	"testing"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
)

// fixture refreshes a store whose subscribers are notified.
type fixture struct{ *notifytest.Fixture }

func newFixture(t *testing.T) *fixture {
	t.Helper()
	return &fixture{notifytest.New(t)}
}

func (h *fixture) refresh(s *source) refresh.Report {
	h.T.Helper()
	r := refresh.Refresher{Source: s, Fares: store.Fares{Table: h.Table}, Now: h.Now, Workers: 1}
	report, err := r.Run(h.T.Context())
	if err != nil {
		h.T.Fatal(err)
	}
	return report
}

// priced is a source with one fare a day on a route from day to day, the last price today's.
func (h *fixture) priced(prices map[string][]fare.Cents) *source {
	s := &source{has: map[fare.City]any{}}
	day := fare.DayOf(h.Now())
	for name, all := range prices {
		r := notifytest.Route(name)
		had, _ := s.has[r.Origin].([]fare.Fare)
		for i, price := range all {
			found := day - fare.Day(len(all)-1-i)
			had = append(had, fare.Fare{Route: r, Observation: fare.Observation{Found: found.Time().Unix(), Depart: fare.DayOf(today) + 200, Price: price}})
		}
		s.has[r.Origin] = had
	}
	return s
}
