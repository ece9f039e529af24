package published

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
)

type Routes struct {
	Rotte      []Rotta `json:"rotte" nullable:"false" doc:"Covered routes. Without origine, they are ordered by the code of the origin"`
	Successiva string  `json:"successiva,omitempty" doc:"Send it as page to get the next page. Absent on the last one" example:"MIL"`
}

type Rotta struct {
	Origine      Citta     `json:"origine"`
	Destinazione Citta     `json:"destinazione"`
	Osservazioni int       `json:"osservazioni" doc:"Fares observed in the last 400 days"`
	Campione     int       `json:"campione" doc:"Past days with a known cheapest fare. A verdict on the route needs 8"`
	AggiornatoIl time.Time `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest fare of the route was found, UTC"`
}

type Citta struct {
	Codice string `json:"codice" doc:"IATA code" example:"MIL"`
	Nome   string `json:"nome" doc:"Name in the chosen language, otherwise Italian" example:"Milano"`
}

const pageOfInto = 100

// Covered lists the covered routes from a city, to a city, or both. An empty name means any city.
func (s *Answers) Covered(ctx context.Context, from, to answer.Named, after string) (Routes, error) {
	var origin, destination fare.City
	for _, c := range []struct {
		named answer.Named
		city  *fare.City
	}{{from, &origin}, {to, &destination}} {
		if c.named.Name == "" {
			continue
		}
		p, err := Find(c.named)
		if err != nil {
			return Routes{}, err
		}
		*c.city = p.City
	}
	out := Routes{Rotte: []Rotta{}}
	page := fare.City(after)
	switch {
	case origin != "":
		err := s.routesFrom(ctx, origin, destination, &out)
		return out, err
	case destination != "":
		into, err := s.Stored.Into(ctx, destination, page, pageOfInto)
		for _, r := range into {
			out.Rotte = append(out.Rotte, Rotta{citta(ctx, r.Origin), citta(ctx, destination), r.Observations,
				r.Sample, r.Newest.UTC()})
		}
		if len(into) == pageOfInto {
			out.Successiva = string(into[pageOfInto-1].Origin)
		}
		return out, err
	}
	next, err := s.Stored.Covered(ctx, page, 2) // a second origin means that there is a next page
	if err != nil || len(next) == 0 {
		return out, err
	}
	if len(next) == 2 {
		out.Successiva = string(next[0])
	}
	err = s.routesFrom(ctx, next[0], "", &out)
	return out, err
}

func (s *Answers) routesFrom(ctx context.Context, origin, destination fare.City, to *Routes) error {
	all, _, err := s.Stored.Trends(ctx, origin)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range all.Entries {
		if destination == "" || e.Destination == destination {
			to.Rotte = append(to.Rotte, Rotta{citta(ctx, origin), citta(ctx, e.Destination), e.Observations, e.Sample,
				time.Unix(e.Newest, 0).UTC()})
		}
	}
	return nil
}

func citta(ctx context.Context, c fare.City) Citta { return Citta{string(c), cityName(ctx, c)} }
