package agents

import (
	"context"
	"strconv"

	"verdetto/functions/analisi"
	"verdetto/shared/answer"
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
	Currency    string  `json:"currency,omitempty" doc:"ISO 4217 code of the currency of price; without it, EUR" example:"EUR" maxLength:"3"`
}

// names are what the parameters of the endpoint are called here.
var names = map[string]string{
	"partenza": "departure", "flessibile": "flexible_days", "mese": "month", "ritorno": "return",
	"notti": "nights", "diretto": "non_stop", "prezzo": "price", "valuta": "currency",
}

func (in *tripInput) question() (answer.Question, error) {
	trip := analisi.Trip{
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
	q.From, q.To = (&routeInput{in.Origin, in.Destination}).cities()
	return q, err
}

func (s *Service) checkTrip(ctx context.Context, in *tripInput) error {
	q, err := in.question()
	if err != nil {
		return err
	}
	return analisi.Problem(s.Verdicts.Check(ctx, q))
}

func (s *Service) trip(ctx context.Context, in *tripInput) (verdict.Analysis, string, error) {
	q, err := in.question()
	if err != nil {
		return verdict.Analysis{}, "", err
	}
	a, err := s.Verdicts.Judged(ctx, q)
	return a, english.verdict(a), err
}
