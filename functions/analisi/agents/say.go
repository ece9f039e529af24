package agents

import (
	"fmt"
	"strings"
	"time"

	"verdetto/functions/analisi"
	"verdetto/shared/trends/view"
	"verdetto/shared/verdict"
)

// The sentences beside the structured answers. They say no more than those do,
// and never less about how sure it is: an agent may pass on nothing else.

var (
	levels = map[string]string{
		verdict.Ottimo: "very cheap", verdict.Buono: "cheap", verdict.Normale: "normal", verdict.Caro: "expensive",
	}
	certainties = map[string]string{verdict.Alta: "high", verdict.Media: "medium", verdict.Bassa: "low, so take it as a hint"}
)

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func sayVerdict(a verdict.Analysis) string {
	v, between := a.Verdetto, a.Origine+" to "+a.Destinazione
	if v.Percentile == nil {
		return fmt.Sprintf("%s: no verdict (dati-insufficienti). The cheapest fare of only %d past days is known, and a verdict needs %d; today's fare can be called neither cheap nor expensive. Newest fare found on %s.",
			between, v.Campione, verdict.MinSample, day(a.AggiornatoIl))
	}
	price := int64(*v.MedianaCent + *v.ScartoMedianaCent)
	season := ""
	if *v.Stagionale {
		season = " of the same season"
	}
	return fmt.Sprintf("%s: today's cheapest one-way fare, %s, is %s (%s): percentile %d of the cheapest fares of %d past days%s, whose median is %s. Certainty: %s. Newest fare found on %s.",
		between, euros(price, a.Valuta), levels[v.Livello], v.Livello, *v.Percentile, v.Campione, season,
		euros(int64(*v.MedianaCent), a.Valuta), certainties[v.Affidabilita], day(a.AggiornatoIl))
}

func sayMonths(m Months) string {
	between := m.Origine + " to " + m.Destinazione
	if len(m.MesiPerConvenienza) == 0 {
		return fmt.Sprintf("%s: no departure month has 5 observed fares yet, so none can be called the cheapest (%d fares in all).", between, m.Osservazioni)
	}
	var listed []string
	for _, one := range m.MesiPerConvenienza[:min(3, len(m.MesiPerConvenienza))] {
		listed = append(listed, fmt.Sprintf("%s (median %s of %d fares)", time.Month(one.Mese), euros(int64(one.MedianaCent), m.Valuta), one.Campione))
	}
	return fmt.Sprintf("%s: cheapest departure months by observed fares: %s; %d of 12 months are known. Newest fare found on %s. A median of few fares is a hint, not a promise.",
		between, strings.Join(listed, ", "), len(m.MesiPerConvenienza), day(m.AggiornatoIl))
}

func sayWindow(w Window) string {
	between := w.Origine + " to " + w.Destinazione
	a := w.AnticipoConsigliato
	if a == nil {
		return fmt.Sprintf("%s: no booking window can be advised: fewer than 8 departures were seen at two or more lead times (%d fares in all).", between, w.Osservazioni)
	}
	saving := "the median of all other fares is not higher"
	if a.RisparmioCent != nil {
		saving = fmt.Sprintf("the median of all other fares is higher by %s", euros(int64(*a.RisparmioCent), w.Valuta))
	}
	return fmt.Sprintf("%s: fares have been lowest %d to %d days before departure (median %s of %d fares; %s). Newest fare found on %s. This is what was seen in the past: it does not tell when to wait for one given departure.",
		between, a.DaGiorni, a.AGiorni, euros(int64(a.MedianaCent), w.Valuta), a.Campione, saving, day(w.AggiornatoIl))
}

func sayRoutes(r analisi.Routes) string {
	if len(r.Rotte) == 0 {
		return "No such route is covered. Asking for it with flight_price_verdict notes it for the next refresh."
	}
	var listed []string
	for _, one := range r.Rotte[:min(5, len(r.Rotte))] {
		listed = append(listed, fmt.Sprintf("%s to %s (%d days known)", one.Origine.Nome, one.Destinazione.Nome, one.Campione))
	}
	said := fmt.Sprintf("%d covered routes here; a verdict needs %d days: %s", len(r.Rotte), verdict.MinSample, strings.Join(listed, ", "))
	if len(r.Rotte) > len(listed) {
		said += " and others"
	}
	if r.Successiva != "" {
		said += fmt.Sprintf(". There are more: ask again with page %s", r.Successiva)
	}
	return said + "."
}

func sayTrends(t view.Trends, all int) string {
	if len(t.Destinations) == 0 {
		return fmt.Sprintf("From %s (%s) no fare is live at present.", t.City, t.Origin)
	}
	var listed []string
	for _, d := range t.Destinations[:min(3, len(t.Destinations))] {
		listed = append(listed, sayDestination(d, t.Currency))
	}
	updated := ""
	if t.UpdatedAt != nil {
		updated = fmt.Sprintf(" Newest fare found on %s.", day(*t.UpdatedAt))
	}
	if t.WeeklyLows != nil {
		return fmt.Sprintf("From %s to %s; weekly lows of %d of the last 52 weeks are known.%s", t.City, listed[0], len(t.WeeklyLows), updated)
	}
	shown := "the most often observed first"
	if all > len(t.Destinations) {
		shown = fmt.Sprintf("of which the %d most often observed are shown", len(t.Destinations))
	}
	return fmt.Sprintf("From %s, %d destinations with a live fare, %s: %s.%s", t.City, all, shown, strings.Join(listed, "; "), updated)
}

func sayDestination(d view.Destination, currency string) string {
	if d.Cheapest == nil {
		return d.City + " no fare is live"
	}
	said := fmt.Sprintf("%s %s on %s", d.City, euros(d.Cheapest.AmountCents, currency), d.Cheapest.Departure)
	if d.ChangePercent != nil {
		said += fmt.Sprintf(" (%+.1f %% against a week before)", *d.ChangePercent)
	}
	if d.MedianCents != nil {
		said += fmt.Sprintf(", median of %d past days %s", d.Sample, euros(*d.MedianCents, currency))
	}
	return said
}

func sayNotCovered(n *view.NotCovered) string {
	what := fmt.Sprintf("No fare from %s has ever been observed here.", n.Origin)
	if n.Destination != "" {
		what = fmt.Sprintf("No fare from %s to %s has ever been observed here.", n.Origin, n.Destination)
	}
	return what + " It is noted, and the next refresh asks for it; GET /v1/rotte lists what is covered."
}
