package published

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
)

// Occasioni is the published list of cheap destinations from an origin.
type Occasioni struct {
	Origine      string          `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	OrigineIata  string          `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	Luoghi       []verdict.Luogo `json:"luoghi,omitempty" doc:"What the origin stood for, as in GET /v1/analisi"`
	Ambito       string          `json:"ambito" enum:"rotta,mese" doc:"What each verdetto is about: the cheapest fare of the route, or of its departures in mese"`
	Notti        string          `json:"notti,omitempty" enum:"1-3,4-7,8-14,15+" doc:"Of returns the nights away, as asked; absent of one-way fares"`
	Valuta       string          `json:"valuta" doc:"ISO 4217 code of the currency of all *Cent fields" example:"EUR"`
	Occasioni    []Occasione     `json:"occasioni" nullable:"false" doc:"Destinations that have a fare, the best first: by level, then by percentile, then by how far the fare is under the median. Those with too little data for a verdict come last"`
	AggiornatoIl *time.Time      `json:"aggiornatoIl,omitempty" format:"date-time" doc:"When the newest of these fares was found, UTC; absent where there is none"`
}

// Occasione is a destination with the verdict on its cheapest fare.
type Occasione struct {
	Destinazione     string           `json:"destinazione" doc:"Destination city name, in Italian or else in English" example:"Bucarest"`
	DestinazioneIata string           `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Verdetto         verdict.Verdetto `json:"verdetto" doc:"What GET /v1/analisi said of this fare at the refresh that saw it; minimoCent is told there alone"`
	Prezzo           verdict.Prezzo   `json:"prezzo" doc:"The destination's cheapest fare: it was observed, it is no offer"`
}

// DealsInput holds the parameters of a question for deals, except the origin.
type DealsInput struct {
	Mese    string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"The cheapest departure of this month, compared with the cheapest of other months; without it that of any date, compared with the cheapest of other days. Not together with notti"`
	Notti   string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Return fares with so many nights away, of any date; without it, one-way fares. Destinations of which no return was observed lately are left out"`
	Livello string `query:"livello" pattern:"^((ottimo|buono|normale|caro|dati-insufficienti)(,(ottimo|buono|normale|caro|dati-insufficienti))*)?$" patternDescription:"levels such as ottimo,buono" doc:"Only these levels, separated by commas"`
	Diretto bool   `query:"diretto" doc:"Only fares without stops; destinations of whose fares the stops are not known are left out"`
	Massimo string `query:"massimo" pattern:"^([0-9]{1,9}([.][0-9]{1,2})?)?$" patternDescription:"an amount such as 60 or 59.99" doc:"Only fares up to this amount, in valuta"`
	CurrencyInput
}

// CheapInput holds all parameters of a question for deals.
type CheapInput struct {
	Origine string `query:"origine" required:"true" doc:"Origin city: a name in any of six languages, or an IATA code" example:"Milano"`
	DealsInput
}

// Question parses the parameters.
func (in *CheapInput) Question() (DealsQuestion, error) {
	return in.DealsInput.Question(answer.Named{Parameter: "origine", Name: in.Origine}, sameName)
}

// CurrencyInput is the parameter for the currency of the answer.
type CurrencyInput struct {
	Valuta string `query:"valuta" default:"EUR" pattern:"^([A-Za-z]{3})?$" patternDescription:"an ISO 4217 code of three letters" doc:"ISO 4217 code of the currency that amounts are shown in, at the newest reference rates, one set for all of an answer. It moves no verdict: fares are compared as they were quoted"`
}

// DealsQuestion is a parsed question for the deals of an origin.
type DealsQuestion struct {
	From    answer.Named
	When    *answer.When // a month; nil: any
	Trip    fare.Trip
	Levels  []string // empty: all
	NonStop bool
	Most    fare.Cents // in Show; 0: any
	Show    answer.Currency
}

var levelNames = []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro, verdict.Insufficient}

