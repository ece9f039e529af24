package agents

import (
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// maxListed is how many days or destinations a sentence lists.
const maxListed = 5

// calendar describes the best days and the best month. all is the total number of days.
func (s sentences) calendar(c verdict.Calendario, all int) string {
	var days []string
	for _, g := range best(c.Giorni, maxListed) {
		if g.Percentile == nil {
			continue
		}
		price := ""
		if g.Cent != nil {
			price = euros(int64(*g.Cent), c.Valuta)
		}
		days = append(days, s.Text("agents.calendar_day", "Day", g.Partenza, "Price", price, "Level",
			s.Text("level."+g.Livello), "Percentile", *g.Percentile,
			"Certainty", s.Text("agents.certainty."+g.Affidabilita)))
	}
	said := []string{s.Text("agents.calendar", "Route", s.route(c.Origine, c.Destinazione), "Days", all, "Shown",
		len(c.Giorni), "Listed", strings.Join(days, "; "), "Needed", departure.MinCount)}
	var cheapest *verdict.MeseInCalendario
	for i, m := range c.Mesi {
		if m.Percentile != nil && (cheapest == nil || *m.Percentile < *cheapest.Percentile) {
			cheapest = &c.Mesi[i]
		}
	}
	if m := cheapest; m != nil {
		said = append(said, s.Text("agents.calendar_month", "Month", m.Mese, "Price",
			euros(int64(m.MinimoCent), c.Valuta), "Median", euros(int64(*m.MedianaCent), c.Valuta)))
	}
	return strings.Join(append(said, s.newest(c.AggiornatoIl)), " ")
}

// deals describes the listed destinations. all is the total number, skipped the number before them.
func (s sentences) deals(o published.Occasioni, skipped, all int) string {
	if len(o.Occasioni) == 0 {
		return s.Text("agents.no_deals", "City", o.Origine)
	}
	var listed []string
	for _, d := range o.Occasioni[:min(maxListed, len(o.Occasioni))] {
		price, usual, departure := euros(int64(d.Prezzo.Cent), o.Valuta), "", d.Prezzo.Partenza
		if d.Prezzo.Ritorno != "" {
			departure += "/" + d.Prezzo.Ritorno
		}
		if d.Verdetto.MedianaCent == nil {
			listed = append(listed, s.Text("agents.deal_unknown", "City", d.Destinazione, "Price", price,
				"Departure", departure))
			continue
		}
		usual = euros(int64(*d.Verdetto.MedianaCent), o.Valuta)
		listed = append(listed, s.Count("agents.deal", *d.Prezzo.EtaOre, "City", d.Destinazione, "Price", price, "Departure", departure,
			"Level", s.Text("level."+d.Verdetto.Livello),
			"Median", usual, "Certainty", s.Text("agents.certainty."+d.Verdetto.Affidabilita)))
	}
	returns := ""
	if o.Notti != "" {
		returns = s.Text("agents.deals_returns", "Nights", o.Notti)
	}
	return and(returns, s.Text("agents.deals", "City", o.Origine, "Destinations", all, "First", skipped+1, "Last",
		skipped+len(o.Occasioni), "All", len(o.Occasioni) == all, "Month", o.Ambito == verdict.InMese, "Listed",
		strings.Join(listed, "; "))+s.more(skipped+len(o.Occasioni), all))
}

func (s sentences) past(h published.Storico) string {
	route := s.route(h.Origine, h.Destinazione)
	said := s.Text("agents.past_route", "Route", route, "Weeks", len(h.Settimane))
	amount := func(c fare.Cents) string { return euros(int64(c), h.Valuta) }
	switch {
	case h.Partenza != nil && len(h.Partenza.Giorni) == 0:
		said = s.Text("agents.past_nothing", "Route", route, "When", h.Partenza.Partenza)
	case h.Partenza != nil:
		first, last := h.Partenza.Giorni[0], h.Partenza.Giorni[len(h.Partenza.Giorni)-1]
		low, high := first.Cent, first.Cent
		for _, g := range h.Partenza.Giorni {
			low, high = min(low, g.Cent), max(high, g.Cent)
		}
		said = s.Text("agents.past_departure", "Route", route, "Departure", h.Partenza.Partenza, "Days",
			len(h.Partenza.Giorni),
			"First", amount(first.Cent), "FirstDay", first.Giorno, "Last", amount(last.Cent), "LastDay", last.Giorno,
			"Low", amount(low), "High", amount(high))
	case h.Mese != nil && len(h.Mese.Settimane) == 0:
		said = s.Text("agents.past_nothing", "Route", route, "When", h.Mese.Mese)
	case h.Mese != nil:
		first, last := h.Mese.Settimane[0], h.Mese.Settimane[len(h.Mese.Settimane)-1]
		said = s.Text("agents.past_month", "Route", route, "Month", h.Mese.Mese, "Weeks", len(h.Mese.Settimane),
			"First", amount(first.MedianaCent), "FirstWeek", first.Settimana, "Last", amount(last.MedianaCent),
			"LastWeek", last.Settimana)
	}
	return said + " " + s.newest(h.AggiornatoIl)
}

// comparison describes which trip is judged best, which is cheapest, and which are not covered.
func (s sentences) comparison(c published.Confronto, names []string) string {
	trip := func(i int) string {
		v := c.Viaggi[i]
		return s.Text("agents.compared", "City", names[i], "When", v.Partenza+v.Mese)
	}
	said := []string{s.Text("agents.comparison", "Asked", c.Chiesti, "Counted", c.Contati, "Known", len(c.PiuEconomici),
		"Judged", len(c.Migliori))}
	if len(c.Migliori) > 0 {
		a := c.Viaggi[c.Migliori[0]].Analisi
		said = append(said, s.Text("agents.comparison_best", "Trip", trip(c.Migliori[0]), "Price",
			euros(int64(a.Prezzo.Cent), a.Valuta), "Level", s.Text("level."+a.Verdetto.Livello),
			"Certainty", s.Text("agents.certainty."+a.Verdetto.Affidabilita)))
	}
	var listed, without []string
	for _, i := range c.PiuEconomici {
		a := c.Viaggi[i].Analisi
		level := a.Verdetto.Livello
		if a.Verdetto.Percentile != nil {
			level = s.Text("level." + level)
		}
		listed = append(listed, s.Text("agents.comparison_one", "Trip", trip(i), "Price",
			euros(int64(a.Prezzo.Cent), a.Valuta), "Departure", a.Prezzo.Partenza, "Level", level))
	}
	for i, v := range c.Viaggi {
		if v.Problema != nil {
			without = append(without, s.Text("agents.comparison_without", "Trip", trip(i), "Code", v.Problema.Code))
		}
	}
	if len(listed) > 0 {
		said = append(said, s.Text("agents.comparison_listed", "Listed", strings.Join(listed, "; ")))
	}
	if len(without) > 0 {
		said = append(said, s.Text("agents.comparison_unknown", "Listed", strings.Join(without, "; ")))
	}
	return strings.Join(said, " ")
}
