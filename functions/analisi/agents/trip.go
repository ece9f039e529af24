package agents

import (
	"context"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
)

// tripInput is a question about a route or a trip on it.
type tripInput struct {
	Origin      string  `json:"origin" doc:"Origin: a city name in Italian, English, French, German, Spanish, Portuguese or the local language, or the IATA code of a city or airport" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string  `json:"destination" doc:"Destination, likewise; another city than the origin" example:"Bucharest" minLength:"1" maxLength:"100"`
	Departure   string  `json:"departure,omitempty" doc:"Day of departure, YYYY-MM-DD, from today to 365 days ahead: the verdict is about that departure" example:"2016-04-20" maxLength:"10"`
	Flexible    string  `json:"flexible_days,omitempty" doc:"With departure: the cheapest departure within so many days either side" enum:"1,3,7"`
	Month       string  `json:"month,omitempty" doc:"Month of departure, YYYY-MM: the verdict is about its cheapest departure. Not together with departure" maxLength:"7"`
	Back        string  `json:"return,omitempty" doc:"With departure: day of the way back, YYYY-MM-DD, for return fares" maxLength:"10"`
	Nights      string  `json:"nights,omitempty" doc:"Return fares with so many nights away; not together with return. Without both, one-way fares" enum:"1-3,4-7,8-14,15+"`
	NonStop     bool    `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Price       float64 `json:"price,omitempty" doc:"A price that was seen elsewhere, to be judged in place of ours, in major units" example:"45" minimum:"0"`
	Currency    string  `json:"currency,omitempty" doc:"ISO 4217 code of the currency of price and of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
	Asker
}

// Verdict is what flight_price_verdict answers: that of the endpoint, and where to go on.
type Verdict struct {
	verdict.Analysis
	cardHTML
	Pagina string `json:"pagina,omitempty" doc:"Page that shows the same, with charts, to people"`
	Avviso string `json:"avviso,omitempty" doc:"Page with the form for an alert on this trip, filled in but for where it is to come: give it to a person, who fills that in. It tells them when the fare gets cheap or costs a given amount, is a new low, drops or changes, by mail, webhook or ntfy, and by Telegram where the form has it. Nothing is sent before they confirm it"`
}

// names are what the parameters of the endpoint are called here.
var names = map[string]string{
	"partenza": "departure", "flessibile": "flexible_days", "mese": "month", "ritorno": "return",
	"notti": "nights", "diretto": "non_stop", "prezzo": "price", "valuta": "currency",
}

func (in *tripInput) question() (answer.Question, error) {
	trip := published.Trip{
		Partenza: in.Departure, Flessibile: in.Flexible, Mese: in.Month, Ritorno: in.Back,
		Notti: in.Nights, Diretto: in.NonStop, Valuta: in.Currency,
	}
	if in.Price != 0 {
		trip.Prezzo = strconv.FormatFloat(in.Price, 'f', -1, 64)
	}
	if trip.Valuta == "" {
		trip.Valuta = "EUR"
	}
	q, err := trip.Question(func(parameter string) string { return names[parameter] })
	q.From, q.To = (&routeInput{Origin: in.Origin, Destination: in.Destination}).cities()
	return q, err
}

func (s *Service) checkTrip(ctx context.Context, in *tripInput) error {
	q, err := in.question()
	if err != nil {
		return err
	}
	return s.Answers.Check(ctx, q)
}

func (s *Service) trip(ctx context.Context, in *tripInput) (Verdict, string, error) {
	q, err := in.question()
	if err != nil {
		return Verdict{}, "", err
	}
	say := in.say()
	a, card, err := s.Pages.VerdictPart(ctx, q, say.Language)
	if err != nil {
		return Verdict{Analysis: a}, "", err
	}
	a.Origine, a.Destinazione = say.named(in.Origin), say.named(in.Destination)
	v := Verdict{Analysis: a, cardHTML: cardHTML{card}}
	v.Pagina, v.Avviso = s.Pages.Addresses(a, q, say.Language)
	return v, and(say.verdict(a), say.places(in.Origin, in.Destination), say.pages(v, s.Pages.Telegram)), nil
}

// pages says where a person finds the verdict, if a page shows it, and where they ask for an alert on the trip.
func (s sentences) pages(v Verdict, telegram bool) string {
	if v.Avviso == "" {
		return ""
	}
	return s.Text("agents.pages", "Page", v.Pagina, "Alert", v.Avviso, "Telegram", telegram)
}

// comparisonInput is a question about several trips.
type comparisonInput struct {
	Origin       string   `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Destinations []string `json:"destinations" doc:"Destinations, likewise" minItems:"1" maxItems:"10"`
	Departures   []string `json:"departures,omitempty" doc:"Days of departure, YYYY-MM-DD; without them, and without months, the cheapest of any date" maxItems:"10"`
	Months       []string `json:"months,omitempty" doc:"Months of departure, YYYY-MM: the cheapest departure of each. Not together with departures" maxItems:"10"`
	Nights       string   `json:"nights,omitempty" doc:"Return fares with so many nights away; without it, one-way fares" enum:"1-3,4-7,8-14,15+"`
	NonStop      bool     `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Currency     string   `json:"currency,omitempty" doc:"ISO 4217 code of the currency of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
	Asker
}

func (in *comparisonInput) questions() ([]answer.Question, []published.Viaggio, error) {
	return (&published.Trips{
		From: answer.Named{Parameter: "origin", Name: in.Origin}, Destinations: in.Destinations, Departures: in.Departures, Months: in.Months,
		Trip: published.Trip{Diretto: in.NonStop, Notti: in.Nights, Valuta: in.Currency},
	}).Questions(func(parameter string) string {
		return map[string]string{"destinazione": "destinations", "partenza": "departures", "mese": "months", "notti": "nights", "diretto": "non_stop", "valuta": "currency"}[parameter]
	})
}

// addComparison offers several verdicts in one call, and gives the tool's name.
func (s *Service) addComparison(server *mcp.Server) string {
	return addTool(s, server, tool[comparisonInput, published.Confronto]{
		name: "compare_trips", title: "Which of several trips is cheap?", quota: "analisi", many: true,
		description: "Up to 10 verdicts in one call: each destination on each departure day, or in each month, or of any date. Each is that of flight_price_verdict, or the problem why there is none. It counts as so many verdicts; where fewer are left today, the first are answered and the others say that they were not. migliori has the places of the best-judged, piuEconomici of the cheapest.",
		check: func(ctx context.Context, in *comparisonInput) error {
			all, _, err := in.questions()
			if err != nil {
				return err
			}
			return s.Answers.CheckTrips(ctx, all)
		},
		answer: func(ctx context.Context, in *comparisonInput) (published.Confronto, string, error) {
			all, asked, err := in.questions()
			if err != nil {
				return published.Confronto{}, "", err
			}
			granted, err := s.api.ConsumeQuotas(ctx, "analisi", len(all))
			if err != nil {
				return published.Confronto{}, "", err
			}
			c, err := s.Answers.Compare(ctx, all, asked, granted)
			if err != nil {
				return c, "", err
			}
			say, names := in.say(), make([]string, len(c.Viaggi))
			for i, v := range c.Viaggi {
				names[i] = say.named(v.Destinazione)
				if a := v.Analisi; a != nil {
					a.Origine, a.Destinazione = say.named(in.Origin), names[i]
				}
			}
			return c, and(say.comparison(c, names), say.places(in.Origin)), nil
		},
	})
}
