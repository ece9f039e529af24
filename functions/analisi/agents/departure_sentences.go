package agents

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

const maxListed = 5

// The parameter all is the number of days, including days that c omits.
func (s sentences) calendar(c published.Calendario, all int) string {
	var days []string
	priced := false
	for _, g := range c.Giorni[:min(maxListed, len(c.Giorni))] {
		price, usual, level := "", "", ""
		if g.Cent != nil {
			price, priced = euros(int64(*g.Cent), c.Valuta), true
		}
		if g.MedianaCent != nil {
			usual, level = euros(int64(*g.MedianaCent), c.Valuta), s.Text("level."+g.Livello)
		}
		if price+usual != "" {
			days = append(days, s.Text("agents.calendar_day", "Day", g.Partenza, "Price", price, "Level", level,
				"Usual", usual))
		}
	}
	month := ""
	if len(c.Mesi) > 1 {
		m := slices.MinFunc(c.Mesi, func(a, b published.MeseInCalendario) int { return cmp.Compare(a.MinimoCent, b.MinimoCent) })
		month = s.Text("agents.calendar_month", "Month", m.Mese, "Price", euros(int64(m.MinimoCent), c.Valuta))
	}
	return lines(s.Text("agents.calendar", "Route", s.route(c.Origine, c.Destinazione), "Listed",
		strings.Join(days, "; "), "Priced", priced, "Needed", departure.MinCount), month,
		and(s.Text("agents.calendar_known", "Days", all, "Shown", len(c.Giorni)), s.newest(c.AggiornatoIl)))
}

// The parameter all is the number of destinations, including those that o omits, and skipped is the
// number before the first listed one.
func (s sentences) deals(o published.Occasioni, skipped, all int) string {
	if len(o.Occasioni) == 0 {
		return s.Text("agents.no_deals", "City", o.Origine)
	}
	var listed []string
	for _, d := range o.Occasioni[:min(maxListed, len(o.Occasioni))] {
		listed = append(listed, s.deal(d, o.Valuta))
	}
	cheapest, returns := "", ""
	if least := slices.MinFunc(o.Occasioni, func(a, b published.Occasione) int {
		return cmp.Compare(a.Prezzo.Cent, b.Prezzo.Cent)
	}); least.Destinazione != o.Occasioni[0].Destinazione {
		cheapest = s.Text("agents.deals_cheapest", "City", least.Destinazione, "Price",
			euros(int64(least.Prezzo.Cent), o.Valuta))
	}
	if o.Notti != "" {
		returns = s.Text("agents.deals_returns", "Nights", o.Notti)
	}
	return lines(s.Text("agents.deals", "City", o.Origine, "Listed", strings.Join(listed, "; ")), cheapest,
		and(returns, s.Text("agents.deals_known", "Destinations", all, "First", skipped+1, "Last",
			skipped+len(o.Occasioni), "All", len(o.Occasioni) == all, "Month", o.Ambito == string(verdict.OfMonth)))+
			s.more(skipped+len(o.Occasioni), all))
}

func (s sentences) deal(d published.Occasione, currency string) string {
	price, day := euros(int64(d.Prezzo.Cent), currency), d.Prezzo.Partenza
	if d.Prezzo.Ritorno != "" {
		day += "/" + d.Prezzo.Ritorno
	}
	if d.Usual == nil {
		return s.Text("agents.deal_unknown", "City", d.Destinazione, "Price", price, "Departure", day)
	}
	sentence := s.Count("agents.deal", *d.Prezzo.EtaOre, "City", d.Destinazione, "Price", price, "Departure", day,
		"Level", s.Text("level."+d.Level), "Usual", euros(int64(*d.Usual), currency),
		"Certainty", s.Text("agents.certainty."+d.Reliability))
	if lower := d.PrezzoPiuBasso; lower != nil {
		found := *lower.TrovatoIl
		today := fare.DayOf(found.Add(time.Duration(*lower.EtaOre) * time.Hour))
		sentence += s.Text("format.comma") + s.Text("cheap.lower", "Price", euros(int64(lower.Cent), currency),
			"Day", lower.Partenza, "When", wording.Ago(s.Language, int(today-fare.DayOf(found))))
	}
	return sentence
}

