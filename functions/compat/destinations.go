package compat

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/deals"
	"verdetto/shared/web/routes"
)

func (s *Service) destinations(p *parameters) answerFunc {
	from := p.place("origin")
	f := p.filter()
	viewBy := p.oneOf("viewBy", "DESTINATION", "COUNTRY", "DATE", "DESTINATION", "DURATION", "WEEK")
	if f.oneWay && viewBy == "DURATION" {
		p.refuse("viewBy", notTogether, "viewBy=DURATION is given together with oneWay=true: give COUNTRY, DATE, "+
			"DESTINATION or WEEK.")
	}
	return func(ctx context.Context) (any, error) {
		out := listAnswer{Warnings: from.whole()}
		byDay := len(p.values["departureDate"]) > 0 || viewBy == "DATE" || viewBy == "WEEK"
		f.ofMonths = f.oneWay && byDay
		if !f.oneWay && (byDay || len(p.values["duration"]) > 0) {
			out.Warnings = append(out.Warnings,
				warning(returnsOfAny, "Of returns the cheapest of any date are known, with 1 to 3, 4 to 7, "+
					"8 to 14 and 15 or more nights away: a destination that has none on these days is left "+
					"out. GET "+routes.Named("compat-dates").Path+" has all returns of a route."))
		}
		found, err := s.dealFares(ctx, from, f)
		if err != nil && !errors.Is(err, errNoReturns) {
			return nil, err
		}
		if err != nil {
			f.part = part{}
			out.Warnings = append(from.whole(),
				warning(oneWayOnly, "No return from "+from.Name+" was observed yet: ask with oneWay=true. A "+
					"return is never made of two of them; GET "+routes.Named(
					"compat-dates").Path+" has returns of a route once somebody has asked for them."))
		}
		s.fill(&out, p, f, viewBy, list{
			kind: "flight-destination", from: from, options: found,
			group: func(o option) any {
				switch viewBy {
				case "COUNTRY":
					return o.to.Country
				case "DATE":
					return o.depart
				case "WEEK":
					return weekOf(o.depart)
				case "DURATION":
					return [2]any{o.to.City, o.back - o.depart}
				}
				return o.to.City
			},
			order: func(a, b option) int {
				return cmp.Or(cmp.Compare(a.price, b.price), cmp.Compare(a.depart, b.depart),
					strings.Compare(a.to.code, b.to.code))
			},
			links: func(o option) flightLinks {
				return flightLinks{Dates: s.listURL("compat-dates",
					url.Values{"origin": {from.code}, "destination": {o.to.code}}, f)}
			},
		})
		return out, nil
	}
}

var errNoReturns = errors.New("no return was observed")

func (s *Service) dealFares(ctx context.Context, from place, f filter) (all []option, err error) {
	covered := false
	for _, trip := range f.trips() {
		origin, _, err := s.Stored.Deals(ctx, from.City, trip)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		covered = true
		all = append(all, f.ofDeals(origin, fare.DayOf(s.Now()))...)
	}
	switch {
	case !covered && f.oneWay:
		s.RequestOrigin(ctx, from.City)
		return nil, &refusal{fault{404, noData, published.Why(i18n.English(), &answer.NoAnswer{Reason: answer.NoRoutes}), nil}}
	case !covered:
		return nil, errNoReturns
	case len(all) == 0:
		return nil, &refusal{fault{404, noData, i18n.English().Text("refusal.no_cheap.lede", "City", from.Name), nil}}
	}
	return all, nil
}

func (f filter) ofDeals(origin deals.Origin, today fare.Day) (all []option) {
	for _, e := range origin.Entries {
		cheapest := &e.Any
		if f.nonStop {
			cheapest = e.NonStop
		}
		if cheapest == nil || today < e.AsOf || today > e.AsOf+verdict.LiveDays {
			continue
		}
		to, known := places.Get(e.Destination)
		if !known {
			continue
		}
		to.Name = places.Name(e.Destination, "en")
		list := cheapest.Route
		if f.ofMonths {
			list = cheapest.Months
		}
		for _, d := range list {
			if d.Fare.Depart < today {
				continue
			}
			if o := optionOf(place{string(e.Destination), to}, d.Fare); f.matches(o) {
				all = append(all, o)
			}
			if !f.ofMonths {
				break // the deal is the first fare that has not departed
			}
		}
	}
	return all
}
