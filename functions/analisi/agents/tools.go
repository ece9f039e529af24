package agents

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// routeInput names the ends of a route.
type routeInput struct {
	Origin      string `json:"origin" doc:"Origin: a city name in Italian, English, French, German, Spanish, Portuguese or the local language, or the IATA code of a city or airport" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string `json:"destination" doc:"Destination, likewise; another city than the origin" example:"Bucharest" minLength:"1" maxLength:"100"`
	Asker
}

func (j *routeInput) cities() (origin, destination answer.Named) {
	return answer.Named{Parameter: "origin", Name: j.Origin}, answer.Named{Parameter: "destination", Name: j.Destination}
}

func checkCities(_ context.Context, j *routeInput) error { return published.Differ(j.cities()) }

// Months is what cheapest_months answers: a part of a verdict.
type Months struct {
	Origine            string         `json:"origine" doc:"Origin city name, as matched"`
	Destinazione       string         `json:"destinazione" doc:"Destination city name, as matched"`
	Valuta             string         `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields"`
	MesiPerConvenienza []verdict.Mese `json:"mesiPerConvenienza" nullable:"false" doc:"Departure months ranked by median fare, cheapest first; months with fewer than 5 observations are left out"`
	Osservazioni       int            `json:"osservazioni" doc:"Fares of the route observed in the last 400 days"`
	AggiornatoIl       time.Time      `json:"aggiornatoIl" format:"date-time" doc:"When the newest of them was found, UTC"`
}

// Window is what when_to_book answers: a part of a verdict.
type Window struct {
	Origine             string            `json:"origine" doc:"Origin city name, as matched"`
	Destinazione        string            `json:"destinazione" doc:"Destination city name, as matched"`
	Valuta              string            `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields"`
	AnticipoConsigliato *verdict.Anticipo `json:"anticipoConsigliato,omitempty" doc:"The lead times that have been cheapest within a departure; absent where fewer than 8 departures can tell"`
	Osservazioni        int               `json:"osservazioni" doc:"Fares of the route observed in the last 400 days"`
	AggiornatoIl        time.Time         `json:"aggiornatoIl" format:"date-time" doc:"When the newest of them was found, UTC"`
}

type coveredInput struct {
	Origin      string `json:"origin,omitempty" doc:"Only routes from this city: a name in any of six languages, or an IATA code" example:"Milano" maxLength:"100"`
	Destination string `json:"destination,omitempty" doc:"Only routes to this city, likewise" maxLength:"100"`
	Page        string `json:"page,omitempty" doc:"Where to go on: what the answer before gave as successiva" example:"MIL" maxLength:"3"`
	Asker
}

