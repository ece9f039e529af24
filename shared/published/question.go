package published

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/httpapi"
)

// Ends holds the two cities of a question.
type Ends struct {
	Origine      string `query:"origine" required:"true" doc:"Origin city name in Italian, English, French, German, Spanish, Portuguese or the local language; case and accents do not matter. Three capital letters that are an IATA code are that code; in other letters a code is accepted where no city bears that name" example:"Milano"`
	Destinazione string `query:"destinazione" required:"true" doc:"Destination city name, likewise" example:"Bucarest"`
}

// Cities returns both cities with the names of their parameters.
func (in *Ends) Cities() (origin, destination answer.Named) {
	return answer.Named{Parameter: "origine", Name: in.Origine},
		answer.Named{Parameter: "destinazione", Name: in.Destinazione}
}

// Trip holds the parameters of a journey besides its cities. Package answer, which knows today,
// refuses past days and days without fares.
type Trip struct {
	Partenza   string `query:"partenza" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-20" doc:"Day of departure, local, from today to 365 days ahead: the verdict is about that departure, compared with those of the route as many days ahead"`
	Flessibile string `query:"flessibile" pattern:"^[137]?$" patternDescription:"1, 3 or 7" doc:"With partenza: the cheapest departure within so many days either side"`
	Mese       string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Month of departure, from this one to the one of 365 days ahead: the verdict is about its cheapest departure, compared with the cheapest of other months. Not together with partenza"`
	Ritorno    string `query:"ritorno" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-27" doc:"With partenza: day of the way back. The verdict is about return fares with as many nights away as its class has (1-3, 4-7, 8-14, 15+); prezzo.ritorno says on which day that fare comes back. Not together with notti"`
	Notti      string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away, 1-3, 4-7, 8-14 or 15+; without it, one-way fares. They are observed as returns, never added up of two one-way fares"`
	Diretto    bool   `query:"diretto" doc:"Only fares without stops"`
	Prezzo     string `query:"prezzo" pattern:"^([0-9]{1,9}([.][0-9]{1,2})?)?$" patternDescription:"an amount such as 45 or 18.49" doc:"A price seen elsewhere, in major units, to be judged in place of today's cheapest fare; no live fare is needed"`
	Valuta     string `query:"valuta" default:"EUR" pattern:"^([A-Za-z]{3})?$" patternDescription:"an ISO 4217 code of three letters" doc:"ISO 4217 code of the currency of prezzo, and of the amounts of the answer: they are shown at the newest reference rates, one set for all of an answer, which move no verdict"`
}

// VerdictInput holds the parameters of a question for a verdict.
type VerdictInput struct {
	Ends
	Trip
}

// Question parses the parameters.
func (in *VerdictInput) Question() (q answer.Question, err error) {
	q, err = in.Trip.Question(sameName)
	q.From, q.To = in.Cities()
	return q, err
}

// CalendarInput holds the parameters of a question for a calendar.
type CalendarInput struct {
	Ends
	Mese    string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Only departures of this month, from this one to the one of 365 days ahead; without it those up to 330 days ahead"`
	Diretto bool   `query:"diretto" doc:"Only fares without stops"`
	Notti   string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away, by the day of the way out; without it, one-way fares"`
	CurrencyInput
}

// Question parses the parameters.
func (in *CalendarInput) Question() (q answer.Question, err error) {
	trip := Trip{Mese: in.Mese, Diretto: in.Diretto, Notti: in.Notti, Valuta: in.Valuta}
	q, err = trip.Question(sameName)
	q.From, q.To = in.Cities()
	return q, err
}

func sameName(parameter string) string { return parameter }

