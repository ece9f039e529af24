package compat

import (
	"slices"
	"strconv"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type flight struct {
	Type          string      `json:"type"`
	Origin        string      `json:"origin"`
	Destination   string      `json:"destination"`
	DepartureDate string      `json:"departureDate"`
	ReturnDate    string      `json:"returnDate,omitempty"`
	Price         total       `json:"price"`
	Links         flightLinks `json:"links"`
}

type flightLinks struct {
	Destinations string `json:"flightDestinations,omitempty"`
	Dates        string `json:"flightDates,omitempty"`
	Offers       string `json:"flightOffers"`
}

type listAnswer struct {
	Warnings     []fault      `json:"warnings,omitempty"`
	Data         []flight     `json:"data"`
	Dictionaries dictionaries `json:"dictionaries"`
	Meta         meta         `json:"meta"`
}

type filter struct {
	days     span
	nights   span
	oneWay   bool
	nonStop  bool
	most     fare.Cents // 0 if there is no maximum
	part     part
	ofMonths bool
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

type option struct {
	to           place
	depart, back fare.Day // back is 0 for one-way fares
	price        fare.Cents
}

func optionOf(to place, l verdict.Live) option { return option{to, l.Depart, l.Return(), l.Price} }

func (f filter) trips() (all []fare.Trip) {
	for _, t := range fare.Trips() {
		from, to := t.Nights()
		if (t == fare.OneWay) == f.oneWay && (f.oneWay || from <= f.nights.to && to >= f.nights.from) {
			all = append(all, t)
		}
	}
	return all
}

func (f filter) matches(o option) bool {
	return f.days.contains(int(o.depart)) && (f.most == 0 || o.price <= f.most) &&
		(f.oneWay || f.nights.contains(int(o.back-o.depart)))
}

type list struct {
	kind    string
	from    place
	options []option
	group   func(option) any
	order   func(a, b option) int
	links   func(option) flightLinks
}

func (s *Service) fill(out *listAnswer, p *parameters, f filter, viewBy string, l list) {
	options := cheapest(l.options, l.group)
	slices.SortStableFunc(options, l.order)
	out.Meta = meta{Count: len(options), Currency: "EUR", Defaults: p.defaults(f, viewBy)}
	options, out.Meta.Links = partOf(s, p, f.part, options)
	out.Data = []flight{}
	named := []place{l.from}
	for _, o := range options {
		d := flight{
			Type: l.kind, Origin: l.from.code, Destination: o.to.code,
			DepartureDate: o.depart.String(), Price: total{amount(o.price)}, Links: l.links(o),
		}
		if o.back != 0 {
			d.ReturnDate = o.back.String()
		}
		d.Links.Offers = s.pageURL(l.from, o.to, d.DepartureDate, d.ReturnDate, f.nonStop)
		out.Data = append(out.Data, d)
		named = append(named, o.to)
	}
	out.Dictionaries = dictionary(named...)
}

func cheapest(options []option, group func(option) any) (kept []option) {
	at := map[any]int{}
	for _, o := range options {
		g := group(o)
		i, seen := at[g]
		switch {
		case !seen:
			at[g] = len(kept)
			kept = append(kept, o)
		case o.price < kept[i].price:
			kept[i] = o
		}
	}
	return kept
}

func weekOf(d fare.Day) fare.Day { return d - fare.Day((int(d.Time().Weekday())+6)%7) }