type trendsInput struct {
	Origin      string  `json:"origin" doc:"Origin: a city name in any of six languages, or the IATA code of a city or airport" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string  `json:"destination,omitempty" doc:"Only the route to this city, likewise, with its weekly lows of the last 52 weeks" example:"London" maxLength:"100"`
	Currency    string  `json:"currency,omitempty" doc:"ISO 4217 code of the currency of all amounts; without it, EUR" example:"USD" maxLength:"3"`
	Skip        float64 `json:"skip,omitempty" doc:"Leave out so many destinations, which an answer before has shown: so all that are known can be listed, 20 at a time" minimum:"0"`
	Asker
}

// addTools offers the tools and gives their names.
func (s *Service) addTools(server *mcp.Server) []string {
	verdicts := addTool(s, server, tool[tripInput, Verdict]{
		name: "flight_price_verdict", title: "Is this flight fare cheap?", quota: "analisi",
		description: "Judges an economy fare between two cities against what was observed on the same route. Without a date it is today's cheapest one-way fare, compared with the cheapest fares of past days; with departure or month it is that departure's, compared with departures of the route as many days ahead, with quartili (what is usual) and previsione (the chance that it falls, and what waiting came to). With price, that price is judged. livello is ottimo (very cheap), buono (cheap), normale, caro (expensive) or dati-insufficienti (too little data for a verdict). Also gives the certainty, percentile, median, cheapest months and booking window. Shows no bookable offers.",
		check:       s.checkTrip,
		answer:      s.trip,
	})
	months := addTool(s, server, tool[routeInput, Months]{
		name: "cheapest_months", title: "Cheapest months to fly a route", quota: "analisi",
		description: "Ranks the departure months of a route by the median of the one-way economy fares observed for them, cheapest first, with how many fares each median rests on.",
		check:       checkCities,
		answer: func(ctx context.Context, in *routeInput) (Months, string, error) {
			a, err := s.analysis(ctx, in)
			m := Months{a.Origine, a.Destinazione, a.Valuta, a.MesiPerConvenienza, a.Osservazioni, a.AggiornatoIl}
			return m, in.say().months(m), err
		},
	})
	window := addTool(s, server, tool[routeInput, Window]{
		name: "when_to_book", title: "How far ahead to book a route", quota: "analisi",
		description: "Says how many days before departure the fares of a route have been lowest, comparing fares of the same departure only, and what that saved. It is what was seen in the past; it does not tell when to wait for one given departure.",
		check:       checkCities,
		answer: func(ctx context.Context, in *routeInput) (Window, string, error) {
			a, err := s.analysis(ctx, in)
			w := Window{a.Origine, a.Destinazione, a.Valuta, a.AnticipoConsigliato, a.Osservazioni, a.AggiornatoIl}
			return w, in.say().window(w), err
		},
	})
	routes := addTool(s, server, tool[coveredInput, published.Routes]{
		name: "watched_routes", title: "Routes that verdicts can be asked for", quota: "rotte",
		description: "Lists the routes with observed fares, from a city, to a city, or page by page, with how many observations each rests on and how fresh they are.",
		check:       checkPage,
		answer: func(ctx context.Context, in *coveredInput) (published.Routes, string, error) {
			r, err := s.Answers.Covered(ctx, answer.Named{Parameter: "origin", Name: in.Origin}, answer.Named{Parameter: "destination", Name: in.Destination}, in.Page)
			say := in.say()
			for i := range r.Rotte {
				for _, city := range []*published.Citta{&r.Rotte[i].Origine, &r.Rotte[i].Destinazione} {
					city.Nome = say.city(city.Codice)
				}
			}
			return r, say.routes(r), err
		},
	})
	trends := addTool(s, server, tool[trendsInput, view.Trends]{
		name: "price_trends", title: "Popular destinations and how prices move", quota: "price-trends",
		description: "Shows the destinations from a city, the most popular first and 20 at a time, with their cheapest live one-way economy fare, how cheap that is and how sure (level, certainty), its change against a week before, medians and months; with a destination that route only, with its weekly lows of the last 52 weeks. Amounts are in the currency that is asked for.",
		check:       s.checkTrends,
		answer:      s.trends,
	})
	names := append([]string{verdicts, s.addComparison(server), months, window, routes, trends}, s.addDepartureTools(server)...)
	return append(names, s.addUsage(server))
}

func (s *Service) analysis(ctx context.Context, in *routeInput) (verdict.Analysis, error) {
	origin, destination := in.cities()
	a, err := s.Answers.Verdict(ctx, answer.Question{From: origin, To: destination})
	say := in.say()
	a.Origine, a.Destinazione = say.named(in.Origin), say.named(in.Destination)
	return a, err
}

func checkPage(_ context.Context, in *coveredInput) error {
	if in.Page == "" || len(in.Page) == 3 && strings.Trim(in.Page, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return nil
	}
	return httpapi.Invalid(httpapi.Fault{Name: "page", Detail: "is not what an earlier answer gave as successiva"})
}

// maxDestinations is how many destinations an agent is shown at a time: all of
// them would fill the better part of a small model's memory. It asks for the next with skip.
const maxDestinations = 20

// checkTrends refuses a currency without a rate, and a journey that ends where it begins.
func (s *Service) checkTrends(ctx context.Context, in *trendsInput) error {
	in.Currency = strings.ToUpper(in.Currency)
	if in.Currency == "" {
		in.Currency = "EUR"
	}
	rates, err := s.Trends.Rates(ctx)
	if err != nil {
		return err
	}
	if _, ok := rates.Rate(in.Currency); !ok {
		known := rates.Currencies()
		p := httpapi.UnknownCurrency.Problem(fmt.Sprintf("There is no reference rate for %q. Choose one of: %s.", in.Currency, strings.Join(known, ", ")))
		p.Errors = []httpapi.Fault{{Name: "currency", Detail: "has no reference rate"}}
		p.Suggestions = known
		return p
	}
	return published.Differ(answer.Named{Parameter: "origin", Name: in.Origin}, answer.Named{Parameter: "destination", Name: in.Destination})
}

func (s *Service) trends(ctx context.Context, in *trendsInput) (view.Trends, string, error) {
	origin, err := published.Find(answer.Named{Parameter: "origin", Name: in.Origin})
	if err != nil {
		return view.Trends{}, "", err
	}
	var destination fare.City
	if in.Destination != "" {
		place, err := published.Find(answer.Named{Parameter: "destination", Name: in.Destination})
		if err != nil {
			return view.Trends{}, "", err
		}
		destination = place.City
	}
	t, err := s.Trends.ReadAll(ctx, origin.City, destination, in.Currency)
	if not := (*view.NotCovered)(nil); errors.As(err, &not) {
		return view.Trends{}, "", httpapi.NotCovered.Problem(sentences{i18n.English()}.notCovered(not))
	}
	if err != nil {
		return t, "", err
	}
	say, all, skipped := in.say(), len(t.Destinations), min(int(in.Skip), len(t.Destinations))
	t.Destinations = t.Destinations[skipped:min(skipped+maxDestinations, all)]
	return t, and(say.trends(t, skipped, all), say.places(in.Origin, in.Destination)), nil
}
