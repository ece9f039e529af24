package wording

import (
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Flight returns "" if nothing but the stops could be stated. For a return trip, Flight describes
// the outward flight.
func Flight(l *i18n.Language, offer verdict.Live) string {
	var all []string
	f := offer.Flight
	if f.Airline != (fare.Airline{}) {
		all = append(all, airlines.Name(f.Airline))
	}
	if f.From != (fare.Airport{}) && f.To != (fare.Airport{}) {
		all = append(all, places.AirportName(f.From.String(), l.Code)+"–"+places.AirportName(f.To.String(), l.Code))
	}
	if len(all) == 0 && f.Minutes <= 0 {
		return ""
	}
	if n, known := offer.Stops.Number(); known && (n == 0 || offer.Return() == 0) {
		all = append(all, stops(l, n))
	}
	if f.Minutes > 0 {
		all = append(all, l.Text("flight.duration", "Hours", int(f.Minutes)/60, "Minutes", int(f.Minutes)%60))
	}
	text := strings.Join(all, l.Text("format.comma"))
	if offer.Return() != 0 {
		return l.Text("flight.out", "Flight", text)
	}
	return text
}

func FlightSentence(l *i18n.Language, offer verdict.Live) string {
	text := Flight(l, offer)
	if text == "" {
		return ""
	}
	// The name of an airline at the beginning of the text keeps its case, as in easyJet.
	if offer.Flight.Airline == (fare.Airline{}) || offer.Return() != 0 {
		text = Sentence(text)
	}
	return strings.TrimSuffix(text, ".") + "."
}

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
