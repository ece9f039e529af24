package page

import (
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// The sentences of a verdict that need more than their placeholders.

// nearly reports whether a price is within 2 % of the usual one, which a verdict ignores.
func nearly(price, median fare.Cents) bool {
	return price*100 > median*98 && price*98 < median*100
}

// wordingOf returns the id of a verdict's texts after "headline." and "brief.". A verdict of low
// reliability is worded as a hint.
func wordingOf(a verdict.Verdetto) string {
	if a.Affidabilita == verdict.Bassa {
		return "unsure." + a.Livello
	}
	return a.Livello
}

// brief returns the price with a short verdict, for a title or a card.
func brief(l *i18n.Language, price fare.Cents, a verdict.Verdetto) string {
	return l.Text("brief."+wordingOf(a), "Price", l.Money(price))
}

// dearer states on what share of the observed days the fare cost more, in whole percent. Days are
// weighted; the latest count most.
func dearer(l *i18n.Language, t verdict.Percentile) string {
	dearer := 1 - t.Below - t.Equal
	const nothing = 1e-9 // shares are sums of rounded numbers
	switch {
	case t.Equal >= 0.5:
		return l.Text("verdict.same_cost", "Percent", int(math.Round(100*t.Equal)), "Size", t.Size)
	case t.Below == 0 && t.Equal == 0:
		return l.Text("verdict.never_lower", "Size", t.Size)
	case dearer < nothing && t.Equal == 0:
		return l.Text("verdict.never_higher", "Size", t.Size)
	}
	return l.Text("verdict.dearer", "Percent", int(math.Round(100*dearer)), "Size", t.Size)
}

// usual compares a price with the usual price of the route.
func usual(l *i18n.Language, price, median fare.Cents, level string) string {
	about := nearly(price, median) && level == verdict.Normale
	switch {
	case about && price < median:
		return l.Text("verdict.usual_near", "Median", l.Money(median))
	case about, price == median:
		return l.Text("verdict.usual_same", "Median", l.Money(median))
	case price < median:
		return l.Text("verdict.usual_less", "Median", l.Money(median), "Difference", l.Money(median-price))
	}
	return l.Text("verdict.usual_more", "Median", l.Money(median), "Difference", l.Money(price-median))
}

// months states the cheapest months to leave, among the months with known fares.
func months(l *i18n.Language, best []string, known int) string {
	if known < 12 {
		return l.Text("verdict.months_known", "Known", known, "Months", l.List(best))
	}
	return l.Text("verdict.months_best", "Months", l.List(best))
}

func ago(l *i18n.Language, days int) string {
	switch days {
	case 0:
		return l.Text("ago.today")
	case 1:
		return l.Text("ago.yesterday")
	}
	return l.Count("ago.days", days)
}

func levelNames(l *i18n.Language) (names [4]string) {
	for i, level := range []string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro} {
		names[i] = l.Text("level." + level)
	}
	return names
}

func routeName(l *i18n.Language, from, to string) string {
	return l.Text("home.route", "From", from, "To", to)
}
