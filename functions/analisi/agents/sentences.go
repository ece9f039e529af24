package agents

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// sentences writes the text beside a structured answer, because an agent may show only the text.
type sentences struct{ *i18n.Language }

func (a Asker) say() sentences {
	code, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Language)), "-") // pt-BR is pt
	return sentences{i18n.ForCode(code)}
}

func (s sentences) named(asked answer.Named, airport string) string {
	p := asked.Means.Place
	if p.City == "" {
		return asked.Name
	}
	p.Airport = airport
	return p.NameIn(s.Code)
}

func (s sentences) ends(pair verdict.Pair, from, to answer.Named) (origin, destination string) {
	return s.named(from, pair.From.String()), s.named(to, pair.To.String())
}

func (s sentences) city(iata string) string { return places.Name(fare.City(iata), s.Code) }

func (s sentences) places(pair verdict.Pair, asked ...answer.Named) string {
	var all []places.Match
	for _, one := range asked {
		all = append(all, one.Means)
	}
	sentences := wording.Places(s.Language, pair, all...)
	for _, m := range all {
		sentences = append(sentences, wording.Namesakes(s.Language, m))
	}
	return and(sentences...)
}

func and(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), " ")
}

func lines(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), "\n")
}

func (s sentences) route(from, to string) string { return s.Text("home.route", "From", from, "To", to) }

func (s sentences) newest(t time.Time) string {
	return s.Text("agents.newest", "Day", t.UTC().Format(time.DateOnly))
}

// The amounts of j are in the given currency.
func (s sentences) verdict(j verdict.Judgement, route, currency string, q answer.Question) string {
	if !j.Verdict.Judged() {
		return lines(s.unknown(j, route, currency), s.months(j, currency), s.newest(j.Newest))
	}
	v := wording.Verdict{Language: s.in(currency), Of: j, Today: fare.DayOf(j.At)}
	if q.When != nil {
		v.On, v.Back, v.Around = q.When.Date, q.When.Back, q.When.Span != nil
	}
	certainty, restsOn := v.Certainty()
	ofDay := ""
	if day, ok := v.ForDay(); ok && j.Scope == verdict.OfRoute && !j.Declared {
		ofDay = day.Brief() + "."
	}
	return lines(and(route+".", v.Headline()),
		and(v.Fare(), v.Rank(), v.Missed(), ofDay, v.Usual(), v.Known(), v.Past(), v.Half(), v.Lower()),
		and(certainty+s.Text("format.comma")+restsOn+".", v.Waiting()),
		s.months(j, currency))
}

func (s sentences) unknown(j verdict.Judgement, route, currency string) string {
	if j.Scope == verdict.OfRoute {
		return s.Text("agents.no_verdict", "Route", route, "Days", j.Verdict.Sample, "Needed", verdict.MinSample,
			"First", j.Collection.First)
	}
	return s.Text("agents.no_departure", "Route", route, "Price", euros(int64(j.Fare.Price), currency), "Departure",
		dayOf(j.Fare.Depart), "Fares", j.Verdict.Sample, "Needed", departure.MinCount)
}

func dayOf(d fare.Day) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

// in returns a language that writes amounts with the given currency, without conversion.
func (s sentences) in(currency string) *i18n.Language {
	if currency == fare.EUR.String() {
		return s.Language
	}
	return s.InCurrency(currency, func(c fare.Cents) fare.Cents { return c })
}

func (s sentences) months(j verdict.Judgement, currency string) (text string) {
	if j.Scope != verdict.OfRoute {
		return ""
	}
	var listed []string
	for _, one := range j.Months {
		listed = append(listed, s.Text("agents.month", "Month", s.Month(time.Month(one.Month)), "Median",
			euros(int64(one.Median), currency), "Fares", one.Sample))
	}
	if len(listed) > 0 {
		text = s.Text("agents.months", "Months", strings.Join(listed, ", "))
	}
	if w := j.Window; w != nil {
		text = and(text, s.Text("agents.window", "From", w.From, "To", w.To,
			"Median", euros(int64(w.Median), currency)))
	}
	return text
}

