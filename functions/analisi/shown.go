package analisi

import (
	"context"
	"fmt"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/i18n"
	"verdetto/shared/places"
	"verdetto/shared/verdict"
)

// Shown is the parameter that says in which currency an answer is shown.
type Shown struct {
	Valuta string `query:"valuta" default:"EUR" pattern:"^([A-Za-z]{3})?$" patternDescription:"an ISO 4217 code of three letters" doc:"ISO 4217 code of the currency that amounts are shown in, at the newest reference rates, one set for all of an answer. It moves no verdict: fares are compared as they were quoted"`
}

// inCurrency gives an answer with its amounts in the currency that was asked for.
func inCurrency[A any](ctx context.Context, s *Service, a A, in answer.Currency) (A, error) {
	amount, err := s.Amounts(ctx, in)
	if err != nil || amount == nil {
		return a, Problem(err)
	}
	return verdict.Shown(a, in.Code, amount), nil
}

// end is an end of a question, and the city that it was found in.
type end struct {
	which string
	asked Named
	city  places.Place
}

// luoghi says of the ends of a question what has to be said of them.
func luoghi(ends ...end) (all []verdict.Luogo) {
	for _, e := range ends {
		asked, partial := places.Within(e.asked.Name)
		if !partial && len(e.city.Airports) < 2 {
			continue
		}
		l := verdict.Luogo{Estremo: e.which, Chiesto: e.city.Name, Citta: places.Name(e.city.City, "it"), Iata: string(e.city.City), Aeroporti: e.city.Airports}
		var said []string
		if partial {
			l.Chiesto = asked
			said = append(said, fmt.Sprintf("%s was asked for: the fares are those of %s (%s).", asked, l.Citta, l.Iata))
		}
		if len(l.Aeroporti) > 1 {
			said = append(said, fmt.Sprintf("%s has several airports (%s), and the fares are those of all of them together: which one a fare is of is not kept.", l.Citta, strings.Join(l.Aeroporti, ", ")))
		}
		l.Nota = strings.Join(said, " ")
		all = append(all, l)
	}
	return all
}

// PlacesSaid says the same in a language to who asked for cities by these names.
func PlacesSaid(l *i18n.Language, asked ...string) (all []string) {
	for _, name := range asked {
		p, ok := places.Find(name)
		if !ok {
			continue
		}
		city := places.Name(p.City, l.Code)
		if part, ok := places.Within(name); ok {
			all = append(all, l.Text("place.part", "Asked", part, "City", city))
		}
		if len(p.Airports) > 1 {
			all = append(all, l.Text("place.airports", "City", city, "Airports", strings.Join(p.Airports, ", ")))
		}
	}
	return all
}

// luoghiOf is luoghi of both ends of a route.
func luoghiOf(q answer.Question, f answer.Found) []verdict.Luogo {
	return luoghi(end{"origine", q.From, f.Origin}, end{"destinazione", q.To, f.Destination})
}
