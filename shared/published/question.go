package published

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/httpapi"
)

// The tag "without" on an embedded field lists the parameters that an endpoint or tool does not
// have.
type Ends struct {
	Origine      string `query:"origine" required:"true" minLength:"1" maxLength:"100" doc:"Origin city: a name in any of six languages or the local one, or an IATA code. Three capital letters are read as a code, except abbreviations of countries (USA). One of several airports of a city (BGY, Stansted) means its fares alone: see tratta" example:"Milano"`
	Destinazione string `query:"destinazione" required:"true" minLength:"1" maxLength:"100" doc:"Destination city: a name or an IATA code, as for origine" example:"Bucarest"`
}

// Trip accepts days in the past, because package answer knows the current day and refuses them.
type Trip struct {
	Partenza   string `query:"partenza" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-20" doc:"Day of departure, local time, up to 365 days ahead. A verdict compares it with the route's departures this far ahead. Not together with mese"`
	Flessibile string `query:"flessibile" pattern:"^[137]?$" patternDescription:"1, 3 or 7" doc:"With partenza: the cheapest departure within this many days before or after"`
	Mese       string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Month of departure, up to 365 days ahead. A verdict is about its cheapest departure, compared with the cheapest of other months"`
	Ritorno    string `query:"ritorno" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-27" doc:"With partenza: day of the return flight. The verdict is about returns of the same class of nights (see notti), so prezzo.ritorno may be another day. Not together with notti"`
	Notti      string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Nights away of return fares: 1-3, 4-7, 8-14 or 15+. Default: one-way fares. A return is never the sum of two one-way fares"`
	Diretto    bool   `query:"diretto" doc:"Only fares without stops"`
	Prezzo     string `query:"prezzo" maxLength:"48" doc:"A price seen elsewhere, such as 45, 18.49, 1.234,50, $50 or 50 USD. Without a currency of its own, it is in valuta; $, kr and ¥ are those of valuta, else of a country of the route. It is judged instead of the cheapest fare, even if no current fare is known"`
	AirlineInput
	Valuta string `query:"valuta" default:"EUR" pattern:"^([A-Za-z]{3})?$" patternDescription:"an ISO 4217 code of three letters" doc:"ISO 4217 code of the currency of all amounts. The newest reference rates convert them, and do not change a verdict"`

	from, to string // needed to tell which currency a sign such as $ means
}

type VerdictInput struct {
	Ends
	Trip
}

type CalendarInput struct {
	VerdictInput `without:"partenza,flessibile,ritorno,prezzo"`
}

type NearbyInput struct {
	VerdictInput `without:"flessibile,prezzo,vettore,senzaVettore"`
}

type HistoryInput struct {
	VerdictInput `without:"flessibile,ritorno,prezzo,vettore,senzaVettore"`
}

func (in *VerdictInput) Question() (answer.Question, error) {
	return in.Named(func(parameter string) string { return parameter })
}

// Named is Question for callers that use other names for the parameters.
func (in *VerdictInput) Named(name func(parameter string) string) (q answer.Question, err error) {
	in.from, in.to = in.Origine, in.Destinazione
	q, err = in.Trip.Question(name)
	q.From, q.To = answer.Name(name("origine"), in.Origine), answer.Name(name("destinazione"), in.Destinazione)
	return q, err
}

