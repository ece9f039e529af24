package refresh_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict/trends"
)

func TestAge(t *testing.T) {
	now := time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC)
	ago := func(days ...float64) []time.Time {
		var times []time.Time
		for _, d := range days {
			times = append(times, now.Add(-time.Duration(d*24*float64(time.Hour))))
		}
		return times
	}
	many := func(n int, days float64) []time.Time {
		var times []time.Time
		for range n {
			times = append(times, ago(days)...)
		}
		return times
	}
	for _, c := range []struct {
		name  string
		found []time.Time
		want  float64
		ok    bool
	}{
		{"nothing", nil, 0, false},
		{"one", ago(3), 3, true},
		{"a week", ago(7, 7, 7), 7, true},
		{"one without new fares", append(ago(40), many(30, 2)...), 2, true},
		{"most without new fares", append(ago(1, 1), many(30, 10)...), 10, true},
		{"a source that has answered without fares for 11 days", many(30, 11), 11, true},
		{"a clock that is behind", ago(-1), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := openAt(t, func() time.Time { return now })
			fares := store.Fares{Table: table}
			for n, at := range c.found {
				origin := fare.City(fmt.Sprintf("%c%cX", 'A'+n%26, 'A'+n/26))
				known := trends.Origin{Entries: []trends.Entry{{Destination: "ZZZ", Newest: at.Unix()},
					{Destination: "YYY", Newest: at.AddDate(0, 0, -30).Unix()}}}
				if err := errors.Join(fares.PutTrends(t.Context(), origin, known, 0, nil),
					fares.SetLastAnswer(t.Context(), origin, now)); err != nil {
					t.Fatal(err)
				}
			}
			for hour := range 26 {
				got, ok, err := refresh.Age(t.Context(), fares, now.Add(time.Duration(hour)*time.Hour))
				if want := c.want + float64(hour)/24; err != nil || ok != c.ok || ok && c.want > 0 &&
					(got < want-0.001 || got > want+0.001) {
					t.Errorf("at hour %d: %v %v %v, want %v", hour, got, ok, err, want)
				}
			}
			for call := range 2 {
				faulty := storetest.NewFaulty(table)
				faulty.FailOnce(call, storetest.Before)
				if got, ok, err := refresh.Age(t.Context(), store.Fares{Table: faulty}, now); err == nil {
					t.Errorf("call %d fails: %v %v", call, got, ok)
				}
			}
		})
	}
}
