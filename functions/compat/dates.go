package compat

import (
	"cmp"
	"context"
	"net/url"
	"strconv"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

// flightDate is a departure of a route, and the cheapest fare that it has.
type flightDate struct {
	Type          string    `json:"type"`
	Origin        string    `json:"origin"`
	Destination   string    `json:"destination"`
	DepartureDate string    `json:"departureDate"`
	ReturnDate    string    `json:"returnDate,omitempty"`
	Price         total     `json:"price"`
	Links         dateLinks `json:"links"`
}

type dateLinks struct {
	Destinations string `json:"flightDestinations"`
	Offers       string `json:"flightOffers"`
}

type datesAnswer struct {
	Warnings     []fault      `json:"warnings,omitempty"`
	Data         []flightDate `json:"data"`
	Dictionaries dictionaries `json:"dictionaries"`
	Meta         meta         `json:"meta"`
}

// filter is what both lists are asked by.
type filter struct {
	days     span
	nights   span
	oneWay   bool
	nonStop  bool
	most     fare.Cents // 0: any
	part     part
	ofMonths bool // of destinations: the cheapest fare of each month, not that of any time
}

func (p *parameters) filter() (f filter) {
	f.oneWay, f.nonStop = p.flag("oneWay"), p.flag("nonStop")
	f.days = p.days("departureDate", verdict.CalendarDays)
	f.nights = p.nights("duration", f.oneWay)
	if most, given := p.number("maxPrice", 1, int(fare.MaxPrice/100)); given {
		f.most = 100 * fare.Cents(most)
	}
	f.part = p.part()
	return f
}

// defaults are the parameters of a filter that were not given.
func (p *parameters) defaults(f filter, viewBy string) *defaults {
	var d defaults
	absent := func(name string) bool { return len(p.values[name]) == 0 }
	if absent("departureDate") {
		d.DepartureDate = fare.Day(f.days.from).String() + "," + fare.Day(f.days.to).String()
	}
	if absent("oneWay") {
		d.OneWay = &f.oneWay
	}
	if absent("duration") && !f.oneWay {
		d.Duration = strconv.Itoa(f.nights.from) + "," + strconv.Itoa(f.nights.to)
	}
	if absent("nonStop") {
		d.NonStop = &f.nonStop
	}
	if absent("viewBy") {
		d.ViewBy = viewBy
	}
	if d == (defaults{}) {
		return nil
	}
	return &d
}

// option is a departure that has a fare.
type option struct {
	depart, back fare.Day // back is 0 where it is one-way
	price        fare.Cents
}

// trips are the kinds of trip that a filter asks for.
func (f filter) trips() (all []fare.Trip) {
	for _, t := range fare.Trips() {
		from, to := t.Nights()
		if (t == fare.OneWay) == f.oneWay && (f.oneWay || from <= f.nights.to && to >= f.nights.from) {
			all = append(all, t)
		}
	}
	return all
}

// holds tells whether a fare is one that is asked for.
func (f filter) holds(o option) bool {
	return f.days.holds(int(o.depart)) && (f.most == 0 || o.price <= f.most) && (f.oneWay || f.nights.holds(int(o.back-o.depart)))
}

func (s *Service) dates(p *parameters) asked {
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
		options, why, err := s.options(ctx, question(from, to), f, all)
		if err != nil {
			return nil, err
		}
		if len(options) == 0 {
			return nil, &refusal{fault{404, noData, why, nil}}
		}
		options = cheapest(options, func(o option) any {
			switch viewBy {
			case "DATE":
				return o.depart
			case "WEEK":
				return weekOf(o.depart)
			}
			return [2]fare.Day{o.depart, o.back}
		})
		options = sorted(options, func(a, b option) int { return cmp.Or(int(a.depart-b.depart), int(a.back-b.back)) })
		out := datesAnswer{Data: []flightDate{}, Dictionaries: dictionary(from, to),
			Meta: meta{Count: len(options), Currency: "EUR", Defaults: p.defaults(f, viewBy)}}
		out.Warnings = append(from.whole(), to.whole()...)
		if !all {
			out.Warnings = append(out.Warnings, warning(byMonth, "This service does not show the fares of departures one by one (its setting VERDETTO_FARES_SHOWN): of each month and length of stay this is the cheapest. GET "+routes.Named("compat-metrics").Path+" is about any departure."))
		}
		options, out.Meta.Links = partOf(s, p, f.part, options)
		for _, o := range options {
			d := flightDate{Type: "flight-date", Origin: from.code, Destination: to.code, DepartureDate: o.depart.String(), Price: total{amount(o.price)}}
			if o.back != 0 {
				d.ReturnDate = o.back.String()
			}
			d.Links.Destinations = s.list("compat-destinations", url.Values{"origin": {from.code}}, f.oneWay, f.nonStop)
			d.Links.Offers = s.page(from, to, d.DepartureDate, d.ReturnDate, f.nonStop)
			out.Data = append(out.Data, d)
		}
		return out, nil
	}
}

// options are the fares of a route that a filter asks for, and where there are none why.
func (s *Service) options(ctx context.Context, q answer.Question, f filter, each bool) (options []option, why string, err error) {
	q.NonStop = f.nonStop
	found := false
	for _, q.Trip = range f.trips() {
		_, fares, err := s.Fares(ctx, q, each)
		if none, because := nothing(err); none {
			why = because
			continue
		}
		if err != nil {
			return nil, "", err
		}
		found = true
		for _, price := range fares {
			o := option{price: price.Cent}
			if o.depart, err = fare.ParseDay(price.Partenza); err != nil {
				return nil, "", err
			}
			if price.Ritorno != "" {
				if o.back, err = fare.ParseDay(price.Ritorno); err != nil {
					return nil, "", err
				}
			}
			if f.holds(o) {
				options = append(options, o)
			}
		}
	}
	if found {
		why = "The route has fares, and none of them is as departureDate, duration and maxPrice ask for."
	}
	return options, why, nil
}

// cheapest keeps the cheapest option of each group; of equal ones the first.
func cheapest[T interface{ cents() fare.Cents }](options []T, group func(T) any) (kept []T) {
	at := map[any]int{}
	for _, o := range options {
		g := group(o)
		i, seen := at[g]
		switch {
		case !seen:
			at[g] = len(kept)
			kept = append(kept, o)
		case o.cents() < kept[i].cents():
			kept[i] = o
		}
	}
	return kept
}

func (o option) cents() fare.Cents { return o.price }

// weekOf is the Monday of a day's week.
func weekOf(d fare.Day) fare.Day { return d - fare.Day((int(d.Time().Weekday())+6)%7) }
