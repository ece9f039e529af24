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

// Usual returns the same quartiles as the answer about the departure.
func TestUsualIsThatOfAnswers(t *testing.T) {
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
			_, usual, err := r.Usual(t.Context(), c.q)
			if err != nil || usual.Quartiles == nil {
				t.Fatal(usual, err)
			}
			if s.read != 1 || s.reads != 0 || s.pooled != 1 {
				t.Errorf("%d sheets, %d summaries and %d pooled parts were read", s.read, s.reads, s.pooled)
			}
			c.q.Price = &answer.Price{Parameter: "prezzo", Amount: 45, Currency: "EUR", CurrencyParameter: "valuta"}
			a, err := r.Answer(t.Context(), c.q)
			storetest.Must(t, err)
			diff := cmp.Diff(a.Judgement.Quartiles, usual.Quartiles)
			if got, want := usual.Verdict.Sample, a.Judgement.Verdict.Sample; diff != "" || got != want {
				t.Errorf("%d comparables, want %d (-answered +usual): %s", got, want, diff)
			}
		})
	}
}

func TestUsualOfTooFew(t *testing.T) {
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
		_, usual, err := r.Usual(t.Context(), q)
		got, count := usual.Quartiles, usual.Verdict.Sample
		storetest.Must(t, err)
		q.Price = &answer.Price{Parameter: "prezzo", Amount: 45, Currency: "EUR", CurrencyParameter: "valuta"}
		a, err := r.Answer(t.Context(), q)
		storetest.Must(t, err)
		if diff := cmp.Diff(a.Judgement.Quartiles, got); diff != "" || (got != nil) != (seen >= departure.MinCount) ||
			count != seen {
			t.Errorf("%d seen, %d comparables, figures: %v (-answered +usual): %s", seen, count, got != nil, diff)
		}
	}
}
