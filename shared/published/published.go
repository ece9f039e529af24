// Package published defines the published form of answers: parameters, JSON and error responses (a
// Problem, RFC 9457). The free endpoints, the tools for AI agents and the paid answers all use it,
// so they accept and return the same. Package answer finds and judges the fares.
package published

import (
	"context"
	"fmt"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Answers answers questions in the published form. If there is no answer, its methods fail with a
// Problem, which is the error response.
type Answers struct{ *answer.Reader }

// Check refuses a question that cannot have an answer. It is called before the question is counted
// towards a quota or paid.
func (s *Answers) Check(ctx context.Context, q answer.Question) error {
	return Problem(s.Reader.Check(ctx, q))
}

// CheckDeals is Check for a question for deals.
func (s *Answers) CheckDeals(ctx context.Context, q DealsQuestion) error {
	return s.Check(ctx, answer.Question{From: q.From, When: q.When, Show: q.Show})
}

// Verdict judges the cheapest fare of a route, a departure or a month, or the caller's own price.
func (s *Answers) Verdict(ctx context.Context, q answer.Question) (verdict.Analysis, error) {
	a, _, err := s.VerdictOf(ctx, q)
	return a, err
}

// VerdictOf returns what Verdict returns, and the same answer with its amounts in euros.
func (s *Answers) VerdictOf(ctx context.Context, q answer.Question) (converted verdict.Analysis,
	of answer.Answer, err error) {
	if of, err = s.Answer(ctx, q); err != nil {
		return of.Analysis, of, Problem(err)
	}
	of.Analysis.Luoghi = LuoghiOf(q, of.SeriesData)
	if !httpapi.AllFares(ctx) {
		of.Analysis.MinimoPartenza = nil
		if q := of.Analysis.Quartili; q != nil && of.Analysis.Ambito == verdict.Rotta {
			of.Analysis.Quartili = q.Rounded()
		}
	}
	converted, err = InCurrency(ctx, s.Reader, of.Analysis, q.Show)
	return converted, of, err
}

// Calendar judges a route's departures day by day. It includes single fares only if allFares is
// set.
func (s *Answers) Calendar(ctx context.Context, q answer.Question, allFares bool) (verdict.Calendario, error) {
	c, _, _, err := s.CalendarOf(ctx, q, allFares)
	return c, err
}

// CalendarOf returns what Calendar returns, and also the stored data and the calendar in euros.
func (s *Answers) CalendarOf(ctx context.Context, q answer.Question, allFares bool) (converted verdict.Calendario,
	f answer.SeriesData, of verdict.Calendario, err error) {
	if f, of, err = s.Reader.Calendar(ctx, q, allFares); err != nil {
		return of, f, of, Problem(err)
	}
	of.Luoghi = LuoghiOf(q, f)
	converted, err = InCurrency(ctx, s.Reader, of, q.Show)
	return converted, f, of, err
}

// InCurrency returns an answer with its amounts converted to a currency.
func InCurrency[A any](ctx context.Context, r *answer.Reader, a A, in answer.Currency) (A, error) {
	amount, err := r.Amounts(ctx, in)
	if err != nil || amount == nil {
		return a, Problem(err)
	}
	return verdict.Convert(a, in.Code, amount), nil
}

// end is the origin or the destination of a question, with its resolved city.
type end struct {
	which string
	named answer.Named
	city  places.Place
}

// luoghi describes each origin or destination that is a part of a city, or a city with several
// airports.
func luoghi(ends ...end) (all []verdict.Luogo) {
	for _, e := range ends {
		asked, partial := places.Within(e.named.Name)
		if !partial && len(e.city.Airports) < 2 {
			continue
		}
		l := verdict.Luogo{Estremo: e.which, Chiesto: e.city.Name, Citta: places.Name(e.city.City, "it"),
			Iata: string(e.city.City), Aeroporti: e.city.Airports}
		name := places.Name(e.city.City, "en")
		if partial {
			l.Chiesto = asked
		}
		l.Nota = fmt.Sprintf("Fares are for %s (%s).", name, l.Iata)
		if len(l.Aeroporti) > 1 {
			l.Nota = fmt.Sprintf("Fares are for all %s airports (%s).", name, strings.Join(l.Aeroporti, ", "))
		}
		all = append(all, l)
	}
	return all
}

// LuoghiOf describes the origin and the destination of a route in the same way.
func LuoghiOf(q answer.Question, f answer.SeriesData) []verdict.Luogo {
	return luoghi(end{"origine", q.From, f.Origin}, end{"destinazione", q.To, f.Destination})
}
