package answer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store/storetest"
)

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