// Question parses the parameters; the caller adds the cities. Name maps a parameter to the
// caller's name for it, for faults.
func (in *Trip) Question(name func(parameter string) string) (q answer.Question, err error) {
	q.NonStop, q.Show = in.Diretto, answer.Currency{Parameter: name("valuta"), Code: strings.ToUpper(in.Valuta)}
	if q.Trip, err = parseNights(in.Notti, name("notti")); err != nil {
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
	amount, err := strconv.ParseFloat(in.Prezzo, 64)
	if err != nil {
		return q, Invalid(name("prezzo"), "is no amount")
	}
	q.Price = &answer.Price{Parameter: name("prezzo"), Amount: amount, Currency: q.Show.Code,
		CurrencyParameter: q.Show.Parameter}
	return q, nil
}

func parseNights(given, name string) (fare.Trip, error) {
	nights := strings.TrimRight(given, " +")
	if nights == "15" { // a + that was not escaped is a space
		nights = "15+"
	}
	trip, err := fare.ParseTrip(nights)
	if err != nil {
		return trip, Invalid(name, "is none of 1-3, 4-7, 8-14 and 15+")
	}
	return trip, nil
}

// when parses the departure, or returns nil if any departure is meant.
func (in *Trip) when(name func(parameter string) string) (*answer.When, error) {
	switch {
	case in.Partenza != "" && in.Mese != "":
		return nil, Invalid(name("mese"), "is given together with "+name("partenza")+": give one of them")
	case in.Flessibile != "" && in.Partenza == "":
		return nil, Invalid(name("flessibile"), "is given without "+name("partenza")+", the day that it is about")
	case in.Ritorno != "" && in.Partenza == "":
		return nil, Invalid(name("ritorno"), "is given without "+name("partenza")+", the day of the way out; for "+
			"returns of a month give "+name("notti"))
	case in.Ritorno != "" && in.Notti != "":
		return nil, Invalid(name("notti"), "is given together with "+name("ritorno")+": give one of them")
	case in.Mese != "":
		first, err := time.Parse("2006-01", in.Mese)
		if err != nil {
			return nil, Invalid(name("mese"), "is no month: want YYYY-MM")
		}
		span := departure.Month
		return &answer.When{When: verdict.When{Date: fare.DayOf(first), Span: &span}, Parameter: name("mese")}, nil
	case in.Partenza == "":
		return nil, nil
	}
	w := &answer.When{Parameter: name("partenza"), BackName: name("ritorno")}
	var err error
	if w.Date, err = fare.ParseDay(in.Partenza); err != nil {
		return nil, Invalid(name("partenza"), "is no day of the calendar: want YYYY-MM-DD")
	}
	if in.Ritorno != "" {
		if w.Back, err = fare.ParseDay(in.Ritorno); err != nil {
			return nil, Invalid(name("ritorno"), "is no day of the calendar: want YYYY-MM-DD")
		}
	}
	if in.Flessibile != "" {
		span, ok := flexible[in.Flessibile]
		if !ok {
			return nil, Invalid(name("flessibile"), "is none of 1, 3 and 7")
		}
		w.Span = &span
	}
	return w, nil
}

var flexible = map[string]departure.Span{"1": departure.Within1, "3": departure.Within3, "7": departure.Within7}

// Invalid returns a 400 that names one parameter.
func Invalid(parameter, detail string) error {
	return httpapi.Invalid(httpapi.Fault{Name: parameter, Detail: detail})
}

func badDate(e *answer.BadDate) error {
	return Invalid(e.Parameter, map[answer.DateFault]string{
		answer.Past:      "has been: today is " + e.From.String() + " (UTC)",
		answer.Far:       fmt.Sprintf("is too far ahead: departures up to %s are known", e.From+answer.MaxAhead),
		answer.BackFirst: "is not after the departure: want a later day than " + e.From.String(),
		answer.BackFar:   fmt.Sprintf("is too long after the departure: want %s at the latest", e.From+fare.MaxNights),
	}[e.Fault])
}

// noFareOn returns the problem of a departure without a live fare. It names departures nearby
// that have one.
func noFareOn(e *answer.NoFareOn) error {
	on := "of " + e.Date.String()
	if e.Span != nil && *e.Span == departure.Month {
		on = "in " + e.Date.String()[:len("2006-01")]
	} else if e.Span != nil {
		on = fmt.Sprintf("within %d days of %s", e.Span.Days(), e.Date)
	}
	p := NoLiveFare.Problem(fmt.Sprintf("The route from %s to %s is covered, but no %sfare for a departure %s "+
		"was found on it lately.",
		e.Origin.Name, e.Destination.Name, kindOf(e.Series.Trip, e.NonStop), on))
	for _, day := range e.Near {
		p.Suggestions = append(p.Suggestions, day.String())
	}
	if len(p.Suggestions) > 0 {
		p.Detail += " Departures near it that have one: " + strings.Join(p.Suggestions, ", ") + "."
	}
	p.Detail += " A price seen elsewhere for it can be judged all the same."
	return p
}
