package compat

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"verdetto/shared/deals"
	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/routes"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// flightDestination is a destination, and the cheapest fare to it.
type flightDestination struct {
	Type          string           `json:"type"`
	Origin        string           `json:"origin"`
	Destination   string           `json:"destination"`
	DepartureDate string           `json:"departureDate"`
	Price         total            `json:"price"`
	Links         destinationLinks `json:"links"`
}

type destinationLinks struct {
	Dates  string `json:"flightDates"`
	Offers string `json:"flightOffers"`
}

type destinationsAnswer struct {
	Warnings     []fault             `json:"warnings,omitempty"`
	Data         []flightDestination `json:"data"`
	Dictionaries dictionaries        `json:"dictionaries"`
	Meta         meta                `json:"meta"`
}

// destinations answers from the deals of an origin, which are one-way fares: of
// each destination the cheapest of any time, and of every month of departure.
func (s *Service) destinations(p *parameters) asked {
	from := p.place("origin")
	f := p.filter()
	viewBy := p.oneOf("viewBy", "DESTINATION", "COUNTRY", "DATE", "DESTINATION", "DURATION", "WEEK")
	if f.oneWay && viewBy == "DURATION" {
		p.refuse("viewBy", notTogether, "viewBy=DURATION is given together with oneWay=true: give COUNTRY, DATE, DESTINATION or WEEK.")
	}
	return func(ctx context.Context) (any, error) {
		out := destinationsAnswer{Data: []flightDestination{}, Warnings: from.whole(), Meta: meta{Currency: "EUR", Defaults: p.defaults(f, viewBy), Links: s.selfLink(p)}}
		if !f.oneWay {
			out.Warnings = append(out.Warnings, warning(oneWayOnly, "Which destinations are cheap is known of one-way fares: ask with oneWay=true. A return is never made of two of them; GET "+routes.Named("compat-dates").Path+" has returns of a route."))
			out.Dictionaries = dictionary(from)
			return out, nil
		}
		// Without dates it is the fare that GET /v1/occasioni names; of dates the cheapest of each month are known.
		f.ofMonths = len(p.values["departureDate"]) > 0 || viewBy == "DATE" || viewBy == "WEEK"
		found, err := s.found(ctx, from, f)
		if err != nil {
			return nil, err
		}
		found = cheapest(found, func(o destination) any {
			switch viewBy {
			case "COUNTRY":
				return o.to.Country
			case "DATE":
				return o.depart
			case "WEEK":
				return weekOf(o.depart)
			}
			return o.to.City
		})
		found = sorted(found, func(a, b destination) int {
			return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.depart, b.depart), strings.Compare(a.to.code, b.to.code))
		})
		out.Meta.Count = len(found)
		found, out.Meta.Links = partOf(s, p, f.part, found)
		named := []place{from}
		for _, o := range found {
			depart := o.depart.String()
			out.Data = append(out.Data, flightDestination{
				Type: "flight-destination", Origin: from.code, Destination: o.to.code, DepartureDate: depart, Price: total{amount(o.price)},
				Links: destinationLinks{
					s.list("compat-dates", url.Values{"origin": {from.code}, "destination": {o.to.code}}, true, f.nonStop),
					s.page(from, o.to, depart, "", f.nonStop),
				},
			})
			named = append(named, o.to)
		}
		out.Dictionaries = dictionary(named...)
		return out, nil
	}
}

// destination is a destination that has a fare.
type destination struct {
	option
	to place
}

// found lists the fares of an origin's deals that a filter asks for.
func (s *Service) found(ctx context.Context, from place, f filter) (all []destination, err error) {
	data, _, err := s.Coverage.Deals(ctx, from.City)
	if errors.Is(err, store.ErrNotFound) {
		s.RequestOrigin(ctx, from.City)
		return nil, &refusal{fault{404, noData, "No fare from " + from.Name + " is known here yet. It is noted, and the next refresh asks for it; GET /v1/rotte lists what is covered.", nil}}
	}
	if err != nil {
		return nil, err
	}
	origin, err := deals.Decode(data)
	if err != nil {
		return nil, err
	}
	today := fare.DayOf(s.Now())
	for _, e := range origin.Entries {
		of := &e.Any
		if f.nonStop {
			of = e.NonStop
		}
		if of == nil || today < e.AsOf || today > e.AsOf+verdict.LiveDays {
			continue
		}
		to, known := places.Get(e.Destination)
		if !known {
			continue
		}
		to.Name = places.Name(e.Destination, "en")
		list := of.Route
		if f.ofMonths {
			list = of.Months
		}
		for _, d := range list {
			if d.Fare.Depart < today {
				continue
			}
			if o := (option{depart: d.Fare.Depart, price: d.Fare.Price}); f.holds(o) {
				all = append(all, destination{o, place{string(e.Destination), to}})
			}
			if !f.ofMonths {
				break // those behind it are of when it has departed
			}
		}
	}
	if len(all) == 0 {
		return nil, &refusal{fault{404, noData, "No fare from " + from.Name + " is as departureDate, nonStop and maxPrice ask for.", nil}}
	}
	return all, nil
}
