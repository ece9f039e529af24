package page

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
)

// A price that names no currency is in the chosen currency or, if that is empty, in euros.
func parsePrice(text, chosen string) (fare.Money, bool) {
	in, _ := fare.ParseCurrency(chosen) // useCurrency refuses an unknown currency
	return fare.ParsePrice(text, in)
}

func priceFault(l *i18n.Language, text, chosen string) string {
	switch p, ok := parsePrice(text, chosen); {
	case !ok:
		return l.Text("ask.fault.price")
	case p.HasFraction():
		return l.Text("alerts.fault.whole", "Currency", p.Currency)
	}
	return ""
}

// PriceField writes a typed price such as $50 as 50 USD, like the rest of the page.
func (v *view) PriceField() string {
	p, ok := parsePrice(v.Trip.OwnPrice, v.Currency)
	named := strings.ContainsFunc(v.Trip.OwnPrice, isName)
	if !ok || !named || p.Currency == fare.EUR {
		return v.Trip.OwnPrice
	}
	return strings.ReplaceAll(v.SeenPrice(), "\u00a0", " ")
}

func isName(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) }

func (v *view) SeenPrice() string {
	p, ok := parsePrice(v.Trip.OwnPrice, v.Currency)
	if !ok {
		return ""
	}
	return v.T.Quoted(p)
}

// chooseCurrency also completes a price whose sign, such as $, means the currency of a country of
// the route.
func (q *question) chooseCurrency() {
	q.currency, q.currencyBy = strings.ToUpper(q.currency), "valuta"
	in, _ := fare.ParseCurrency(q.currency)
	for _, typed := range []field{{"visto", &q.OwnPrice}, {"massimo", &q.Most}} {
		usual, _ := fare.ParsePrice(*typed.text, in)
		if p, ok := answer.ParsePrice(*typed.text, in, q.from, q.to); ok && p != usual {
			*typed.text = p.Short() + " " + p.Currency.String()
		}
		if p, ok := parsePrice(*typed.text, q.currency); ok && q.currency == "" {
			q.currency, q.currencyBy = p.Currency.String(), typed.name
		}
	}
	if q.currency == fare.EUR.String() {
		q.currency = ""
	}
}

func (t trip) seenEuro() (fare.Cents, bool) {
	p, ok := parsePrice(t.OwnPrice, "")
	return p.Amount, ok && p.Currency == fare.EUR
}

// most returns false if the typed price cannot be read, is higher than any fare, is 0, or is in a
// currency without an exchange rate.
func (s *Service) most(ctx context.Context, q question) (fare.Cents, bool, error) {
	if q.Most == "" {
		return 0, true, nil
	}
	p, ok := parsePrice(q.Most, q.currency)
	if !ok {
		return 0, false, nil
	}
	rates, err := s.Rates(ctx)
	euro, known := rates.Euro(float64(p.Amount)/100, p.Currency.String())
	return euro, known && euro > 0 && euro <= fare.MaxPrice, err
}

// useCurrency fails with answer.UnknownCurrency if the service has no exchange rate for the
// question's currency.
func (h home) useCurrency(ctx context.Context, q question, v *view) error {
	convert, err := h.Amounts(ctx, answer.Currency{Parameter: q.currencyBy, Code: q.currency})
	rates, unread := h.Rates(ctx)
	if err == nil && convert != nil {
		typed := typedIn(rates, q.currency, q.OwnPrice, q.Most)
		v.Currency = q.currency
		v.T = q.language.InCurrency(q.currency, func(euro fare.Cents) fare.Cents {
			if amount, ok := typed[euro]; ok {
				return amount
			}
			return convert(euro)
		})
	}
	codes := rates.Currencies()
	if v.Currency != "" && !slices.Contains(codes, v.Currency) {
		codes = append(codes, v.Currency)
	}
	if unread == nil && len(codes) > 1 {
		v.Currencies = append(v.Currencies, option{"", "EUR", v.Currency == ""})
		for _, code := range codes {
			if code != "EUR" {
				v.Currencies = append(v.Currencies, option{code, code, code == v.Currency})
			}
		}
	}
	return err
}

// typedIn lets the page show a typed 50 USD as 50, not as 49.99 after two conversions.
func typedIn(rates fare.Rates, currency string, texts ...string) map[fare.Cents]fare.Cents {
	typed := map[fare.Cents]fare.Cents{}
	for _, text := range texts {
		if p, ok := parsePrice(text, currency); ok && p.Currency.String() == currency {
			euro, _ := rates.Euro(float64(p.Amount)/100, currency)
			typed[euro] = p.Amount
		}
	}
	return typed
}

func (v *view) In() string {
	if v.Currency == "" {
		return "€"
	}
	return v.Currency
}
