package published

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/httpapi"
)

type Occasioni struct {
	Origine      string            `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	OrigineIata  string            `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	Luoghi       []Luogo           `json:"luoghi,omitempty" doc:"Notes on the name of the origin, as in GET /v1/analisi"`
	Vettori      *Vettori          `json:"vettori,omitempty" doc:"The airlines that it is limited to, or leaves out"`
	Ambito       string            `json:"ambito" enum:"rotta,mese" doc:"What each verdetto judges: the cheapest fare of the route, or of its departures in mese"`
	Notti        string            `json:"notti,omitempty" enum:"1-3,4-7,8-14,15+" doc:"Nights away of return fares, as requested. Absent for one-way fares"`
	Valuta       string            `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Occasioni    []Occasione       `json:"occasioni" nullable:"false" doc:"Destinations with a fare, best first: by level, then percentile, then distance below the median. Those with too little data for a verdict come last"`
	AggiornatoIl *time.Time        `json:"aggiornatoIl,omitempty" format:"date-time" doc:"Time at which the newest of these fares was found, UTC. The age of each is its prezzo.etaOre. Absent if there is none"`
	Raccolta     *httpapi.Raccolta `json:"raccolta,omitempty" doc:"How far the destinations are from the first verdict, by the one with the most days. Absent once a route of the origin has enough days"`
}

type Occasione struct {
	Destinazione     string   `json:"destinazione" doc:"Destination city name, in the chosen language, otherwise Italian" example:"Bucarest"`
	DestinazioneIata string   `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Verdetto         Verdetto `json:"verdetto" doc:"The verdict of GET /v1/analisi at the refresh that saw this fare, without minimoCent, intervallo and the days that it counts"`
	Prezzo           Prezzo   `json:"prezzo" doc:"The judged fare: the cheapest of the destination. Without mese it is the cheapest found within 24 hours before the newest one, or an older one if those have departed. It was observed and may no longer be available"`
	ForDay
	PrezzoPiuBasso *Prezzo `json:"prezzoPiuBasso,omitempty" doc:"A lower one-way fare for another departure. It was found over 24 hours before the newest, so verdetto does not judge it. Absent with mese"`
}

type DealsInput struct {
	Origine string `query:"origine" required:"true" minLength:"1" maxLength:"100" doc:"Origin city: a name in any of six languages, or an IATA code" example:"Milano"`
	Trip    `without:"partenza,flessibile,ritorno,prezzo"`
	Livello string `query:"livello" pattern:"^((ottimo|buono|normale|caro|dati-insufficienti)(,(ottimo|buono|normale|caro|dati-insufficienti))*)?$" patternDescription:"levels such as ottimo,buono" doc:"Only these levels, separated by commas"`
	Massimo string `query:"massimo" pattern:"^([0-9]{1,9}([.][0-9]{1,2})?)?$" patternDescription:"an amount such as 60 or 59.99" doc:"Only fares up to this amount, in valuta"`
}

// DealsQuestion is a parsed question for deals. It has no destination, and When is nil or a month.
type DealsQuestion struct {
	answer.Question
	Levels []string   // empty for all levels
	Most   fare.Cents // in the currency of Show; 0 if there is no maximum
}

var levelNames = []string{string(verdict.Great), string(verdict.Good), string(verdict.Fair), string(verdict.Expensive), string(verdict.Unjudged)}

func (in *DealsInput) Question() (DealsQuestion, error) {
	return in.Named(func(parameter string) string { return parameter })
}

func (in *DealsInput) Named(name func(parameter string) string) (q DealsQuestion, err error) {
	q.Question, err = in.Trip.Question(name)
	if q.From = answer.Name(name("origine"), in.Origine); err != nil {
		return q, err
	}
	if q.Trip != fare.OneWay && q.When != nil {
		return q, Invalid(name("notti"), "excludes "+name("mese")+": returns are listed for any date; "+
			"GET /v1/calendario has those of a month")
	}
	if in.Livello != "" {
		q.Levels = strings.Split(in.Livello, ",")
		for _, l := range q.Levels {
			if !slices.Contains(levelNames, l) {
				return q, Invalid(name("livello"), "is not a list of "+strings.Join(levelNames, ", "))
			}
		}
	}
	if in.Massimo != "" {
		most, err := strconv.ParseFloat(in.Massimo, 64)
		q.Most = fare.Cents(math.Round(100 * most))
		if err != nil || q.Most <= 0 {
			return q, Invalid(name("massimo"), "is not more than 0")
		}
	}
	return q, nil
}

