package published

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// MaxTrips is the maximum number of trips in a comparison.
const MaxTrips = 10

type Confronto struct {
	Chiesti      int       `json:"chiesti" minimum:"1" maximum:"10" doc:"Number of trips: each destination on each departure, or in each month"`
	Contati      int       `json:"contati" minimum:"1" maximum:"10" doc:"Number of trips that were counted and looked up: at most the verdicts left in your quota. The others have the problema troppe-richieste"`
	Viaggi       []Viaggio `json:"viaggi" nullable:"false" doc:"The trips in the order of the question: by destination, then by date"`
	Migliori     []int     `json:"migliori" nullable:"false" doc:"Positions in viaggi (from 0) of the judged trips, best first: by the level of prezzo for its own day, then by percentile; without such a level, by verdetto"`
	PiuEconomici []int     `json:"piuEconomici" nullable:"false" doc:"Positions in viaggi of all trips with a fare, cheapest first"`
}

type Viaggio struct {
	Destinazione string           `json:"destinazione" doc:"Destination as requested" example:"Bucarest"`
	Partenza     string           `json:"partenza,omitempty" format:"date" doc:"Day of departure as requested" example:"2016-04-09"`
	Mese         string           `json:"mese,omitempty" doc:"Month of departure as requested" example:"2016-04"`
	Analisi      *Analysis        `json:"analisi,omitempty" doc:"The answer of GET /v1/analisi, about a route also with livelloPartenza and the fields that go with it. Absent if there is a problema"`
	Problema     *ProblemaViaggio `json:"problema,omitempty" doc:"Why there is no analisi"`
}

type ProblemaViaggio struct {
	Code        string   `json:"code" doc:"Code, as in a problem document of GET /v1/analisi" example:"nessuna-tariffa"`
	Detail      string   `json:"detail" doc:"What happened, and what to do next"`
	Suggestions []string `json:"suggestions,omitempty" doc:"Values that may have been meant, or nearby departures with a fare"`
}

type Trips struct {
	From         answer.Named
	Destinations []string
	Departures   []string
	Months       []string
	Trip         Trip
}

type Comparison struct {
	questions []answer.Question
	trips     []Viaggio
}

func (c Comparison) Len() int { return len(c.questions) }

// name returns what the caller calls a parameter; error messages use that name.
func (in *Trips) Comparison(name func(parameter string) string) (c Comparison, err error) {
	whens := []Viaggio{}
	for _, day := range in.Departures {
		whens = append(whens, Viaggio{Partenza: strings.TrimSpace(day)})
	}
	for _, month := range in.Months {
		whens = append(whens, Viaggio{Mese: strings.TrimSpace(month)})
	}
	switch {
	case len(in.Departures) > 0 && len(in.Months) > 0:
		return c, Invalid(name("mese"), "excludes "+name("partenza")+": send one of them")
	case len(whens) == 0:
		whens = append(whens, Viaggio{})
	}
	if n := len(in.Destinations) * len(whens); n > MaxTrips {
		return c, Invalid(name("destinazione"),
			fmt.Sprintf("make %d trips with the dates: send at most %d in one call", n, MaxTrips))
	}
	for _, destination := range in.Destinations {
		destination = strings.TrimSpace(destination)
		if destination == "" {
			return c, Invalid(name("destinazione"), "holds an empty name")
		}
		for _, v := range whens {
			trip := in.Trip
			trip.Partenza, trip.Mese = v.Partenza, v.Mese
			q, err := trip.Question(name)
			if err != nil {
				return c, err
			}
			q.From, q.To = in.From, answer.Name(name("destinazione"), destination)
			v.Destinazione = destination
			c.questions, c.trips = append(c.questions, q), append(c.trips, v)
		}
	}
	return c, nil
}

func (c Comparison) Ends(i int) (from, to answer.Named) {
	return c.questions[i].From, c.questions[i].To
}

// CheckTrips must be called before the trips count towards a quota.
func (s *Answers) CheckTrips(ctx context.Context, c Comparison) error {
	for _, q := range c.questions {
		if err := s.Check(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

func (s *Answers) Compare(ctx context.Context, asked Comparison, granted int) (Confronto, error) {
	c := Confronto{Chiesti: asked.Len(), Contati: granted, Viaggi: slices.Clone(asked.trips), Migliori: []int{},
		PiuEconomici: []int{}}
	all := make([]verdict.Judged, asked.Len())
	for i := range c.Viaggi {
		v := &c.Viaggi[i]
		if i >= granted {
			v.Problema = &ProblemaViaggio{Code: httpapi.TooMany.Code,
				Detail: "No call was left for this trip. Ask again after X-RateLimit-Reset"}
			if !httpapi.IsPro(ctx) {
				v.Problema.Detail += ", or send a Pro key"
			}
			v.Problema.Detail += "."
			continue
		}
		judged, err := s.Judge(ctx, asked.questions[i], s.WithUsual)
		var p *httpapi.Problem
		switch {
		case errors.As(err, &p):
			v.Problema = &ProblemaViaggio{p.Code, p.Detail, p.Suggestions}
		case err != nil:
			return c, err
		default:
			if asked.questions[i].When == nil {
				judged.Judgement.Forecasts = nil
			}
			a := s.Publish(ctx, asked.questions[i], judged)
			v.Analisi, all[i] = &a, judged.Judgement.Judged
			if ofDay := judged.Judgement.OwnDay; ofDay.Judged() {
				all[i].Verdict = ofDay
			}
			c.PiuEconomici = append(c.PiuEconomici, i)
			if all[i].Verdict.Judged() {
				c.Migliori = append(c.Migliori, i)
			}
		}
	}
	slices.SortStableFunc(c.Migliori, func(i, j int) int { return all[i].Better(all[j]) })
	slices.SortStableFunc(c.PiuEconomici, func(i, j int) int { return int(all[i].Fare.Price - all[j].Fare.Price) })
	return c, nil
}
