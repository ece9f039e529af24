package refresh_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
)

type growingSource struct {
	routes []fare.Route
	random *rand.Rand
}

const routesPerOrigin, departuresOfAYear = 10, 300

func newGrowingSource(routes int) *growingSource {
	s := &growingSource{random: rand.New(rand.NewPCG(1, 2))}
	for i := range routes {
		s.routes = append(s.routes, fare.Route{Origin: originAt(i / routesPerOrigin),
			Destination: originAt(17000 - i%routesPerOrigin)})
	}
	return s
}

func (s *growingSource) Name() string { return "year" }

func (s *growingSource) Origins(context.Context) (origins []fare.City, err error) {
	for i := 0; i < len(s.routes); i += routesPerOrigin {
		origins = append(origins, s.routes[i].Origin)
	}
	return origins, nil
}

func (s *growingSource) Fares(_ context.Context, origin fare.City, _,
	until time.Time) (answer upstream.Answer, err error) {
	for _, r := range s.routes {
		if r.Origin == origin {
			answer.Fares = append(answer.Fares, s.fares(r, until, 3)...)
		}
	}
	return answer, nil
}

func (s *growingSource) Departures(_ context.Context, q upstream.Question, until time.Time) (upstream.Answer, error) {
	return upstream.Answer{Fares: s.fares(q.Route, until, departuresOfAYear)}, nil
}

func (s *growingSource) fares(r fare.Route, until time.Time, n int) (all []fare.Fare) {
	for i := range n {
		all = append(all, fare.Fare{Route: r, Observation: fare.Observation{
			Found: until.Unix() - s.random.Int64N(5*24*3600), Depart: fare.DayOf(until) + 2 + fare.Day(i*360/n),
			Price: fare.Cents(1500 + s.random.IntN(300)*50), Stops: fare.StopsOf(0),
		}})
	}
	return all
}

type copying struct {
	store.Table
	to     *boltstore.Store
	copies int
}

func (c copying) Write(ctx context.Context, ops ...store.Op) error {
	if err := c.Table.Write(ctx, ops...); err != nil {
		return err
	}
	var together []store.Op
	bytes := 0
	for i := range c.copies {
		for _, op := range ops {
			if op.Mode == store.Check {
				continue
			}
			if op.Mode != store.Delete && op.Mode != store.Remove {
				op.Mode = store.Set
			} else {
				op.Mode = store.Delete
			}
			op.Item.Partition += fmt.Sprintf("#%04d", i)
			if together, bytes = append(together, op), bytes+len(op.Item.Data); len(together) == store.MaxWrites ||
				bytes > store.MaxTogether/2 {
				if err := c.to.Write(ctx, together...); err != nil {
					return err
				}
				together, bytes = nil, 0
			}
		}
	}
	if len(together) == 0 {
		return nil
	}
	return c.to.Write(ctx, together...)
}

const observed = 20

func grow(t *testing.T, routes, days int) {
	now := time.Date(2026, 1, 1, 3, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	dir := t.TempDir()
	few, all := openFile(t, filepath.Join(dir, "few.db"), clock), openFile(t, filepath.Join(dir, "all.db"), clock)
	r := refresher(newGrowingSource(observed), copying{few, all, routes / observed}, clock)
	var year, full, last int64
	for day := range days {
		now = now.AddDate(0, 0, 1)
		if day%verdict.LiveDays == 0 {
			mustRun(t, r)
		}
		if report, err := r.Deepen(t.Context()); err != nil || report.Failed > 0 {
			t.Fatal(report, err)
		}
		for _, s := range []*boltstore.Store{few, all} {
			if _, err := s.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		file, free := all.Size()
		switch last = file; day {
		case 365:
			year = file
		case verdict.HistoryDays + 2*verdict.LiveDays:
			full = file
		}
		if day%60 == 59 {
			t.Logf("%5d routes, day %3d: %7.1f MB, of which %6.1f MB are free", routes, day+1, float64(file)/1e6,
				float64(free)/1e6)
		}
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	again, err := boltstore.Open(filepath.Join(dir, "all.db"), clock)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	t.Logf("%d routes with a year of departures: %.1f MB after a year, %.1f MB after %d days; opened again, every page verified, in %v",
		routes, float64(year)/1e6, float64(last)/1e6, days, time.Since(begun).Round(time.Millisecond))
	if n := again.Len(); n < routes*50 {
		t.Errorf("it holds only %d items", n)
	}
	if float64(last) > 1.1*float64(full) {
		t.Errorf("%d bytes on day %d, and %d when the first observations had expired: it goes on growing", last, days,
			full)
	}
}

func TestProveGrowth(t *testing.T) { grow(t, 100, 460) }
