package agents

import (
	"cmp"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/httpapi"
)

// The types that the tools' inputs embed are exported, because Huma skips unexported types.

type Asker struct {
	Language string `json:"language,omitempty" maxLength:"20"`
}

type tripInput struct {
	published.VerdictInput `without:"vettore,senzaVettore"`
	Nearby                 bool `json:"nearby,omitempty"`
	Asker
}

type comparisonInput struct {
	Origin         string   `json:"origin" example:"Milano" minLength:"1" maxLength:"100"`
	Destinations   []string `json:"destinations" minItems:"1" maxItems:"10"`
	Departures     []string `json:"departures,omitempty" maxItems:"10"`
	Months         []string `json:"months,omitempty" maxItems:"10"`
	published.Trip `without:"partenza,flessibile,mese,ritorno,prezzo,vettore,senzaVettore"`
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

type calendarInput struct {
	published.CalendarInput
	Asker
}

type dealsInput struct {
	published.DealsInput
	Skip float64 `json:"skip,omitempty" minimum:"0"`
	Asker
}

type historyInput struct {
	published.HistoryInput
	Asker
}

type usageInput struct{ Asker }

type dayArgument struct {
	name string
	text *string
}

func typed(in any) (origin string, days []dayArgument, airlines []*string) {
	switch in := in.(type) {
	case *tripInput:
		return in.Origine, []dayArgument{{"month", &in.Mese}, {"departure", &in.Partenza}, {"return", &in.Ritorno}}, nil
	case *historyInput:
		return in.Origine, []dayArgument{{"month", &in.Mese}, {"departure", &in.Partenza}}, nil
	case *comparisonInput:
		for i := range in.Departures {
			days = append(days, dayArgument{"departures", &in.Departures[i]})
		}
		return in.Origin, days, nil
	case *calendarInput:
		return in.Origine, []dayArgument{{"month", &in.Mese}}, []*string{&in.Vettore, &in.SenzaVettore}
	case *dealsInput:
		return in.Origine, []dayArgument{{"month", &in.Mese}}, []*string{&in.Vettore, &in.SenzaVettore}
	}
	return "", nil, nil
}

// readDays replaces days, months and airlines that people wrote in words by dates and codes. The
// result read says how readDays understood days and airlines.
func readDays(in any, now time.Time) (read []string, err error) {
	say := in.(asker).say()
	origin, days, airlines := typed(in)
	for _, list := range airlines {
		read = append(read, wording.CorrectAirlines(say.Language, list)...)
	}
	reader := daytext.Reader{Language: say.Code}
	for _, d := range days {
		if *d.text == "" {
			continue
		}
		if reader.Today == 0 {
			reader.Today = answer.Today(originOf(origin).Means.Place, now)
		}
		if d.name == "month" {
			if month, err := reader.Month(*d.text); err == nil {
				*d.text = month.String()[:len("2027-03")]
			}
			continue
		}
		day, err := reader.Day(*d.text)
		if err != nil {
			detail := wording.DayFault(i18n.English(), *d.text, err)
			p := httpapi.BadRequest.Problem(d.name + ": " + detail)
			p.Errors = []httpapi.Fault{{Name: d.name, Detail: detail}}
			return nil, p
		}
		read = append(read, wording.Day(say.Language, *d.text, day))
		if *d.text = day.String(); d.name == "departure" {
			reader.After = day
		}
	}
	return read, nil
}

var arguments = map[string]string{
	"origine": "origin", "destinazione": "destination",
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

func (in *tripInput) question() (answer.Question, error) { return in.Named(argumentOf) }

func (in *calendarInput) question() (answer.Question, error) { return in.Named(argumentOf) }

func (in *historyInput) question() (*historyInput, error) { return in, nil }

func (in *historyInput) history() (answer.Question, error) { return in.Named(argumentOf) }

func (in *comparisonInput) question() (published.Comparison, error) {
	return (&published.Trips{
		From: originOf(in.Origin), Destinations: in.Destinations,
		Departures: in.Departures, Months: in.Months, Trip: in.Trip,
	}).Comparison(func(parameter string) string { return comparisonArguments[parameter] })
}

func (in *dealsInput) question() (published.DealsQuestion, error) { return in.Named(argumentOf) }

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
