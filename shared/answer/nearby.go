package answer

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

const (
	NearKm  = 150
	MaxNear = 6
)

type Neighbour struct {
	Place     places.Place // a city nearby, or another airport of the same city
	Arrival   bool         // the place replaces the destination
	Km        int
	Judgement verdict.Judgement
}

// Nearby judges the trip from or to at most MaxNear covered places near its ends. The cheapest trip
// comes first. Nearby does not record demand.
func (r *Reader) Nearby(ctx context.Context, q Question) ([]Neighbour, error) {
	f, err := locate(q)
	if err != nil {
		return nil, err
	}
	all, err := r.placesNear(ctx, f)
	if err != nil {
		return nil, err
	}
	var found []Neighbour
	for _, n := range all[:min(MaxNear, len(all))] {
		a, known, err := r.judgeOwn(ctx, q, n.series(f))
		if err != nil {
			return nil, err
		}
		if n.Judgement = a; known && n.settle(f.Series) {
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(a.Judgement.Fare.Price, b.Judgement.Fare.Price), a.Km-b.Km)
	})
	return found, nil
}

// placesNear returns the nearest places first. A Neighbour without a city stands for the other
// airports of the cities in the question.
func (r *Reader) placesNear(ctx context.Context, f SeriesData) (all []Neighbour, err error) {
	origins, err := r.readOrigins(ctx)
	if err != nil {
		return nil, err
	}
	destinations, err := r.readDestinations(ctx, f.Series.Origin)
	if err != nil {
		return nil, err
	}
	if f.Series.Airports != (fare.Airports{}) {
		all = append(all, Neighbour{})
	}
	for i, cities := range [][]fare.City{origins, destinations} {
		for _, c := range cities {
			p, ok := places.Get(c)
			if !ok || c == f.Series.Origin || c == f.Series.Destination {
				continue
			}
			n := Neighbour{Place: p, Arrival: i == 1, Km: NearKm + 1}
			for _, airport := range p.Airports {
				if km, ok := places.Km(n.asked(f.Series), airport); ok {
					n.Km = min(n.Km, km)
				}
			}
			if n.Km <= NearKm {
				all = append(all, n)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Neighbour) int { return a.Km - b.Km })
	return all, nil
}

func (n Neighbour) asked(s fare.Series) string {
	if n.Arrival {
		return cmp.Or(s.Airports.To.String(), string(s.Destination))
	}
	return cmp.Or(s.Airports.From.String(), string(s.Origin))
}

func (n Neighbour) series(f SeriesData) SeriesData {
	f = f.ofCities()
	switch {
	case n.Place.City == "":
	case n.Arrival:
		f.Destination, f.Series.Destination = n.Place, n.Place.City
	default:
		f.Origin, f.Series.Origin = n.Place, n.Place.City
	}
	return f
}

// settle returns false unless the fare is known to be from or to another place within NearKm.
func (n *Neighbour) settle(asked fare.Series) bool {
	flight := n.Judgement.Fare.Flight
	if n.Place.City == "" {
		differs := func(actual, named fare.Airport) bool { return named != fare.Airport{} && actual != named }
		if flight.From == (fare.Airport{}) || flight.To == (fare.Airport{}) {
			return false
		}
		n.Arrival = !differs(flight.From, asked.Airports.From)
		if n.Arrival && !differs(flight.To, asked.Airports.To) {
			return false
		}
	}
	at, city := flight.From, asked.Origin
	if n.Arrival {
		at, city = flight.To, asked.Destination
	}
	if km, ok := places.Km(n.asked(asked), at.String()); ok {
		n.Km = km
	}
	if n.Place.City == "" {
		n.Place, _ = places.Get(city)
		n.Place = n.Place.At(at)
	}
	return n.Km <= NearKm
}

func (r *Reader) judgeOwn(ctx context.Context, q Question, f SeriesData) (a verdict.Judgement, known bool, err error) {
	if q.When == nil {
		if f.Summary, err = r.Stored.Summary(ctx, f.Series); err == nil {
			f, err = f.nonStop(q)
		}
		if err != nil {
			return a, false, orNone(err)
		}
		a, known = verdict.Judge(f.Summary, r.Now())
		return a, known, nil
	}
	d := departures{SeriesData: f}
	if err := r.readSheet(ctx, &d, q.NonStop); err != nil {
		return a, false, orNone(err)
	}
	return verdict.JudgeDeparture(d.sheet, d.pooled, q.When.When, r.Now())
}

func orNone(err error) error {
	if errors.Is(err, store.ErrNotFound) || Why(err) != nil {
		return nil //nolint:nilerr // that no fare is known is a valid result
	}
	return err
}
