package answer

import (
	"slices"

	"golang.org/x/text/currency"
	"golang.org/x/text/language"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
)

// ParsePrice resolves a sign that several currencies share, such as $. It prefers the parameter in,
// then the currency of the origin's country, then the currency of the destination's country.
func ParsePrice(text string, in fare.Currency, from, to string) (fare.Money, bool) {
	_, meant, _ := fare.SplitPrice(text)
	if len(meant) < 2 || slices.Contains(meant, in.String()) {
		return fare.ParsePrice(text, in)
	}
	for _, end := range []string{from, to} {
		p, _ := places.Find(end)
		country, _ := language.ParseRegion(p.Country)
		unit, _ := currency.FromRegion(country)
		if local, err := fare.ParseCurrency(unit.String()); err == nil && slices.Contains(meant, unit.String()) {
			return fare.ParsePrice(text, local)
		}
	}
	return fare.ParsePrice(text, in)
}
