package agents

import (
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

// sentences writes the text that accompanies a structured answer. The text says nothing that is not
// in the answer, and always says how certain the answer is: an agent may show only the text.
type sentences struct{ *i18n.Language }

func (a Asker) say() sentences {
	code, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(a.Language)), "-") // pt-BR is pt
	return sentences{i18n.ForCode(code)}
}

// named returns a city's name in the language of the answer.
func (s sentences) named(asked string) string {
	if p, ok := places.Find(asked); ok {
		return p.NameIn(s.Code)
	}
	return asked
}

func (s sentences) city(iata string) string { return places.Name(fare.City(iata), s.Code) }

// places explains which airports the fares cover if a caller named one airport of a city.
func (s sentences) places(asked ...string) string {
	return strings.Join(wording.Places(s.Language, asked...), " ")
}

// and joins the sentences that are not empty.
func and(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(one string) bool { return one == "" }), " ")
}

func (s sentences) route(from, to string) string { return s.Text("home.route", "From", from, "To", to) }

func (s sentences) newest(t time.Time) string {
	return s.Text("agents.newest", "Day", t.UTC().Format(time.DateOnly))
}

// verdict describes a verdict in the words of the page, including the parts that the page shows
// only on a click.
func (s sentences) verdict(a verdict.Analysis, q answer.Question, today fare.Day) string {
	route := s.route(a.Origine, a.Destinazione)
	if a.Verdetto.Percentile == nil {
		return s.unknown(a, route) + " " + s.newest(a.AggiornatoIl)
	}
	of := wording.Verdict{Language: s.in(a.Valuta), Of: a, Today: today}
	if q.When != nil {
		of.On, of.Around = q.When.Date, q.When.Span != nil
	}
	certainty, restsOn := of.Certainty()
	return route + ". " + and(of.Headline(), of.Fare(), of.Known(), of.Past(),
		wording.Typical(of.Language, a), of.Rank(0, 0), certainty+s.Text("format.comma")+restsOn+".", of.Waiting(),
		s.newest(a.AggiornatoIl))
}

// unknown states why there is no verdict.
func (s sentences) unknown(a verdict.Analysis, route string) string {
	if a.Ambito != verdict.InPartenza && a.Ambito != verdict.InMese {
		return s.Text("agents.no_verdict", "Route", route, "Days", a.Verdetto.Campione, "Needed", verdict.MinSample,
			"First", a.Raccolta.PrimoVerdetto)
	}
	return s.Text("agents.no_departure", "Route", route, "Price", euros(int64(a.Prezzo.Cent), a.Valuta), "Departure",
		a.Prezzo.Partenza, "Fares", a.Verdetto.Campione, "Needed", departure.MinCount)
}

// in returns the language for amounts that are already in a currency.
func (s sentences) in(currency string) *i18n.Language {
	if currency == fare.EUR.String() {
		return s.Language
	}
	return s.InCurrency(currency, func(c fare.Cents) fare.Cents { return c })
}

func (s sentences) months(m Months) string {
	route := s.route(m.Origine, m.Destinazione)
	if len(m.MesiPerConvenienza) == 0 {
		return s.Text("agents.no_months", "Route", route, "Fares", m.Osservazioni)
	}
	var listed []string
	for _, one := range m.MesiPerConvenienza[:min(3, len(m.MesiPerConvenienza))] {
		listed = append(listed, s.Text("agents.month", "Month", s.Month(time.Month(one.Mese)), "Median",
			euros(int64(one.MedianaCent), m.Valuta), "Fares", one.Campione))
	}
	return s.Text("agents.months", "Route", route, "Months", strings.Join(listed, ", "), "Known",
		len(m.MesiPerConvenienza)) +
		" " + s.newest(m.AggiornatoIl) + " " + s.Text("agents.months_note")
}

func (s sentences) window(w Window) string {
	route := s.route(w.Origine, w.Destinazione)
	a := w.AnticipoConsigliato
	if a == nil {
		return s.Text("agents.no_window", "Route", route, "Fares", w.Osservazioni)
	}
	saving := s.Text("agents.no_saving")
	if a.RisparmioCent != nil {
		saving = s.Text("agents.saving", "Amount", euros(int64(*a.RisparmioCent), w.Valuta))
	}
	return s.Text("agents.window", "Route", route, "From", a.DaGiorni, "To", a.AGiorni,
		"Median", euros(int64(a.MedianaCent), w.Valuta), "Fares", a.Campione, "Saving", saving) +
		" " + s.newest(w.AggiornatoIl) + " " + s.Text("agents.window_note")
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

// trends describes the listed destinations. all is the total number, skipped the number before
// them.
func (s sentences) trends(t view.Trends, skipped, all int) string {
	if len(t.Destinations) == 0 {
		return s.Text("agents.no_trends", "City", s.city(t.Origin), "Code", t.Origin)
	}
	var listed []string
	for _, d := range t.Destinations[:min(3, len(t.Destinations))] {
		listed = append(listed, s.destination(d, t.Currency))
	}
	said := ""
	switch {
	case t.WeeklyLows != nil:
		said = s.Text("agents.trend", "City", s.city(t.Origin), "Destination", listed[0], "Weeks", len(t.WeeklyLows))
	default:
		order := s.Text("agents.all_shown")
		if all > len(t.Destinations) {
			order = s.Text("agents.some_shown", "First", skipped+1, "Last", skipped+len(t.Destinations))
		}
		said = s.Text("agents.trends", "City", s.city(t.Origin), "Destinations", all, "Order", order, "Listed",
			strings.Join(listed, "; ")) + s.more(skipped+len(t.Destinations), all)
	}
	if t.UpdatedAt != nil {
		said += " " + s.newest(*t.UpdatedAt)
	}
	return said
}

// more tells how to request the next part of a list.
func (s sentences) more(last, all int) string {
	if last >= all {
		return ""
	}
	return " " + s.Text("agents.more", "Skip", last)
}

func (s sentences) destination(d view.Destination, currency string) string {
	if d.Cheapest == nil {
		return s.Text("agents.no_destination", "City", s.city(d.Destination))
	}
	level := ""
	if d.Certainty != "" {
		level = s.Text("agents.judged", "Level", s.Text("level."+d.Level), "Certainty",
			s.Text("agents.certainty."+d.Certainty))
	}
	change, median := "", ""
	if d.ChangePercent != nil {
		change = fmt.Sprintf("%+.1f", *d.ChangePercent)
	}
	if d.MedianCents != nil {
		median = euros(*d.MedianCents, currency)
	}
	return s.Text("agents.destination", "City", s.city(d.Destination), "Price", euros(d.Cheapest.AmountCents, currency),
		"Departure", d.Cheapest.Departure,
		"Change", change, "Median", median, "Days", d.Sample, "Judged", level)
}

func (s sentences) notCovered(n *view.NotCovered) string {
	return s.Text("agents.not_covered", "Origin", n.Origin, "Destination", n.Destination)
}
