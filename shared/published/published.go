// Package published defines the published form of answers: parameters, JSON and error responses (a
// Problem, RFC 9457). The free endpoints, the tools for AI agents and the paid answers all use this
// package, so they accept the same parameters and return the same answers. Package answer finds and
// judges the fares.
package published

import (
	"cmp"
	"context"

	"verdetto/shared/answer"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Answers answers questions in the published form. If there is no answer, the error is the Problem
// to send.
type Answers struct{ *answer.Reader }

// Check fails if a question cannot have an answer. Call it before the question counts towards a
// quota or is paid for.
func (s *Answers) Check(ctx context.Context, q answer.Question) error {
	return Problem(s.Reader.Check(ctx, q))
}

func (s *Answers) CheckDeals(ctx context.Context, q DealsQuestion) error {
	return s.Check(ctx, answer.Question{From: q.From, When: q.When, Show: q.Show})
}

// Verdict judges the price in the question or, without one, the cheapest fare of the route,
// departure or month.
func (s *Answers) Verdict(ctx context.Context, q answer.Question) (verdict.Analysis, error) {
	a, _, err := s.VerdictOf(ctx, q)
	return a, err
}

// VerdictOf is Verdict, and also returns the same answer in euro.
func (s *Answers) VerdictOf(ctx context.Context, q answer.Question) (converted verdict.Analysis,
	of answer.Answer, err error) {
	if of, err = s.Answer(ctx, q); err != nil {
		return of.Analysis, of, Problem(err)
	}
	of.Analysis.Luoghi = luoghiOf(ctx, q, of.SeriesData)
	of.Analysis.Origine, of.Analysis.Destinazione = matched(ctx, of.Origin), matched(ctx, of.Destination)
	if !httpapi.AllFares(ctx) {
		of.Analysis.MinimoPartenza = nil
		if q := of.Analysis.Quartili; q != nil && of.Analysis.Ambito == verdict.Rotta {
			of.Analysis.Quartili = q.Rounded()
		}
	}
	converted, err = InCurrency(ctx, s.Reader, of.Analysis, q.Show)
	return converted, of, err
}

// Calendar judges the departures of a route day by day, with the fares of single departures if
// allFares is true.
func (s *Answers) Calendar(ctx context.Context, q answer.Question, allFares bool) (verdict.Calendario, error) {
	c, _, _, err := s.CalendarOf(ctx, q, allFares)
	return c, err
}

// CalendarOf is Calendar, and also returns the stored data and the calendar in euro.
func (s *Answers) CalendarOf(ctx context.Context, q answer.Question, allFares bool) (converted verdict.Calendario,
	f answer.SeriesData, of verdict.Calendario, err error) {
	if f, of, err = s.Reader.Calendar(ctx, q, allFares); err != nil {
		return of, f, of, Problem(err)
	}
	of.Luoghi = luoghiOf(ctx, q, f)
	of.Origine, of.Destinazione = matched(ctx, f.Origin), matched(ctx, f.Destination)
	converted, err = InCurrency(ctx, s.Reader, of, q.Show)
	return converted, f, of, err
}

// InCurrency converts all amounts of an answer.
func InCurrency[A any](ctx context.Context, r *answer.Reader, a A, in answer.Currency) (A, error) {
	amount, err := r.Amounts(ctx, in)
	if err != nil || amount == nil {
		return a, Problem(err)
	}
	return verdict.Convert(a, in.Code, amount), nil
}

type end struct {
	which string
	named answer.Named
	city  places.Place
}

// luoghi notes on each end how the name was understood, if not as typed, that it means only a part of
// a city, that the city has several airports, and which others have its name. Fares of a single
// airport need no note.
func luoghi(ctx context.Context, ends ...end) (all []verdict.Luogo) {
	for _, e := range ends {
		m := e.named.Means
		whole := e.city.Airport == "" && (m.Part != "" || len(e.city.Airports) > 1)
		if !whole && m.Reading == places.AsTyped && len(m.Namesakes) == 0 {
			continue
		}
		l := verdict.Luogo{Estremo: e.which, Chiesto: cmp.Or(m.Part, m.Name), Citta: cityName(ctx, e.city.City),
			Iata: string(e.city.City), Aeroporti: e.city.Airports, Paese: e.city.Country, Stato: region(ctx, e.city.City)}
		for _, p := range m.Namesakes {
			l.Omonimi = append(l.Omonimi,
				verdict.Omonimo{Citta: cityName(ctx, p.City), Iata: string(p.City), Paese: p.Country, Stato: region(ctx, p.City)})
		}
		l.Nota = note(ctx, m, whole)
		all = append(all, l)
	}
	return all
}

func luoghiOf(ctx context.Context, q answer.Question, f answer.SeriesData) []verdict.Luogo {
	return luoghi(ctx, end{"origine", q.From, f.Origin}, end{"destinazione", q.To, f.Destination})
}
