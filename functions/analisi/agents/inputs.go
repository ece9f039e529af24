package agents

import (
	"cmp"
	"strconv"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/web/httpapi"
)

// The arguments of the tools. Embedded types are exported, since Huma leaves out others.

// Route names the ends of a route.
type Route struct {
	Origin      string `json:"origin" doc:"Origin: a city name in Italian, English, French, German, Spanish, Portuguese or the local language, or the IATA code of a city or airport" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string `json:"destination" doc:"Destination, likewise; another city than the origin" example:"Bucharest" minLength:"1" maxLength:"100"`
}

// Ends is Route in fewer words.
type Ends struct {
	Origin      string `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string `json:"destination" doc:"Destination, likewise; another city than the origin" example:"Bucharest" minLength:"1" maxLength:"100"`
}

// Kind is the kind of fare, and the currency of the answer.
type Kind struct {
	Nights   string `json:"nights,omitempty" doc:"Return fares with so many nights away; without it, one-way fares" enum:"1-3,4-7,8-14,15+"`
	NonStop  bool   `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Currency string `json:"currency,omitempty" doc:"ISO 4217 code of the currency of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
}

func (k Kind) trip() published.Trip {
	return published.Trip{Notti: k.Nights, Diretto: k.NonStop, Valuta: k.Currency}
}

// Asker is part of the arguments of every tool.
type Asker struct {
	Language string `json:"language,omitempty" doc:"Language of the sentences and of city names, by its code, it, en, de, fr, es or pt: that of who is asking you. Without it, and for one that is not spoken here, English. Fields and their values are the same in all" maxLength:"20"`
}

type routeInput struct {
	Route
	Asker
}

type tripInput struct {
	Route
	Departure string  `json:"departure,omitempty" doc:"Day of departure, YYYY-MM-DD, from today to 365 days ahead: the verdict is about that departure" example:"2016-04-20" maxLength:"10"`
	Flexible  string  `json:"flexible_days,omitempty" doc:"With departure: the cheapest departure within so many days either side" enum:"1,3,7"`
	Month     string  `json:"month,omitempty" doc:"Month of departure, YYYY-MM: the verdict is about its cheapest departure. Not together with departure" maxLength:"7"`
	Back      string  `json:"return,omitempty" doc:"With departure: day of the way back, YYYY-MM-DD, for return fares" maxLength:"10"`
	Nights    string  `json:"nights,omitempty" doc:"Return fares with so many nights away; not together with return. Without both, one-way fares" enum:"1-3,4-7,8-14,15+"`
	NonStop   bool    `json:"non_stop,omitempty" doc:"Only fares without stops"`
	Price     float64 `json:"price,omitempty" doc:"A price that was seen elsewhere, to be judged in place of ours, in major units" example:"45" minimum:"0"`
	Currency  string  `json:"currency,omitempty" doc:"ISO 4217 code of the currency of price and of all amounts; without it, EUR" example:"EUR" maxLength:"3"`
	Asker
}

