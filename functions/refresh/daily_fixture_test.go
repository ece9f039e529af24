package refresh_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/notify/notifytest"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

type daily struct {
	origins []fare.City
	fares   []fare.Fare
}

func (*daily) Name() string                                   { return "daily" }
func (s *daily) Origins(context.Context) ([]fare.City, error) { return s.origins, nil }
func (s *daily) Fares(_ context.Context, origin fare.City, since, until time.Time) (a upstream.Answer, _ error) {
	for _, f := range s.fares {
		if at := time.Unix(f.Found, 0); f.Route.Origin == origin && at.After(since) && !at.After(until) {
			a.Fares = append(a.Fares, f)
		}
	}
	return a, nil
}

const firstDay = fare.Day(20500)

func dailyFares(days int) *daily {
	s := &daily{origins: []fare.City{"MIL", "ROM", "TRN"}}
	for i, r := range []struct {
		name   string
		stops  []fare.Stops
		nights int16
	}{
		{"MIL-BUH", []fare.Stops{fare.StopsUnknown}, 0},
		{"MIL-LON", []fare.Stops{fare.NonStop}, 0},
		{"ROM-PAR", []fare.Stops{fare.OneStop, fare.NonStop}, 0},
		{"ROM-PAR", []fare.Stops{fare.NonStop}, 5},
		{"TRN-PAR", []fare.Stops{fare.NonStop}, 0},
	} {
		chance := rand.New(rand.NewPCG(15, uint64(i)))
		price := map[fare.Day]fare.Cents{}
		for d := range days {
			found := firstDay + fare.Day(d)
			for at := found + 1; at < found+12; at++ {
				if price[at] == 0 {
					price[at] = fare.Cents(3000 + 100*chance.IntN(40))
				} else if chance.IntN(4) == 0 {
					price[at] = max(1000, price[at]+fare.Cents(100*(chance.IntN(13)-6)))
				}
				for n, stops := range r.stops {
					s.fares = append(s.fares, fare.Fare{Route: notifytest.Route(r.name), Observation: fare.Observation{
						Found: found.Time().Unix() + int64(3600*i), Depart: at,
						Price: price[at] + fare.Cents(900*n*chance.IntN(2)), Nights: r.nights, Stops: stops,
					}})
				}
			}
		}
	}
	return s
}

type dayStore struct {
	store.Table
	now time.Time
}

func openDays(t *testing.T) *dayStore {
	t.Helper()
	return openDaysAt(t, filepath.Join(t.TempDir(), "test.db"))
}

func openDaysAt(t *testing.T, path string) *dayStore {
	t.Helper()
	s := &dayStore{}
	s.setDay(firstDay)
	s.Table = openFile(t, path, s.clock)
	return s
}

func (s *dayStore) clock() time.Time { return s.now }

func (s *dayStore) setDay(day fare.Day) { s.now = day.Time().Add(12 * time.Hour) }

func (s *dayStore) days(t *testing.T, source upstream.Source, n int) {
	t.Helper()
	for d := range n {
		s.setDay(firstDay + fare.Day(d))
		s.mustRefresh(t, source)
	}
}

func (s *dayStore) mustRefresh(t *testing.T, source upstream.Source, origins ...fare.City) {
	t.Helper()
	mustRun(t, refresher(source, s, s.clock), origins...)
}

func (s *dayStore) departures(t *testing.T) map[string]string {
	t.Helper()
	partitions := []string{"FARES", "SCORE", "ORIGIN#MIL", "ORIGIN#ROM", "ORIGIN#TRN"}
	for _, series := range []string{"MIL-BUH", "MIL-LON", "ROM-PAR", "ROM-PAR#4-7", "TRN-PAR"} {
		partitions = append(partitions, "ROUTE#"+series)
	}
	for day := firstDay; day < firstDay+24; day++ {
		partitions = append(partitions, "LEFT#"+day.String())
	}
	return dump(t, s, partitions...)
}
