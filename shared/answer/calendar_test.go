package answer_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

func why(want answer.Reason) func(error) bool {
	return func(err error) bool { return answer.Why(err) != nil && answer.Why(err).Reason == want }
}

func checkLower(t *testing.T, a verdict.Judgement, c verdict.Calendar) {
	t.Helper()
	lowest := slices.MinFunc(c.Days, func(a, b verdict.Day) int { return int(a.Fare.Price - b.Fare.Price) }).Fare
	known, lower := &a.Fare, a.Lower
	if a.Declared {
		known = a.Known
	}
	if below := known != nil && lowest.Price < known.Price; (lower != nil) != (below && a.Scope == verdict.OfRoute) ||
		lower != nil && *lower != lowest {
		t.Errorf("known %+v, lower %+v, the lowest of the calendar is %+v", known, lower, lowest)
	}
	if day := a.Fare.Depart; day > 0 && a.Scope == verdict.OfRoute &&
		(len(a.Forecasts) > 0) != (a.OwnDay.Judged() && day > today+departure.Week.Days()) {
		t.Errorf("forecasts of a departure on %s: %+v", day, a.Forecasts)
	}
}

func TestWithCalendar(t *testing.T) {
	nonStop := func(q *answer.Question) { q.NonStop = true }
	for _, c := range []struct {
		name            string
		q               answer.Question
		summaries, read int
		calendar, usual bool
	}{
		{"any departure", question("Londra", nil), 1, 1, true, true},
		{"without stops", question("Londra", nonStop), 1, 1, true, true},
		{"a price", question("Londra", priced(33, "EUR")), 1, 1, true, false},
		{"in another currency", question("Budapest", nil), 1, 1, true, true},
		{"a departure", question("Londra", on(today+45)), 0, 1, true, false},
		{"a month", question("Londra", on(today+45, departure.Month)), 0, 1, true, true},
		{"a route without a sheet", question("Parigi", nil), 1, 1, false, false},
		{"a route without departures", question("Praga", nil), 1, 1, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := departures(t)
			got, calendar, err := r.WithCalendar(t.Context(), c.q, true)
			storetest.Must(t, err)
			if s.reads != c.summaries || s.read != c.read {
				t.Errorf("%d summaries and %d sheets were read", s.reads, s.read)
			}
			want, err := r.WithUsual(t.Context(), c.q)
			storetest.Must(t, err)
			if usual := want.Judgement.OwnDay; usual.Judged() != c.usual {
				t.Errorf("the usual fare of its day is %v", usual)
			}
			if diff := cmp.Diff(want.Judgement, got.Judgement); diff != "" {
				t.Error(diff)
			}
			if (calendar != nil) != c.calendar {
				t.Fatalf("%+v", calendar)
			}
			if calendar == nil {
				return
			}
			checkLower(t, got.Judgement, *calendar)
			q := c.q
			q.When, q.Price = nil, nil
			_, all, err := r.Calendar(t.Context(), q, true)
			storetest.Must(t, err)
			if diff := cmp.Diff(all, *calendar); diff != "" {
				t.Error(diff)
			}
		})
	}
	s, r := departures(t)
	s.broken = errors.New("storage is down")
	if a, calendar, err := r.WithCalendar(t.Context(), question("Londra", nil), true); err != nil || calendar != nil ||
		a.Judgement.Verdict.Level == "" {
		t.Errorf("where the calendar cannot be read: %v %v %+v", err, calendar, a.Judgement)
	}
	if _, _, err := r.WithCalendar(t.Context(), question("Londra", on(today+45)), true); err == nil {
		t.Error("a departure is answered without its sheet")
	}
}
