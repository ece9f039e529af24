package agents

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
)

// These types hold the arguments of the tools, which tools.json describes. Embedded types are
// exported, because Huma skips unexported ones.

type Route struct {
	Origin      string `json:"origin" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string `json:"destination" example:"Bucharest" minLength:"1" maxLength:"100"`
}

// Kind says which fares a question is about, and the currency of the answer.
type Kind struct {
	Nights   string `json:"nights,omitempty" enum:"1-3,4-7,8-14,15+"`
	NonStop  bool   `json:"non_stop,omitempty"`
	Currency string `json:"currency,omitempty" example:"EUR" maxLength:"3"`
}

func (k Kind) trip() published.Trip {
	return published.Trip{Notti: k.Nights, Diretto: k.NonStop, Valuta: k.Currency}
}

type Asker struct {
	Language string `json:"language,omitempty" maxLength:"20"`
}

type tripInput struct {
	Route
	Departure string  `json:"departure,omitempty" maxLength:"64"`
	Flexible  string  `json:"flexible_days,omitempty" enum:"1,3,7"`
	Month     string  `json:"month,omitempty" maxLength:"7"`
	Back      string  `json:"return,omitempty" maxLength:"64"`
	Price     float64 `json:"price,omitempty" example:"45" minimum:"0"`
	Nearby    bool    `json:"nearby,omitempty"`
	Kind
	Asker
}

type comparisonInput struct {
	Origin       string   `json:"origin" example:"Milano" minLength:"1" maxLength:"100"`
	Destinations []string `json:"destinations" minItems:"1" maxItems:"10"`
	Departures   []string `json:"departures,omitempty" maxItems:"10"`
	Months       []string `json:"months,omitempty" maxItems:"10"`
	Kind
	Asker
}

type coveredInput struct {
	Origin      string `json:"origin,omitempty" example:"Milano" maxLength:"100"`
	Destination string `json:"destination,omitempty" maxLength:"100"`
	Page        string `json:"page,omitempty" example:"MIL" maxLength:"3"`
	Asker
}

type trendsInput struct {
	Origin      string  `json:"origin" example:"Milano" minLength:"1" maxLength:"100"`
	Destination string  `json:"destination,omitempty" example:"London" maxLength:"100"`
	Currency    string  `json:"currency,omitempty" example:"USD" maxLength:"3"`
	Skip        float64 `json:"skip,omitempty" minimum:"0"`
	Asker
}

type Carriers struct {
	Airline        string `json:"airline,omitempty" example:"Ryanair" maxLength:"200"`
	WithoutAirline string `json:"without_airline,omitempty" maxLength:"200"`
}

func (c *Carriers) airlines() []*string { return []*string{&c.Airline, &c.WithoutAirline} }

func (c Carriers) input() published.AirlineInput {
	return published.AirlineInput{Vettore: c.Airline, SenzaVettore: c.WithoutAirline}
}

type calendarInput struct {
	Route
	Month string `json:"month,omitempty" maxLength:"7"`
	Kind
	Carriers
	Asker
}

type dealsInput struct {
	Origin string  `json:"origin" example:"Milano" minLength:"1" maxLength:"100"`
	Month  string  `json:"month,omitempty" maxLength:"7"`
	Levels string  `json:"levels,omitempty" example:"ottimo,buono" maxLength:"60"`
	Most   float64 `json:"max_price,omitempty" example:"60" minimum:"0"`
	Skip   float64 `json:"skip,omitempty" minimum:"0"`
	Kind
	Carriers
	Asker
}

type historyInput struct {
	Route
	Departure string `json:"departure,omitempty" maxLength:"64"`
	Month     string `json:"month,omitempty" maxLength:"7"`
	Kind
	Asker
}

type usageInput struct{ Asker }

type dayArgument struct {
	name string
	text *string
}

func (in *tripInput) days() (origin string, all []dayArgument) {
	return in.Origin, []dayArgument{{"departure", &in.Departure}, {"return", &in.Back}}
}

func (in *historyInput) days() (origin string, all []dayArgument) {
	return in.Origin, []dayArgument{{"departure", &in.Departure}}
}

func (in *comparisonInput) days() (origin string, all []dayArgument) {
	for i := range in.Departures {
		all = append(all, dayArgument{"departures", &in.Departures[i]})
	}
	return in.Origin, all
}

// readDays replaces the days in a tool's arguments, which people may have written, by dates such as
// 2027-03-20. It says what it read.
func readDays(in any, now time.Time) (read []string, err error) {
	say := in.(asker).say()
	if with, ok := in.(interface{ airlines() []*string }); ok {
		for _, list := range with.airlines() {
			read = append(read, wording.CorrectAirlines(say.Language, list)...)
		}
	}
	with, ok := in.(interface {
		days() (origin string, all []dayArgument)
	})
	if !ok {
		return read, nil
	}
	origin, all := with.days()
	reader := daytext.Reader{Language: say.Code}
	for _, d := range all {
		if *d.text == "" {
			continue
		}
		if reader.Today == 0 {
			reader.Today = answer.Today(originOf(origin).Means.Place, now)
		}
		day, err := reader.Day(*d.text)
		if err != nil {
			said := wording.DayFault(i18n.English(), *d.text, err)
			p := httpapi.BadRequest.Problem(d.name + ": " + said)
			p.Errors = []httpapi.Fault{{Name: d.name, Detail: said}}
			return nil, p
		}
		read = append(read, wording.Day(say.Language, *d.text, day))
		if *d.text = day.String(); d.name == "departure" {
			reader.After = day
		}
	}
	return read, nil
}

// arguments maps the endpoints' parameters to the tools' arguments.
var arguments = map[string]string{
	"partenza": "departure", "flessibile": "flexible_days", "mese": "month", "ritorno": "return", "notti": "nights",
	"diretto": "non_stop", "prezzo": "price", "massimo": "max_price", "livello": "levels", "valuta": "currency",
	"vettore": "airline", "senzaVettore": "without_airline",
	"vicini": "nearby", "lang": "language",
}

var comparisonArguments = map[string]string{
	"destinazione": "destinations", "partenza": "departures", "mese": "months",
	"notti": "nights", "diretto": "non_stop", "valuta": "currency",
}

func argumentOf(parameter string) string { return arguments[parameter] }

func originOf(name string) answer.Named { return answer.Name("origin", name) }

func destinationOf(name string) answer.Named {
	return answer.Name("destination", name)
}

// majorUnits formats an amount such as 49.9 for the endpoints' parameters. It returns "" for 0.
func majorUnits(amount float64) string {
	if amount == 0 {
		return ""
	}
	return strconv.FormatFloat(amount, 'f', 2, 64)
}

func questionOf(from, to string, trip published.Trip) (answer.Question, error) {
	trip.Valuta = cmp.Or(trip.Valuta, "EUR")
	q, err := trip.Question(argumentOf)
	q.From, q.To = originOf(from), destinationOf(to)
	return q, err
}

func (in *tripInput) question() (answer.Question, error) {
	trip := in.trip()
	trip.Partenza, trip.Flessibile, trip.Mese, trip.Ritorno = in.Departure, in.Flexible, in.Month, in.Back
	trip.Prezzo = majorUnits(in.Price)
	return questionOf(in.Origin, in.Destination, trip)
}

func (in *calendarInput) question() (answer.Question, error) {
	trip := in.trip()
	trip.Mese, trip.AirlineInput = in.Month, in.input()
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
	d := published.DealsInput{Mese: in.Month, Notti: in.Nights, Livello: in.Levels, Diretto: in.NonStop,
		Massimo: majorUnits(in.Most), AirlineInput: in.input()}
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
