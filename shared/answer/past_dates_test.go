package answer_test

import (
	"testing"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
)

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
