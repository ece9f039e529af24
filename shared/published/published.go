// Package published defines the published form of answers: parameters, JSON and error responses (a
// Problem, RFC 9457). Package answer finds and judges the fares.
package published

import (
	"cmp"
	"context"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

type Answers struct{ *answer.Reader }

// Call Check before the question counts towards a quota or is paid for.
func (s *Answers) Check(ctx context.Context, q answer.Question) error {
	return Problem(s.Reader.Check(ctx, q))
}

func (s *Answers) CheckDeals(ctx context.Context, q DealsQuestion) error {
	return s.Check(ctx, q.Question)
}

func (s *Answers) Verdict(ctx context.Context, q answer.Question) (Analysis, error) {
	judged, err := s.Judge(ctx, q, s.Answer)
	if err != nil {
		return Analysis{}, err
	}
	return s.Publish(ctx, q, judged), nil
}

// answered is Reader.Answer or Reader.WithUsual. Judge converts the amounts to the currency of the
// question.
func (s *Answers) Judge(ctx context.Context, q answer.Question,
	answered func(context.Context, answer.Question) (answer.Answer, error)) (answer.Answer, error) {
	found, err := answered(ctx, q)
	if err != nil {
		return found, Problem(err)
	}
	j := &found.Judgement
	if !httpapi.AllFares(ctx) {
		j.Lowest = nil
		if j.Quartiles != nil && j.Scope == verdict.OfRoute {
			j.Quartiles = rounded(*j.Quartiles)
		}
	}
	amount, err := s.Amounts(ctx, q.Show)
	if amount != nil {
		*j = j.In(q.Show.Code, amount)
	}
	return found, Problem(err)
}

func (s *Answers) Publish(ctx context.Context, q answer.Question, judged answer.Answer) Analysis {
	a := analysis(judged.Judgement, cmp.Or(q.Show.Code, fare.EUR.String()))
	a.Origine, a.Destinazione = matched(ctx, judged.Origin), matched(ctx, judged.Destination)
	a.OrigineIata, a.DestinazioneIata = string(judged.Series.Origin), string(judged.Series.Destination)
	a.Luoghi, a.Vettori = luoghiOf(ctx, q, judged.SeriesData), vettori(q.Airlines, nil)
	return a
}

// rounded rounds to whole euros what could reveal a single past fare. Minimum and Median are
// published anyway.
func rounded(q verdict.Quartiles) *verdict.Quartiles {
	down := func(c fare.Cents) fare.Cents { return c - c%100 }
	up := func(c fare.Cents) fare.Cents { return down(c + 99) }
	return &verdict.Quartiles{Minimum: q.Minimum, Q1: down(q.Q1), Median: q.Median, Q3: up(q.Q3), Maximum: up(q.Maximum),
		HalfLow: down(q.HalfLow), HalfHigh: down(q.HalfHigh)}
}

type end struct {
	which string
	named answer.Named
	city  places.Place
}

func luoghi(ctx context.Context, ends ...end) (all []Luogo) {
	for _, e := range ends {
		m := e.named.Means
		whole := e.city.Airport == "" && (m.Part != "" || len(e.city.Airports) > 1)
		namesakes := m.Namesakes()
		if !whole && m.Reading == places.AsTyped && len(namesakes) == 0 {
			continue
		}
		l := Luogo{Estremo: e.which, Chiesto: cmp.Or(m.Part, m.Name), Citta: cityName(ctx, e.city.City),
			Iata: string(e.city.City), Aeroporti: e.city.Airports, Paese: e.city.Country, Stato: region(ctx, e.city.City)}
		for _, c := range namesakes {
			p, _ := places.Get(c)
			l.Omonimi = append(l.Omonimi, Omonimo{Citta: cityName(ctx, c), Iata: string(c), Paese: p.Country, Stato: region(ctx, c)})
		}
		l.Nota = note(ctx, m, whole)
		all = append(all, l)
	}
	return all
}

func luoghiOf(ctx context.Context, q answer.Question, f answer.SeriesData) []Luogo {
	return luoghi(ctx, end{"origine", q.From, f.Origin}, end{"destinazione", q.To, f.Destination})
}
