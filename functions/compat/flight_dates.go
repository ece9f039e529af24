package compat

import (
	"cmp"
	"context"
	"net/url"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

func (s *Service) dates(p *parameters) answerFunc {
	from, to := p.ends("origin", "destination")
	f := p.filter()
	usual := "DURATION"
	if f.oneWay {
		usual = "DATE"
	}
	viewBy := p.oneOf("viewBy", usual, "DATE", "DURATION", "WEEK")
	if f.oneWay && viewBy == "DURATION" {
		p.refuse("viewBy", notTogether, "viewBy=DURATION is given together with oneWay=true: give DATE or WEEK.")
	}
	return func(ctx context.Context) (any, error) {
		all := httpapi.AllFares(ctx)
		options, about, why, err := s.options(ctx, from, to, f, all)
		if err != nil {
			return nil, err
		}
		if len(options) == 0 {
			return nil, &refusal{fault{404, noData, why, nil}}
		}
		out := listAnswer{Warnings: append(from.whole(about.From), to.whole(about.To)...)}
		if !all {
			out.Warnings = append(out.Warnings,
				warning(byMonth, "This service does not show the fares of departures one by one (its "+
					"setting VERDETTO_FARES_SHOWN): of each month and length of stay this is the "+
					"cheapest. GET "+routes.Named("compat-metrics").Path+" is about any departure."))
		}
		s.fill(&out, p, f, viewBy, list{
			kind: "flight-date", from: from, options: options,
			group: func(o option) any {
				switch viewBy {
				case "DATE":
					return o.depart
				case "WEEK":
					return weekOf(o.depart)
				}
				return [2]fare.Day{o.depart, o.back}
			},
			order: func(a, b option) int { return cmp.Or(int(a.depart-b.depart), int(a.back-b.back)) },
			links: func(option) flightLinks {
				return flightLinks{Destinations: s.listURL("compat-destinations", url.Values{"origin": {from.code}}, f)}
			},
		})
		out.Dictionaries = dictionary(from, to)
		return out, nil
	}
}

// If no fare matches the filter, the result why states the reason.
func (s *Service) options(ctx context.Context, from, to place, f filter, each bool) (options []option,
	about fare.Airports, why string, err error) {
	q := question(from, to)
	q.NonStop = f.nonStop
	found := false
	about.From, _ = places.Airport(from.code)
	about.To, _ = places.Airport(to.code)
	for _, q.Trip = range f.trips() {
		fares, c, err := s.Calendar(ctx, q, true)
		if none := answer.Why(err); none != nil {
			why = published.Why(i18n.English(), none)
			continue
		}
		if err != nil {
			return nil, about, "", err
		}
		found = true
		if fares.Series.Airports != about {
			about = fare.Airports{}
		}
		for _, d := range c.Days {
			if o := optionOf(to, d.Fare); each && f.matches(o) {
				options = append(options, o)
			}
		}
		for _, m := range c.Months {
			if o := optionOf(to, m.Fare); !each && f.matches(o) {
				options = append(options, o)
			}
		}
	}
	if found {
		why = "The route has fares, and none of them is as departureDate, duration and maxPrice ask for."
	}
	return options, about, why, nil
}
