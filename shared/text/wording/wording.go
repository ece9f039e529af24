// Package wording writes the sentences about a verdict for pages, pictures and mails.
//
// There are two vocabularies. The market of a route has very low to high fares, compared with the
// route's lowest fares of other days. A fare is great to expensive for its day, compared with
// departures at the same lead time. Only a fare has a usual price and a difference in money, and
// they are the same wherever it is shown.
//
// A sentence advises to wait only if waiting saved money in the recorded cases, and also states how
// often it cost more.
package wording

import (
	"fmt"
	"math"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// Nights describes a return trip by its range of nights, such as 4-7.
func Nights(l *i18n.Language, published string) string {
	return l.Text("trip.nights", "Nights", NightRange(published))
}

func NightRange(published string) string { return strings.ReplaceAll(published, "-", "–") }

func Comparables(l *i18n.Language, percentile int) string {
	switch {
	case percentile <= 1:
		return l.Text("departure.hardly_less")
	case percentile >= 99:
		return l.Text("departure.hardly_more")
	}
	return l.Text("departure.less", "Percent", percentile)
}

// Advice states what waiting to buy a departure saved or cost in recorded cases, and how many fares
// fell or rose. Without a record it returns "" or, within a week of the departure, says that there is
// none.
func Advice(l *i18n.Language, a verdict.Judgement) string {
	if len(a.Forecasts) == 0 {
		if lead := a.Lead; lead == nil || *lead > int(departure.Week.Days()) {
			return ""
		}
		return l.Text("waits.soon")
	}
	f, id := waited(a)
	mean := f.Mean
	return l.Text("waits."+id, "Days", f.Days, "Amount", l.Money(max(mean, -mean)), "Fell", fell(l, f),
		"Rose", rose(l, f), "Dearer", l.Count("waits.ended", hundredths(f.Dearer)))
}

// Pays answers in one line whether waiting paid off in recorded cases. It needs a record.
func Pays(l *i18n.Language, a verdict.Judgement) string {
	f, id := waited(a)
	return l.Text("pays."+id, "Days", f.Days, "Fell", hundredths(f.Chance), "More", f.OrMore,
		"Rose", hundredths(f.Rise))
}

// waited returns the record on which Advice is based, and the part of text IDs that says what
// waiting did in it.
func waited(a verdict.Judgement) (f verdict.Forecast, id string) {
	f = a.Forecasts[0]
	for _, longer := range a.Forecasts {
		if longer.Pays {
			f = longer
		}
	}
	switch mean := f.Mean; {
	case f.Pays:
		return f, "saved"
	case mean > 0:
		return f, "cost"
	case mean == 0:
		return f, "nothing_changed"
	}
	return f, "unclear"
}

// Record states how many recorded fares fell or rose, without advice. It needs a record.
func Record(l *i18n.Language, a verdict.Judgement) string {
	f, _ := waited(a)
	return l.Text("waits.record", "Days", f.Days, "Fell", fell(l, f), "Rose", rose(l, f))
}

func fell(l *i18n.Language, f verdict.Forecast) string {
	return l.Count("waits.fell", hundredths(f.Chance), "More", f.OrMore)
}

func rose(l *i18n.Language, f verdict.Forecast) string {
	return l.Count("waits.rose", hundredths(f.Rise))
}

func Waits(l *i18n.Language, a verdict.Judgement) []string {
	if advice := Advice(l, a); advice != "" {
		return []string{advice}
	}
	return nil
}

func hundredths(share float64) int { return int(math.Round(100 * share)) }

// Fall writes the chance of a fall as the API publishes it.
func Fall(l *i18n.Language, f verdict.Forecast) string {
	fall := Percent(l, f.Chance)
	if f.OrMore {
		return l.Text("waits.or_more", "Percent", fall)
	}
	return fall
}

func Percent(l *i18n.Language, share float64) string {
	if share > 0 && share < .01 {
		return l.Text("format.percent", "Percent", "<1")
	}
	return l.Text("format.percent", "Percent", fmt.Sprint(hundredths(share)))
}

// Change writes a change in euro cents, as in "€5 less".
func Change(l *i18n.Language, c fare.Cents) string {
	switch {
	case c > 0:
		return l.Text("waits.more", "Amount", l.Money(c))
	case c < 0:
		return l.Text("waits.less", "Amount", l.Money(-c))
	}
	return l.Text("waits.same")
}
