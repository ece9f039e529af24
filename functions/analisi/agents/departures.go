package agents

import (
	"context"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// calendarInput is a question for a calendar.
type calendarInput struct {
	Origin      string `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string `json:"destination" doc:"Destination, likewise; another city than the origin" example:"Bucharest" minLength:"1" maxLength:"100"`
	Month       string `json:"month,omitempty" doc:"Month of departure, YYYY-MM: every departure in it that has a fare; without it the 20 best-judged of the next 330 days, and all months" maxLength:"7"`
	Nights      string `json:"nights,omitempty" doc:"Return fares with so many nights away; without it, one-way fares" enum:"1-3,4-7,8-14,15+"`
	NonStop     bool   `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Currency    string `json:"currency,omitempty" doc:"ISO 4217 code of the currency of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
	Asker
}

// Calendar is what fare_calendar answers: that of the endpoint.
type Calendar struct {
	verdict.Calendario
	cardHTML
}

// dealsInput is a question for where it is cheap now.
type dealsInput struct {
	Origin   string  `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Month    string  `json:"month,omitempty" doc:"Month of departure, YYYY-MM: the cheapest departure of each destination in it; without it, of any date" maxLength:"7"`
	Nights   string  `json:"nights,omitempty" doc:"Return fares with so many nights away, of any date: not together with month; without it, one-way fares" enum:"1-3,4-7,8-14,15+"`
	Levels   string  `json:"levels,omitempty" doc:"Only these verdicts, separated by commas, of ottimo, buono, normale, caro, dati-insufficienti; without it, all" example:"ottimo,buono" maxLength:"60"`
	NonStop  bool    `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Most     float64 `json:"max_price,omitempty" doc:"Only fares up to so much of currency" example:"60" minimum:"0"`
	Currency string  `json:"currency,omitempty" doc:"ISO 4217 code of the currency of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
	Skip     float64 `json:"skip,omitempty" doc:"Leave out so many destinations, which an answer before has shown: so all that are known can be listed, 20 at a time" minimum:"0"`
	Asker
}

// pastInput is a question for a history.
type pastInput struct {
	Origin      string `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string `json:"destination" doc:"Destination, likewise; another city than the origin" example:"Bucharest" minLength:"1" maxLength:"100"`
	Departure   string `json:"departure,omitempty" doc:"Day of departure, YYYY-MM-DD: how its fare moved" maxLength:"10"`
	Month       string `json:"month,omitempty" doc:"Month of departure, YYYY-MM: how its fares moved. Not together with departure; without both, the weeks of the route" maxLength:"7"`
	Nights      string `json:"nights,omitempty" doc:"Return fares with so many nights away; without it, one-way fares" enum:"1-3,4-7,8-14,15+"`
	NonStop     bool   `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Currency    string `json:"currency,omitempty" doc:"ISO 4217 code of the currency of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
	Asker
}

func (in *calendarInput) question() (answer.Question, error) {
	return (&tripInput{Origin: in.Origin, Destination: in.Destination, Month: in.Month, Nights: in.Nights, NonStop: in.NonStop, Currency: in.Currency}).question()
}

func (in *pastInput) question() (answer.Question, error) {
	return (&tripInput{Origin: in.Origin, Destination: in.Destination, Departure: in.Departure, Month: in.Month, Nights: in.Nights, NonStop: in.NonStop, Currency: in.Currency}).question()
}

func (in *dealsInput) question() (published.DealsQuestion, error) {
	d := published.DealsInput{Mese: in.Month, Notti: in.Nights, Livello: in.Levels, Diretto: in.NonStop, Shown: published.Shown{Valuta: in.Currency}}
	if in.Most != 0 {
		d.Massimo = strconv.FormatFloat(in.Most, 'f', -1, 64)
	}
	return d.Question(answer.Named{Parameter: "origin", Name: in.Origin}, func(parameter string) string {
		return map[string]string{"mese": "month", "notti": "nights", "livello": "levels", "massimo": "max_price", "valuta": "currency"}[parameter]
	})
}

// addDepartureTools offers what is asked of many departures at once, and gives the tools' names.
func (s *Service) addDepartureTools(server *mcp.Server) []string {
	calendar := addTool(s, server, tool[calendarInput, Calendar]{
		name: "fare_calendar", title: "Which days and months are cheap on a route", quota: "calendario",
		description: "The departures of a route that have a fare, each with its fare, how cheap it is for so far ahead (livello, percentile) and the chance that it falls; and the months, each judged by its cheapest departure. With month, all departures of it; else the 20 best-judged of the next 330 days. Days without a known fare are absent: nothing is known of them. Amounts of single days may be absent where the fares' owner does not allow lists.",
		check: func(ctx context.Context, in *calendarInput) error {
			q, err := in.question()
			if err != nil {
				return err
			}
			return s.Answers.Check(ctx, q)
		},
		answer: func(ctx context.Context, in *calendarInput) (Calendar, string, error) {
			q, err := in.question()
			if err != nil {
				return Calendar{}, "", err
			}
			say := in.say()
			c, card, err := s.Pages.CalendarPart(ctx, q, say.Language)
			if err != nil {
				return Calendar{}, "", err
			}
			all := len(c.Giorni)
			if in.Month == "" {
				c.Giorni = best(c.Giorni, maxDestinations)
			}
			c.Origine, c.Destinazione = say.named(in.Origin), say.named(in.Destination)
			return Calendar{c, cardHTML{card}}, and(say.calendar(c, all), say.places(in.Origin, in.Destination)), nil
		},
	})
	cheap := addTool(s, server, tool[dealsInput, published.Occasioni]{
		name: "cheap_now", title: "Where it is cheap to fly to now", quota: "occasioni",
		description: "The destinations from a city whose cheapest fare is judged best now, of any date or of a month, or returns by nights away: 20 at a time, the best first, with fare, departure, verdict, certainty and the difference to what is usual. Narrow it by month, verdict, price and stops.",
		check: func(ctx context.Context, in *dealsInput) error {
			q, err := in.question()
			if err != nil {
				return err
			}
			return s.Answers.CheckDeals(ctx, q)
		},
		answer: func(ctx context.Context, in *dealsInput) (published.Occasioni, string, error) {
			q, err := in.question()
			if err != nil {
				return published.Occasioni{}, "", err
			}
			o, err := s.Answers.Deals(ctx, q)
			if err != nil {
				return o, "", err
			}
			say, all, skipped := in.say(), len(o.Occasioni), min(int(in.Skip), len(o.Occasioni))
			o.Occasioni = o.Occasioni[skipped:min(skipped+maxDestinations, all)]
			o.Origine = say.named(in.Origin)
			for i := range o.Occasioni {
				o.Occasioni[i].Destinazione = say.city(o.Occasioni[i].DestinazioneIata)
			}
			return o, and(say.deals(o, skipped, all), say.places(in.Origin)), nil
		},
	})
	past := addTool(s, server, tool[pastInput, published.Storico]{
		name: "departure_history", title: "How the fares of a route or a departure moved", quota: "storico",
		description: "The lows and medians of a route week by week; with departure also each day on which a fare of that departure was found, with month the weeks of the departures in it. It is what was seen: it does not say what comes.",
		check: func(ctx context.Context, in *pastInput) error {
			if !httpapi.AllFares(ctx) {
				return httpapi.FaresNotShown()
			}
			q, err := in.question()
			if err != nil {
				return err
			}
			return s.Answers.Check(ctx, q)
		},
		answer: func(ctx context.Context, in *pastInput) (published.Storico, string, error) {
			q, err := in.question()
			if err != nil {
				return published.Storico{}, "", err
			}
			h, err := s.Answers.Past(ctx, q)
			if err != nil {
				return h, "", err
			}
			say := in.say()
			h.Origine, h.Destinazione = say.named(in.Origin), say.named(in.Destination)
			return h, and(say.past(h), say.places(in.Origin, in.Destination)), nil
		},
	})
	return []string{calendar, cheap, past}
}

// best are the n best-judged days, in order of departure.
func best(days []verdict.Giorno, n int) []verdict.Giorno {
	place := func(g verdict.Giorno) int {
		if g.Percentile == nil {
			return 101 // it cannot be judged
		}
		return *g.Percentile
	}
	sorted := slices.Clone(days)
	slices.SortStableFunc(sorted, func(a, b verdict.Giorno) int { return place(a) - place(b) })
	sorted = sorted[:min(n, len(sorted))]
	slices.SortFunc(sorted, func(a, b verdict.Giorno) int {
		if a.Partenza < b.Partenza {
			return -1
		}
		return 1
	})
	return sorted
}
