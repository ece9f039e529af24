// Package wording builds the sentences about a verdict that pages, pictures and mails share.
//
// It advises to wait only if waiting paid off on the record, and then states how often it went
// wrong.
package wording

import (
	"fmt"
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// Whole rounds a calculated amount to whole euros. Quoted fares are not rounded.
func Whole(c fare.Cents) fare.Cents { return (c + 50) / 100 * 100 }

// Typical states the usual range: the middle half of comparable fares. The analysis must be about
// a departure or a month, and have a verdict.
func Typical(l *i18n.Language, a verdict.Analysis) string {
	low, high := Whole(a.Quartili.Q1Cent), Whole(a.Quartili.Q3Cent)
	month := a.Ambito == verdict.InMese
	switch {
	case low == high && month:
		return l.Text("departure.typical_month_one", "Price", l.Money(low))
	case low == high:
		return l.Text("departure.typical_one", "Price", l.Money(low))
	case month:
		return l.Text("departure.typical_month", "Low", l.Money(low), "High", l.Money(high))
	}
	return l.Text("departure.typical", "Low", l.Money(low), "High", l.Money(high))
}

// Comparables states how many of 100 comparable fares cost less.
func Comparables(l *i18n.Language, percentile int) string {
	switch {
	case percentile <= 1:
		return l.Text("departure.hardly_less")
	case percentile >= 99:
		return l.Text("departure.hardly_more")
	}
	return l.Text("departure.less", "Percent", percentile)
}

// Compared states what a verdict about a departure or a month rests on.
func Compared(l *i18n.Language, v verdict.Verdetto) string {
	fares := l.Number(v.Campione)
	switch v.Confronto {
	case verdict.DiOggi:
		return l.Text("departure.compared_on_sale", "Days", fares)
	case verdict.Entrambe:
		return l.Text("departure.compared_both", "Fares", fares)
	}
	return l.Text("departure.compared_history", "Fares", fares)
}

// Advice says whether waiting for a departure paid off on the record. It returns "" if the
// analysis is not about a single departure, or nothing is known about waiting.
func Advice(l *i18n.Language, a verdict.Analysis) string {
	if a.AnticipoGiorni == nil {
		return ""
	}
	if len(a.Previsione) == 0 {
		if *a.AnticipoGiorni > int(departure.Week.Days()) {
			return ""
		}
		return l.Text("waits.soon")
	}
	advice := l.Text("waits.no")
	for _, f := range a.Previsione {
		if f.Conviene { // the last match is the longer horizon
			advice = l.Text("waits.yes", "Days", f.Giorni, "Change", l.Money(-f.Attesa.MediaCent), "Dearer",
				int(math.Round(100*f.Attesa.PiuCaro)))
		}
	}
	return advice
}

// Waits returns the advice for a departure, then a sentence for each horizon. It returns nil if
// the analysis is not about a single departure.
func Waits(l *i18n.Language, a verdict.Analysis) []string {
	advice := Advice(l, a)
	if advice == "" {
		return nil
	}
	all := []string{advice}
	for _, f := range a.Previsione {
		all = append(all, l.Text("waits.line", "Days", f.Giorni, "Fall", Fall(l, f), "Mean",
			Change(l, f.Attesa.MediaCent)))
	}
	return all
}

// Fall writes the chance that a fare drops, as published.
func Fall(l *i18n.Language, f verdict.Previsione) string {
	fall := Percent(l, f.Calo5)
	if f.Calo5Oltre {
		return l.Text("waits.or_more", "Percent", fall)
	}
	return fall
}

// Percent writes a share in whole percent.
func Percent(l *i18n.Language, share float64) string {
	if share > 0 && share < .01 {
		return l.Text("format.percent", "Percent", "<1")
	}
	return l.Text("format.percent", "Percent", fmt.Sprint(int(math.Round(100*share))))
}

// Change writes a change of a price.
func Change(l *i18n.Language, c fare.Cents) string {
	switch {
	case c > 0:
		return l.Text("waits.more", "Amount", l.Money(c))
	case c < 0:
		return l.Text("waits.less", "Amount", l.Money(-c))
	}
	return l.Text("waits.same")
}
