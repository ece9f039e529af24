package page

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
)

// Readers type prices in their own currency and can choose the currency of the page. The page
// address keeps the choice. If the address has no currency, a typed price such as $50 sets the
// page's currency.

// price is an amount that the reader typed, in hundredths of its currency.
type price struct {
	cents    fare.Cents
	currency string
}

// amount matches a price as people write it: 45, 45.50, 45,50, € 45, 45 euro, $50, 50 USD.
var amount = regexp.MustCompile(`^([^0-9]*)([0-9]{1,9})(?:[.,]([0-9]{1,2}))?([^0-9]*)$`)

// signs maps the sign of a currency to the codes that it can mean, the most likely first.
var signs = map[string][]string{
	"€": {"EUR"}, "EURO": {"EUR"}, "EUROS": {"EUR"}, "£": {"GBP"}, "₹": {"INR"}, "₺": {"TRY"}, "₪": {"ILS"},
	"₩": {"KRW"},
	"₱": {"PHP"}, "฿": {"THB"}, "R$": {"BRL"}, "ZŁ": {"PLN"}, "KČ": {"CZK"}, "FT": {"HUF"}, "LEI": {"RON"},
	"FR": {"CHF"}, "FR.": {"CHF"}, "SFR.": {"CHF"}, "¥": {"JPY", "CNY"}, "KR": {"SEK", "NOK", "DKK", "ISK"},
	"$": {"USD", "AUD", "CAD", "HKD", "MXN", "NZD", "SGD"}, "US$": {"USD"},
}

// parsePrice parses a typed price. If the text has no currency, the price is in the currency
// chosen. If chosen is empty, it is in euros.
func parsePrice(text, chosen string) (p price, ok bool) {
	m := amount.FindStringSubmatch(text)
	if m == nil {
		return p, false
	}
	cents, err := strconv.Atoi(m[2] + (m[3] + "00")[:2])
	p.cents = fare.Cents(cents)
	sign := strings.ToUpper(strings.TrimSpace(m[1]) + strings.TrimSpace(m[4]))
	can := signs[sign]
	switch {
	case err != nil:
		return p, false
	case sign == "" && chosen == "":
		p.currency = "EUR"
	case sign == "" || slices.Contains(can, chosen):
		p.currency = chosen
	case len(can) > 0:
		p.currency = can[0]
	default:
		_, err = fare.ParseCurrency(sign)
		p.currency = sign
	}
	return p, err == nil
}

// SeenPrice writes the price that the reader has seen with its currency, or returns "" without one.
func (v view) SeenPrice() string {
	p, ok := parsePrice(v.Trip.OwnPrice, v.Currency)
	switch {
	case !ok:
		return v.Trip.OwnPrice
	case p.cents%100 == 0:
		return v.T.Price(strconv.Itoa(int(p.cents/100)), p.currency)
	}
	return v.T.Price(fmt.Sprintf("%d.%02d", p.cents/100, p.cents%100), p.currency)
}

// chooseCurrency sets the page's currency, and the name of the parameter that chose the currency.
func (q *question) chooseCurrency() {
	q.currency, q.currencyBy = strings.ToUpper(q.currency), "valuta"
	for _, typed := range []field{{"visto", &q.OwnPrice}, {"massimo", &q.Most}} {
		if p, ok := parsePrice(*typed.text, q.currency); ok && q.currency == "" {
			q.currency, q.currencyBy = p.currency, typed.name
		}
	}
	if q.currency == fare.EUR.String() {
		q.currency = ""
	}
}

// seenEuro returns the fare that the reader has seen, in EUR cents. It returns false if that fare
// is not in euros.
func (t trip) seenEuro() (fare.Cents, bool) {
	p, ok := parsePrice(t.OwnPrice, "")
	return p.cents, ok && p.currency == fare.EUR.String()
}

// most parses the highest fare that the reader wants to see in a list. It returns EUR cents, or 0
// if the reader typed no amount. It returns false if no fare can have the typed price.
func (s *Service) most(ctx context.Context, q question) (fare.Cents, bool, error) {
	if q.Most == "" {
		return 0, true, nil
	}
	p, ok := parsePrice(q.Most, q.currency)
	if !ok {
		return 0, false, nil
	}
	rates, err := s.Rates(ctx)
	euro, known := rates.Euro(float64(p.cents)/100, p.currency)
	return euro, known && euro > 0 && euro <= fare.MaxPrice, err
}

// wholeOnly lists the currencies in which people do not use hundredths.
var wholeOnly = []string{"HUF", "IDR", "ISK", "JPY", "KRW", "PHP"}

// useCurrency shows the page's amounts in the currency of the question. It fails with
// answer.UnknownCurrency if the service has no exchange rate for the currency.
func (h home) useCurrency(ctx context.Context, q question, v *view) error {
	convert, err := h.Amounts(ctx, answer.Currency{Parameter: q.currencyBy, Code: q.currency})
	if err == nil && convert != nil {
		v.Currency = q.currency
		v.T = q.language.InCurrency(q.currency, func(euro fare.Cents) fare.Cents {
			if slices.Contains(wholeOnly, q.currency) {
				return (convert(euro) + 50) / 100 * 100
			}
			return convert(euro)
		})
	}
	rates, unread := h.Rates(ctx)
	if codes := rates.Currencies(); unread == nil && len(codes) > 1 {
		v.Currencies = append(v.Currencies, option{"", "EUR", v.Currency == ""})
		for _, code := range codes {
			if code != "EUR" {
				v.Currencies = append(v.Currencies, option{code, code, code == v.Currency})
			}
		}
	}
	return err
}

// In returns the sign of the page's currency, for labels of price fields.
func (v view) In() string {
	if v.Currency == "" {
		return "€"
	}
	return v.Currency
}
