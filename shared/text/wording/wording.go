// Package wording writes the sentences about a verdict for pages, pictures and mails.
//
// There are two vocabularies: very low to high describes a route's fares as a whole, and great to
// expensive describes a fare for its day.
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

// Pays panics if a.Forecasts is empty.
func Pays(l *i18n.Language, a verdict.Judgement) string {
	f, id := waited(a)
	return l.Text("pays."+id, "Days", f.Days, "Fell", hundredths(f.Chance), "More", f.OrMore,
		"Rose", hundredths(f.Rise))
}

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

// Record panics if a.Forecasts is empty.
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

func Change(l *i18n.Language, c fare.Cents) string {
	switch {
	case c > 0:
		return l.Text("waits.more", "Amount", l.Money(c))
	case c < 0:
		return l.Text("waits.less", "Amount", l.Money(-c))
	}
	return l.Text("waits.same")
}
