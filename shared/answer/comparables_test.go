package answer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// Comparables returns the same quartiles as the answer about the departure.
func TestComparablesAreThoseOfAnswers(t *testing.T) {
	for _, c := range []struct {
		name string
		q    answer.Question
	}{
		{"one-way", question("Londra", on(today+41))},
		{"a day that has no fare", question("Londra", on(today+43))},
		{"without stops", question("Londra", func(q *answer.Question) { on(today + 41)(q); q.NonStop = true })},
		{"in another currency", question("Budapest", on(today+41))},
		{"returns", question("Londra", func(q *answer.Question) { on(today + 41)(q); q.Trip = fare.Return4to7 })},
		{"an hour before it leaves", question("Londra", on(today))},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := departures(t)
			_, got, count, err := r.Comparables(t.Context(), c.q)
			if err != nil || got == nil {
				t.Fatal(got, err)
			}
			if s.read != 1 || s.reads != 0 || s.pooled != 1 {
				t.Errorf("%d sheets, %d summaries and %d pooled parts were read", s.read, s.reads, s.pooled)
			}
			c.q.Price = &answer.Price{Parameter: "prezzo", Amount: 45, Currency: "EUR", CurrencyParameter: "valuta"}
			a, err := r.Answer(t.Context(), c.q)
			storetest.Must(t, err)
			if diff := cmp.Diff(a.Judgement.Quartiles, got); diff != "" || count != a.Judgement.Verdict.Sample {
				t.Errorf(
					"%d comparables, want %d (-answered +comparables): %s", count, a.Judgement.Verdict.Sample,
					diff,
				)
			}
		})
	}
}

func TestTooFewComparables(t *testing.T) {
	for seen := range 12 {
		s, r := departures(t)
		var few departure.Learner
		few.Convert(fare.EUR, 1)
		few.Facts = verdict.RouteSummary{}.Facts()
		var all []departure.Live
		for i := range fare.Day(seen) {
			all = append(
				all, departure.Live{Depart: today + 40 + i, Price: 50_00, Found: (today - 15 + i).Time().Unix()},
			)
		}
		few.Advance(today, departure.Start(today-20), all, new(departure.Statistics))
		s.of[london] = few.Encode()
		q := question("Londra", on(today+60))
		_, got, count, err := r.Comparables(t.Context(), q)
		storetest.Must(t, err)
		q.Price = &answer.Price{Parameter: "prezzo", Amount: 45, Currency: "EUR", CurrencyParameter: "valuta"}
		a, err := r.Answer(t.Context(), q)
		storetest.Must(t, err)
		if diff := cmp.Diff(a.Judgement.Quartiles, got); diff != "" || (got != nil) != (seen >= departure.MinCount) ||
			count != seen {
			t.Errorf("%d seen, %d comparables, figures: %v (-answered +comparables): %s", seen, count, got != nil, diff)
		}
	}
}

// The fares by day are those of the calendar; the fares by month are those of the answers about the
// months.
func TestFaresAreThoseOfTheCalendar(t *testing.T) {
	for _, c := range []struct {
		name string
		q    answer.Question
	}{
		{"one-way", question("Londra", nil)},
		{"in another currency", question("Budapest", nil)},
		{"returns", question("Londra", func(q *answer.Question) { q.Trip = fare.Return4to7 })},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, r := departures(t)
			_, all, err := r.Fares(t.Context(), c.q, true)
			if err != nil || s.read != 1 || s.reads != 0 {
				t.Fatal(err, s.read, s.reads)
			}
			_, calendar, err := r.Calendar(t.Context(), c.q, true)
			storetest.Must(t, err)
			var want []verdict.Live
			for _, d := range calendar.Days {
				want = append(want, d.Fare)
			}
			if diff := cmp.Diff(want, all); diff != "" || len(all) < 20 {
				t.Errorf("%d fares (-calendar +fares): %s", len(all), diff)
			}
			_, months, err := r.Fares(t.Context(), c.q, false)
			storetest.Must(t, err)
			want = nil
			for _, m := range calendar.Months {
				c.q.When = inMonth(m.Fare.Depart)
				a, err := r.Answer(t.Context(), c.q)
				storetest.Must(t, err)
				want = append(want, a.Judgement.Fare)
			}
			if diff := cmp.Diff(want, months); diff != "" || len(months) < 3 {
				t.Errorf("%d months (-answered +fares): %s", len(months), diff)
			}
		})
	}
	_, r := departures(t)
	for name, is := range map[string]func(error) bool{
		"Vienna": is[*answer.NotCovered], "Parigi": is[*answer.NoCalendar], "Atlantide": is[*answer.UnknownCity],
	} {
		if _, _, err := r.Fares(t.Context(), question(name, nil), true); !is(err) {
			t.Errorf("%s: %#v", name, err)
		}
	}
}