type comparisonInput struct {
	Origin       string   `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Destinations []string `json:"destinations" doc:"Destinations, likewise" minItems:"1" maxItems:"10"`
	Departures   []string `json:"departures,omitempty" doc:"Days of departure, YYYY-MM-DD; without them, and without months, the cheapest of any date" maxItems:"10"`
	Months       []string `json:"months,omitempty" doc:"Months of departure, YYYY-MM: the cheapest departure of each. Not together with departures" maxItems:"10"`
	Kind
	Asker
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

type calendarInput struct {
	Ends
	Month string `json:"month,omitempty" doc:"Month of departure, YYYY-MM: every departure in it that has a fare; without it the 20 best-judged of the next 330 days, and all months" maxLength:"7"`
	Kind
	Asker
}

type dealsInput struct {
	Origin string  `json:"origin" doc:"Origin: a city name in any of six languages, or an IATA code" example:"Milano" minLength:"1" maxLength:"100"`
	Month  string  `json:"month,omitempty" doc:"Month of departure, YYYY-MM: the cheapest departure of each destination in it; without it, of any date" maxLength:"7"`
	Nights string  `json:"nights,omitempty" doc:"Return fares with so many nights away, of any date: not together with month; without it, one-way fares" enum:"1-3,4-7,8-14,15+"`
	Levels string  `json:"levels,omitempty" doc:"Only these verdicts, separated by commas, of ottimo, buono, normale, caro, dati-insufficienti; without it, all" example:"ottimo,buono" maxLength:"60"`
	Most   float64 `json:"max_price,omitempty" doc:"Only fares up to so much of currency" example:"60" minimum:"0"`
	Skip   float64 `json:"skip,omitempty" doc:"Leave out so many destinations, which an answer before has shown: so all that are known can be listed, 20 at a time" minimum:"0"`
	Kind
	Asker
}

type historyInput struct {
	Ends
	Departure string `json:"departure,omitempty" doc:"Day of departure, YYYY-MM-DD: how its fare moved" maxLength:"10"`
	Month     string `json:"month,omitempty" doc:"Month of departure, YYYY-MM: how its fares moved. Not together with departure; without both, the weeks of the route" maxLength:"7"`
	Kind
	Asker
}

type usageInput struct{ Asker }

// arguments maps the parameters of the endpoints to the arguments of the tools.
var arguments = map[string]string{
	"partenza": "departure", "flessibile": "flexible_days", "mese": "month", "ritorno": "return", "notti": "nights",
	"diretto": "non_stop", "prezzo": "price", "massimo": "max_price", "livello": "levels", "valuta": "currency",
}

var comparisonArguments = map[string]string{
	"destinazione": "destinations", "partenza": "departures", "mese": "months",
	"notti": "nights", "diretto": "non_stop", "valuta": "currency",
}

func argumentOf(parameter string) string { return arguments[parameter] }

func originOf(name string) answer.Named { return answer.Named{Parameter: "origin", Name: name} }

func destinationOf(name string) answer.Named {
	return answer.Named{Parameter: "destination", Name: name}
}

// majorUnits writes an amount as the endpoints take it; 0 stands for none.
func majorUnits(amount float64) string {
	if amount == 0 {
		return ""
	}
	return strconv.FormatFloat(amount, 'f', -1, 64)
}

func questionOf(from, to string, trip published.Trip) (answer.Question, error) {
	trip.Valuta = cmp.Or(trip.Valuta, "EUR")
	q, err := trip.Question(argumentOf)
	q.From, q.To = originOf(from), destinationOf(to)
	return q, err
}

func (in *routeInput) question() (answer.Question, error) {
	return questionOf(in.Origin, in.Destination, published.Trip{})
}

func (in *tripInput) question() (answer.Question, error) {
	return questionOf(in.Origin, in.Destination, published.Trip{
		Partenza: in.Departure, Flessibile: in.Flexible, Mese: in.Month, Ritorno: in.Back,
		Notti: in.Nights, Diretto: in.NonStop, Valuta: in.Currency, Prezzo: majorUnits(in.Price),
	})
}

func (in *calendarInput) question() (answer.Question, error) {
	trip := in.trip()
	trip.Mese = in.Month
	return questionOf(in.Origin, in.Destination, trip)
}

func (in *historyInput) question() (*historyInput, error) { return in, nil }

func (in *historyInput) history() (answer.Question, error) {
	trip := in.trip()
	trip.Partenza, trip.Mese = in.Departure, in.Month
	return questionOf(in.Origin, in.Destination, trip)
}

func (in *comparisonInput) question() (published.Comparison, error) {
	return (&published.Trips{
		From: originOf(in.Origin), Destinations: in.Destinations,
		Departures: in.Departures, Months: in.Months, Trip: in.trip(),
	}).Comparison(func(parameter string) string { return comparisonArguments[parameter] })
}

func (in *dealsInput) question() (published.DealsQuestion, error) {
	d := published.DealsInput{Mese: in.Month, Notti: in.Nights, Livello: in.Levels, Diretto: in.NonStop, Massimo: majorUnits(in.Most)}
	d.Valuta = in.Currency
	return d.Question(originOf(in.Origin), argumentOf)
}

func (in *coveredInput) question() (*coveredInput, error) {
	if in.Page == "" || len(in.Page) == 3 && strings.Trim(in.Page, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		return in, nil
	}
	return nil, httpapi.Invalid(httpapi.Fault{Name: "page", Detail: "is not what an earlier answer gave as successiva"})
}

func (in *trendsInput) question() (*trendsInput, error) {
	in.Currency = cmp.Or(strings.ToUpper(in.Currency), "EUR")
	return in, nil
}

func (in *usageInput) question() (*usageInput, error) { return in, nil }
