package wording

import (
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Flight writes what the source says about the flight, as in "Ryanair, Bergamo–Stansted, non-stop,
// 2 h 5 min", or "" if it says nothing but the stops. Of a return it writes the outward journey;
// its stops are known only if neither direction has any.
func Flight(l *i18n.Language, p verdict.Prezzo) string {
	var all []string
	if p.Vettore != nil {
		all = append(all, p.Vettore.Nome)
	}
	if a := p.Aeroporti; a != nil && a.Origine != "" && a.Destinazione != "" {
		all = append(all, places.AirportName(a.Origine, l.Code)+"–"+places.AirportName(a.Destinazione, l.Code))
	}
	if len(all) == 0 && p.DurataMinuti == nil {
		return ""
	}
	if p.Soste != nil && (*p.Soste == 0 || p.Ritorno == "") {
		all = append(all, stops(l, *p.Soste))
	}
	if p.DurataMinuti != nil {
		all = append(all, l.Text("flight.duration", "Hours", *p.DurataMinuti/60, "Minutes", *p.DurataMinuti%60))
	}
	said := strings.Join(all, l.Text("format.comma"))
	if p.Ritorno != "" {
		return l.Text("flight.out", "Flight", said)
	}
	return said
}

func FlightSentence(l *i18n.Language, p verdict.Prezzo) string {
	text := Flight(l, p)
	if text == "" {
		return ""
	}
	if p.Vettore == nil || p.Ritorno != "" { // otherwise it begins with a name, such as easyJet
		text = Sentence(text)
	}
	return strings.TrimSuffix(text, ".") + "."
}

// Airlines writes the airlines of a limit, as in "only Ryanair".
func Airlines(l *i18n.Language, a fare.Airlines) string {
	list, except := a.List()
	var names []string
	for _, one := range list {
		names = append(names, airlines.Name(one))
	}
	if except {
		return l.Text("trip.without", "Airlines", l.List(names))
	}
	return l.Text("trip.only", "Airlines", l.List(names))
}

func stops(l *i18n.Language, n int) string {
	switch n {
	case 0:
		return l.Text("flight.nonstop")
	case 1:
		return l.Text("flight.one_stop")
	}
	return l.Text("flight.stops")
}
