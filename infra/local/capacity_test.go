package main

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
)

// These tests hold what DynamoDB charges against what the package comment of
// shared/store says it does.

// units are read and write units, by what was read or written.
type units map[string]float64

func (u units) String() string {
	var lines []string
	for _, what := range slices.Sorted(maps.Keys(u)) {
		lines = append(lines, fmt.Sprintf("%-20s%5.1f", what, u[what]))
	}
	return strings.Join(lines, "\n")
}

// meter is a table that knows what each unit was spent on. It is for calls made one after the other.
type meter struct {
	store.Table
	doing string
	spent units
}

func metered(t *testing.T, now func() time.Time) *meter {
	t.Helper()
	m := &meter{spent: units{}}
	m.Table = dynamolocal.Table(t, now, dynamostore.OnCapacity(func(_ string, read, write float64) {
		m.spent[m.doing] += read + write
	}))
	return m
}

func (m *meter) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	m.doing = "read " + kind(key.Partition, key.Sort)
	return m.Table.Get(ctx, key, read)
}

func (m *meter) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	m.doing = "read " + kind(r.Partition, r.Prefix)
	return m.Table.Query(ctx, r)
}

func (m *meter) Write(ctx context.Context, ops ...store.Op) error {
	m.doing = "write " + kind(ops[0].Item.Partition, ops[0].Item.Sort)
	return m.Table.Write(ctx, ops...)
}

func (m *meter) Take(ctx context.Context, key store.Key, limit int64, expires time.Time) (int64, error) {
	m.doing = "count " + kind(key.Partition, "")
	return m.Table.Take(ctx, key, limit, expires)
}

// kind is what an item is: its keys without the codes of cities and the numbers in them.
func kind(partition, sort string) string {
	of, _, _ := strings.Cut(partition, "#")
	what, _, _ := strings.Cut(sort, "#")
	if len(what) == len("MIL") {
		what = ""
	}
	return strings.TrimSpace(of + " " + what)
}

// weekly makes so many fares a week, for so many weeks before a moment, as
// prices are: they stand at a few levels.
func weekly(perWeek, weeks int, until time.Time) told {
	chance := rand.New(rand.NewPCG(11, uint64(perWeek)))
	fares := make(told, perWeek*weeks)
	for i := range fares {
		found := until.Unix() - 1 - chance.Int64N(int64(weeks)*7*24*60*60)
		fares[i] = fare.Fare{
			Route: fare.Route{Origin: "MIL", Destination: "BUH"},
			Observation: fare.Observation{
				Found:  found,
				Depart: fare.DayOf(time.Unix(found, 0)) + fare.Day(chance.IntN(331)),
				Price:  fare.Cents(1999 + 500*chance.IntN(40)),
			},
		}
	}
	slices.SortFunc(fares, func(a, b fare.Fare) int { return a.Compare(b.Observation) })
	return fares
}

// TestCapacity refreshes a route every week for a year, and then once more with
// the meter on. What is spent on the route is ROUTE and INTO; the rest is spent
// once an origin or once a refresh. Not on the meter, since DynamoDB tells only of
// requests that succeed: the claim of a store that is claimed, one write unit. A
// refresh reads strongly, at a unit for each 4 KB.
func TestCapacity(t *testing.T) {
	const (
		block, sheet = "ROUTE BLOCK", "ROUTE SHEET"
		weeks        = 53
	)
	for _, c := range []struct {
		perWeek             int
		readBlock, putBlock float64
	}{
		{100, 10, 2},
		{1000, 80, 8},
	} {
		t.Run(fmt.Sprintf("%d fares a week", c.perWeek), func(t *testing.T) {
			end := time.Date(2016, 3, 1, 3, 0, 0, 0, time.UTC) // a Tuesday, as in events/refresh.json
			now := end.AddDate(0, 0, -7*(weeks-1))
			clock := func() time.Time { return now }
			m := metered(t, clock)
			r := refresh.Refresher{Source: weekly(c.perWeek, weeks, end), Fares: store.Fares{Table: m}, Now: clock, Workers: 1}
			run := func(changed int) {
				t.Helper()
				clear(m.spent)
				if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 || report.RoutesChanged != changed {
					t.Fatalf("%+v %v", report, err)
				}
			}
			for ; now.Before(end); now = now.AddDate(0, 0, 7) {
				run(1)
			}

			run(1)
			t.Logf("a weekly refresh spends\n%s", m.spent)
			reads := units{"read " + block: c.readBlock, "read " + sheet: 1, "read INTO": 0.5,
				"read ORIGIN ASKED": 0.5, "read ORIGIN TRENDS": 0.5, "read FARES SOURCE": 1, "read WANTED": 0.5}
			within(t, m.spent, reads, units{"write " + block: c.putBlock, "write " + sheet: 2, "write INTO": 1,
				"write ORIGIN ASKED": 1, "write ORIGIN TRENDS": 1, "write COVERED": 1})

			run(0)
			t.Logf("the same once more spends\n%s", m.spent)
			within(t, m.spent, reads, units{"write ORIGIN ASKED": 1})

			clear(m.spent)
			service := serving(m, now)
			for range 2 { // a counter that is begun, and one that is there
				w := httptest.NewRecorder()
				if service.ServeHTTP(w, httptest.NewRequest("GET", question, nil)); w.Code != http.StatusOK {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			t.Logf("two verdicts for a free caller spend\n%s", m.spent)
			within(t, m.spent, units{"count LIMIT": 2, "read " + sheet: 1})
		})
	}
}

// within: nothing is spent beyond the allowances, and the meter runs at all.
func within(t *testing.T, spent units, allowances ...units) {
	t.Helper()
	total := 0.0
	for what, n := range spent {
		total += n
		allowed := 0.0
		for _, a := range allowances {
			allowed += a[what]
		}
		if n > allowed {
			t.Errorf("%s: %.1f units, want at most %.1f", what, n, allowed)
		}
	}
	if total == 0 {
		t.Error("nothing was metered")
	}
}