func (s sentences) past(h published.Storico) string {
	route := s.route(h.Origine, h.Destinazione)
	sentence := s.Text("agents.past_route", "Route", route, "Weeks", len(h.Settimane))
	amount := func(c fare.Cents) string { return euros(int64(c), h.Valuta) }
	switch {
	case h.Partenza != nil && len(h.Partenza.Giorni) == 0:
		sentence = s.Text("agents.past_nothing", "Route", route, "When", h.Partenza.Partenza)
	case h.Partenza != nil:
		first, last := h.Partenza.Giorni[0], h.Partenza.Giorni[len(h.Partenza.Giorni)-1]
		low, high := first.Cent, first.Cent
		for _, g := range h.Partenza.Giorni {
			low, high = min(low, g.Cent), max(high, g.Cent)
		}
		sentence = s.Text("agents.past_departure", "Route", route, "Departure", h.Partenza.Partenza, "Days",
			len(h.Partenza.Giorni),
			"First", amount(first.Cent), "FirstDay", first.Giorno, "Last", amount(last.Cent), "LastDay", last.Giorno,
			"Low", amount(low), "High", amount(high))
	case h.Mese != nil && len(h.Mese.Settimane) == 0:
		sentence = s.Text("agents.past_nothing", "Route", route, "When", h.Mese.Mese)
	case h.Mese != nil:
		first, last := h.Mese.Settimane[0], h.Mese.Settimane[len(h.Mese.Settimane)-1]
		sentence = s.Text("agents.past_month", "Route", route, "Month", h.Mese.Mese, "Weeks", len(h.Mese.Settimane),
			"First", amount(first.MedianaCent), "FirstWeek", first.Settimana, "Last", amount(last.MedianaCent),
			"LastWeek", last.Settimana)
	}
	return sentence + " " + s.newest(h.AggiornatoIl)
}

func forDay(a *published.Analysis) published.ForDay {
	if v := a.Verdetto; a.Ambito == string(verdict.OfDeparture) {
		return published.ForDay{Usual: v.MedianaCent, Level: v.Livello, Reliability: v.Affidabilita}
	}
	return a.ForDay
}

func (s sentences) comparison(c published.Confronto, names []string) string {
	trip := func(i int) string {
		v := c.Viaggi[i]
		return s.Text("agents.compared", "City", names[i], "When", v.Partenza+v.Mese)
	}
	var sentences, listed, without []string
	for _, i := range c.PiuEconomici {
		a, level, usual := c.Viaggi[i].Analisi, "", ""
		day := forDay(a)
		if day.Usual != nil {
			level, usual = s.Text("level."+day.Level), euros(int64(*day.Usual), a.Valuta)
		}
		listed = append(listed, s.Text("agents.comparison_one", "Trip", trip(i), "Price",
			euros(int64(a.Prezzo.Cent), a.Valuta), "Departure", a.Prezzo.Partenza, "Level", level, "Usual", usual))
		if day.Usual != nil && i == c.Migliori[0] {
			sentences = append(sentences, s.Text("agents.comparison_best", "Trip", listed[len(listed)-1],
				"Certainty", s.Text("agents.certainty."+day.Reliability)))
		}
	}
	for i, v := range c.Viaggi {
		if v.Problema != nil {
			without = append(without, s.Text("agents.comparison_without", "Trip", trip(i), "Code", v.Problema.Code))
		}
	}
	if len(listed) > 0 {
		sentences = append(sentences, s.Text("agents.comparison_listed", "Listed", strings.Join(listed, "; ")))
	}
	if len(without) > 0 {
		sentences = append(sentences, s.Text("agents.comparison_unknown", "Listed", strings.Join(without, "; ")))
	}
	return lines(append(sentences, s.Text("agents.comparison", "Asked", c.Chiesti, "Counted", c.Contati,
		"Known", len(c.PiuEconomici), "Judged", len(c.Migliori)))...)
}