func (s *Answers) Deals(ctx context.Context, q DealsQuestion) (Occasioni, error) {
	o := Occasioni{Ambito: string(verdict.OfRoute), Notti: q.Trip.String(), Occasioni: []Occasione{}}
	place, err := Find(q.From)
	if err != nil {
		return o, err
	}
	o.Origine, o.OrigineIata = matched(ctx, place), string(place.City)
	o.Luoghi = luoghi(ctx, end{"origine", q.From, place})
	all, err := s.DealsFrom(ctx, place, q.Trip)
	if err != nil {
		return o, err
	}
	var month *fare.Day
	if q.When != nil {
		o.Ambito, month = string(verdict.OfMonth), &q.When.Date
	}
	now, today := s.Now(), fare.DayOf(s.Now())
	if r, ok := all.Collection(today); ok {
		o.Raccolta = httpapi.RaccoltaOf(&r)
	}
	list, unknown := ValidDeals(all, today, deals.Filter{Month: month, NonStop: q.NonStop, Airlines: q.Airlines})
	if err = s.JudgeToday(ctx, place.City, q.Trip, q.NonStop, list); err != nil {
		return o, err
	}
	o.Vettori = vettori(q.Airlines, &unknown)
	in, err := s.moneyIn(ctx, q.Show)
	if err != nil {
		return o, err
	}
	o.Valuta = in.code
	for _, d := range list {
		one := d.Aged(now).In(in.amount)
		if level := string(one.Verdict.Level); len(q.Levels) > 0 && !slices.Contains(q.Levels, level) ||
			q.Most > 0 && one.Fare.Price > q.Most {
			continue
		}
		listed := Occasione{cityName(ctx, d.To), string(d.To), verdetto(one), prezzo(one.Fare, in.code, now),
			forDay(d.ForDay(now).In(in.amount).Verdict), nil}
		if d.Lower != nil {
			lower := prezzo(d.Lower.In(in.amount).Fare, in.code, now)
			listed.PrezzoPiuBasso = &lower
		}
		o.Occasioni = append(o.Occasioni, listed)
		if found := listed.Prezzo.TrovatoIl; o.AggiornatoIl == nil || found.After(*o.AggiornatoIl) {
			o.AggiornatoIl = found
		}
	}
	return o, nil
}

// DealsFrom fails with a Problem if no deals are stored. In this case, for one-way trips, DealsFrom
// also calls RequestOrigin.
func (s *Answers) DealsFrom(ctx context.Context, origin places.Place, trip fare.Trip) (deals.Origin, error) {
	all, _, err := s.Stored.Deals(ctx, origin.City, trip)
	if errors.Is(err, store.ErrNotFound) {
		e := &answer.NoAnswer{Reason: answer.NoReturnsFrom}
		e.Origin, e.Series = origin, fare.Series{Route: fare.Route{Origin: origin.City}, Trip: trip}
		if trip == fare.OneWay {
			s.RequestOrigin(ctx, origin.City)
			e.Reason, e.Collection = answer.NoRoutes, s.BeforeFares(ctx)
		}
		err = Problem(e)
	}
	return all, err
}

type DestinationDeal struct {
	To fare.City
	deals.Deal
	AsOf  fare.Day
	Lower *verdict.Judged // a lower fare of another departure; nil for a month, or without such a fare
}

const judgesAtOnce = 16

// JudgeToday judges each fare in list for its own day as of today, unless today's refresh did so.
func (s *Answers) JudgeToday(ctx context.Context, origin fare.City, trip fare.Trip, nonStop bool, list []DestinationDeal) error {
	today := fare.DayOf(s.Now())
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(judgesAtOnce)
	for i := range list {
		if d := &list[i]; d.AsOf < today {
			reads.Go(func() error {
				series := fare.Series{Route: fare.Route{Origin: origin, Destination: d.To}, Trip: trip}
				ofDay, err := s.OwnDay(ctx, series, nonStop, d.Judged)
				if ofDay.Level != d.OwnDay.Level || ofDay.Reliability != d.OwnDay.Reliability {
					d.Since = max(d.Since, today.Time().Unix())
				}
				d.OwnDay, d.AsOf = ofDay, today
				return err
			})
		}
	}
	return reads.Wait()
}

// ValidDeals returns the best deal first. unknown counts the dropped destinations for whose cheapest
// fare the source names no airline.
func ValidDeals(all deals.Origin, today fare.Day, f deals.Filter) (list []DestinationDeal, unknown int) {
	for _, e := range all.Entries {
		d, ok := e.Cheapest(today, f)
		if !ok && f.Airlines == "" {
			continue
		}
		if !ok {
			other, ok := e.Cheapest(today, deals.Filter{Month: f.Month, NonStop: f.NonStop})
			if ok && other.Fare.Flight.Airline == (fare.Airline{}) {
				unknown++
			}
			continue
		}
		one := DestinationDeal{To: e.Destination, Deal: d, AsOf: e.AsOf}
		if lower, ok := e.Lower(d, today, f); ok && f.Month == nil {
			one.Lower = &lower
		}
		list = append(list, one)
	}
	slices.SortStableFunc(list, func(a, b DestinationDeal) int { return a.Better(b.Judged) })
	return list, unknown
}