// Question parses the parameters of a trip; the caller adds From and To.
func (in *Trip) Question(name func(parameter string) string) (q answer.Question, err error) {
	q.NonStop, q.Show = in.Diretto, answer.Currency{Parameter: name("valuta"), Code: cmp.Or(strings.ToUpper(in.Valuta), "EUR")}
	if q.Trip, err = parseNights(in.Notti, name("notti")); err != nil {
		return q, err
	}
	if q.Airlines, err = in.filter(name); err != nil {
		return q, err
	}
	if q.When, err = in.when(name); err != nil {
		return q, err
	}
	if q.When != nil && q.When.Back > q.When.Date {
		q.Trip = fare.TripOf(int(q.When.Back - q.When.Date))
	}
	if in.Prezzo == "" {
		return q, nil
	}
	unit, _ := fare.ParseCurrency(q.Show.Code) // Check refuses an unknown currency
	price, ok := answer.ParsePrice(in.Prezzo, unit, in.from, in.to)
	if !ok {
		return q, Invalid(name("prezzo"), "is not an amount such as 45, 18.49 or 50 USD")
	}
	if price.HasFraction() {
		return q, Invalid(name("prezzo"), "has decimals, and "+price.Currency.String()+" has none: send a whole amount")
	}
	q.Price = &answer.Price{Parameter: name("prezzo"), Amount: float64(price.Amount) / 100,
		Currency: price.Currency.String(), CurrencyParameter: q.Show.Parameter}
	if price.Currency != unit {
		q.Price.CurrencyParameter = name("prezzo")
	}
	return q, nil
}

func parseNights(given, name string) (fare.Trip, error) {
	nights := strings.TrimRight(given, " +")
	if nights == "15" { // in a URL, an unescaped + means a space
		nights = "15+"
	}
	trip, err := fare.ParseTrip(nights)
	if err != nil {
		return trip, Invalid(name, "is not one of 1-3, 4-7, 8-14 and 15+")
	}
	return trip, nil
}

func (in *Trip) when(name func(parameter string) string) (*answer.When, error) {
	switch {
	case in.Partenza != "" && in.Mese != "":
		return nil, Invalid(name("mese"), "excludes "+name("partenza")+": send one of them")
	case in.Flessibile != "" && in.Partenza == "":
		return nil, Invalid(name("flessibile"), "needs "+name("partenza")+", the day of departure")
	case in.Ritorno != "" && in.Partenza == "":
		return nil, Invalid(name("ritorno"), "needs "+name("partenza")+", the day of the outward flight; for "+
			"returns of a month send "+name("notti"))
	case in.Ritorno != "" && in.Notti != "":
		return nil, Invalid(name("notti"), "excludes "+name("ritorno")+": send one of them")
	case in.Mese != "":
		first, err := time.Parse("2006-01", in.Mese)
		if err != nil {
			return nil, Invalid(name("mese"), "is not a month such as 2027-03")
		}
		span := departure.Month
		return &answer.When{When: verdict.When{Date: fare.DayOf(first), Span: &span}, Parameter: name("mese")}, nil
	case in.Partenza == "":
		return nil, nil
	}
	w := &answer.When{Parameter: name("partenza"), BackName: name("ritorno")}
	var err error
	if w.Date, err = fare.ParseDay(in.Partenza); err != nil {
		return nil, Invalid(name("partenza"), "is not a day such as 2027-03-20")
	}
	if in.Ritorno != "" {
		if w.Back, err = fare.ParseDay(in.Ritorno); err != nil {
			return nil, Invalid(name("ritorno"), "is not a day such as 2027-03-20")
		}
	}
	if in.Flessibile != "" {
		span, ok := flexible[in.Flessibile]
		if !ok {
			return nil, Invalid(name("flessibile"), "is not one of 1, 3 and 7")
		}
		w.Span = &span
	}
	return w, nil
}

var flexible = map[string]departure.Span{"1": departure.Within1, "3": departure.Within3, "7": departure.Within7}

func Invalid(parameter, detail string) error {
	return httpapi.Invalid(httpapi.Fault{Name: parameter, Detail: detail})
}

func badDate(e *answer.BadDate) error {
	return Invalid(e.Parameter, map[answer.DateFault]string{
		answer.Past:      "is past: today is " + e.From.String() + " at the origin",
		answer.Far:       fmt.Sprintf("is too far ahead: send a day up to %s", e.From+answer.MaxAhead),
		answer.BackFirst: "is not after the departure: send a day after " + e.From.String(),
		answer.BackFar:   fmt.Sprintf("is too long after the departure: send a day up to %s", e.From+fare.MaxNights),
	}[e.Fault])
}