func (s sentences) nearby(v Verdict) string {
	l := s.in(v.Valuta)
	var listed []string
	for _, n := range v.Vicini {
		id := "near.from"
		if n.Estremo == "destinazione" {
			id = "near.to"
		}
		amount, sign := l.Apart(n.Prezzo.Cent, v.Prezzo.Cent)
		name := cmp.Or(s.city(n.Iata), places.AirportName(n.Iata, s.Code))
		listed = append(listed, s.Text(id, "City", name)+" "+l.Money(n.Prezzo.Cent)+" ("+
			s.Text("near."+wording.Direction(sign), "Amount", amount)+")")
	}
	if len(listed) == 0 {
		return s.Text("near.none")
	}
	return s.Text("near.title") + s.Text("format.colon") + " " + strings.Join(listed, "; ") + "."
}

func (s sentences) routes(r published.Routes) string {
	if len(r.Rotte) == 0 {
		return s.Text("agents.no_routes")
	}
	var listed []string
	for _, one := range r.Rotte[:min(5, len(r.Rotte))] {
		listed = append(listed, s.Text("agents.route", "Route", s.route(one.Origine.Nome, one.Destinazione.Nome),
			"Days", one.Campione))
	}
	return s.Text("agents.routes", "Routes", len(r.Rotte), "Needed", verdict.MinSample, "Listed",
		strings.Join(listed, ", "),
		"Others", len(r.Rotte) > len(listed), "Page", r.Successiva)
}

// The parameter skipped is the number of destinations before the listed ones, and all is the number of
// the city's destinations.
func (s sentences) trends(t view.Trends, skipped, all int) string {
	if len(t.Destinations) == 0 {
		return s.Text("agents.no_trends", "City", s.city(t.Origin), "Code", t.Origin)
	}
	departure, arrival := "", ""
	if a := t.Airports; a != nil {
		departure, arrival = a.Origin, a.Destination
	}
	airport := func(code string) string { return places.AirportName(code, s.Code) }
	city := cmp.Or(airport(departure), s.city(t.Origin))
	var listed []string
	for _, d := range t.Destinations[:min(3, len(t.Destinations))] {
		listed = append(listed, s.destination(cmp.Or(airport(arrival), s.city(d.Destination)), d, t.Currency))
	}
	var sentence string
	switch {
	case t.WeeklyLows != nil || t.Airports != nil:
		sentence = s.Text("agents.trend", "City", city, "Destination", listed[0], "Weeks", len(t.WeeklyLows))
	default:
		order := s.Text("agents.all_shown")
		if all > len(t.Destinations) {
			order = s.Text("agents.some_shown", "First", skipped+1, "Last", skipped+len(t.Destinations))
		}
		sentence = s.Text("agents.trends", "City", city, "Destinations", all, "Order", order, "Listed",
			strings.Join(listed, "; ")) + s.more(skipped+len(t.Destinations), all)
	}
	if t.UpdatedAt != nil {
		sentence += " " + s.newest(*t.UpdatedAt)
	}
	return sentence
}

func (s sentences) more(last, all int) string {
	if last >= all {
		return ""
	}
	return " " + s.Text("agents.more", "Skip", last)
}

func (s sentences) destination(name string, d view.Destination, currency string) string {
	if d.Cheapest == nil {
		return s.Text("agents.no_destination", "City", name)
	}
	level := ""
	if d.Certainty != "" {
		level = s.Text("agents.judged", "Level", s.Text("market."+d.Level), "Certainty",
			s.Text("agents.certainty."+d.Certainty))
	}
	change, median := "", ""
	if d.ChangePercent != nil {
		change = fmt.Sprintf("%+.1f", *d.ChangePercent)
	}
	if d.MedianCents != nil {
		median = euros(*d.MedianCents, currency)
	}
	return s.Text("agents.destination", "City", name, "Price", euros(d.Cheapest.AmountCents, currency),
		"Departure", d.Cheapest.Departure,
		"Change", change, "Median", median, "Days", d.Sample, "Judged", level)
}