// Question parses the parameters. Name maps a parameter to the caller's name for it, for faults.
func (in *DealsInput) Question(from answer.Named, name func(parameter string) string) (q DealsQuestion, err error) {
	q = DealsQuestion{From: from, NonStop: in.Diretto,
		Show: answer.Currency{Parameter: name("valuta"), Code: strings.ToUpper(in.Valuta)}}
	if q.When, err = (&Trip{Mese: in.Mese}).when(name); err != nil {
		return q, err
	}
	if q.Trip, err = parseNights(in.Notti, name("notti")); err != nil {
		return q, err
	}
	if q.Trip != fare.OneWay && q.When != nil {
		return q, Invalid(name("notti"), "is given together with "+name("mese")+": of returns the cheapest of any "+
			"date is known; GET /v1/calendario has those of a month")
	}
	if in.Livello != "" {
		q.Levels = strings.Split(in.Livello, ",")
		for _, l := range q.Levels {
			if !slices.Contains(levelNames, l) {
				return q, Invalid(name("livello"), "holds what is none of "+strings.Join(levelNames, ", "))
			}
		}
	}
	if in.Massimo != "" {
		most, err := strconv.ParseFloat(in.Massimo, 64)
		q.Most = fare.Cents(math.Round(100 * most))
		if err != nil || q.Most <= 0 {
			return q, Invalid(name("massimo"), "is the price of no fare: want more than 0")
		}
	}
	return q, nil
}

// Deals returns the cheap destinations from a city. It fails with a Problem if there is no
// answer.
func (s *Answers) Deals(ctx context.Context, q DealsQuestion) (Occasioni, error) {
	o := Occasioni{Ambito: verdict.Rotta, Notti: q.Trip.String(), Valuta: "EUR", Occasioni: []Occasione{}}
	place, err := Find(q.From)
	if err != nil {
		return o, err
	}
	o.Origine, o.OrigineIata, o.Luoghi = place.Name, string(place.City), luoghi(end{"origine", q.From, place})
	all, err := s.DealsFrom(ctx, place, q.Trip)
	if err != nil {
		return o, err
	}
	var month *fare.Day
	if q.When != nil {
		o.Ambito, month = verdict.InMese, &q.When.Date
	}
	now := s.Now()
	for _, d := range ValidDeals(all, fare.DayOf(now), month, q.NonStop) {
		price, v := d.Publish(now)
		if len(q.Levels) == 0 || slices.Contains(q.Levels, v.Livello) {
			o.Occasioni = append(o.Occasioni, Occasione{places.Name(d.To, "it"), string(d.To), v, price})
		}
	}
	if o, err = InCurrency(ctx, s.Reader, o, q.Show); err != nil {
		return o, err
	}
	o.Occasioni = slices.DeleteFunc(o.Occasioni,
		func(one Occasione) bool { return q.Most > 0 && one.Prezzo.Cent > q.Most })
	for _, one := range o.Occasioni {
		if found := one.Prezzo.TrovatoIl; o.AggiornatoIl == nil || found.After(*o.AggiornatoIl) {
			o.AggiornatoIl = found
		}
	}
	return o, nil
}

// DealsFrom reads the deals of an origin and a kind of trip. It fails with a Problem if the
// origin is not covered. For one-way trips, the next refresh then requests the origin.
func (s *Answers) DealsFrom(ctx context.Context, origin places.Place, trip fare.Trip) (deals.Origin, error) {
	data, _, err := s.Stored.Deals(ctx, origin.City, trip)
	switch {
	case errors.Is(err, store.ErrNotFound) && trip != fare.OneWay:
		return deals.Origin{}, httpapi.NotCovered.Problem(fmt.Sprintf("No return with %s nights away was observed "+
			"from %s yet. Returns of a route are asked for once somebody has asked for them: GET /v1/analisi?notti= "+
			"of one; without notti one-way fares are listed.", trip, origin.Name))
	case errors.Is(err, store.ErrNotFound):
		s.RequestOrigin(ctx, origin.City)
		return deals.Origin{}, httpapi.NotCovered.Problem(fmt.Sprintf("No fare from %s is known here yet. It is "+
			"noted, and the next refresh asks for it; GET /v1/rotte lists what is covered.", origin.Name))
	case err != nil:
		return deals.Origin{}, err
	}
	return deals.Decode(data)
}

// DestinationDeal is the deal of a destination.
type DestinationDeal struct {
	To fare.City
	deals.Deal
}

// ValidDeals returns the deals of all destinations that are valid on a day, best first.
func ValidDeals(all deals.Origin, today fare.Day, month *fare.Day, nonStop bool) (list []DestinationDeal) {
	for _, e := range all.Entries {
		if d, ok := e.Cheapest(today, month, nonStop); ok {
			list = append(list, DestinationDeal{e.Destination, d})
		}
	}
	slices.SortStableFunc(list, func(a, b DestinationDeal) int { return a.Better(b.Judged) })
	return list
}
