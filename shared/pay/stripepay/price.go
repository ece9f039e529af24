package stripepay

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stripe/stripe-go/v76"

	"verdetto/shared/pay"
)

// Stripe's documentation of oddCurrencies contradicts itself, so Price refuses these currencies.
var (
	wholeCurrencies = []string{"BIF", "CLP", "DJF", "GNF", "JPY", "KMF", "KRW", "MGA", "PYG", "RWF", "VND", "VUV",
		"XAF", "XOF", "XPF"}
	thousandCurrencies = []string{"BHD", "JOD", "KWD", "OMR", "TND"}
	oddCurrencies      = []string{"ISK", "UGX"}
)

type wirePrice struct {
	ID                string `json:"id"`
	Active            bool   `json:"active"`
	BillingScheme     string `json:"billing_scheme"`
	Currency          string `json:"currency"`
	UnitAmount        *int64 `json:"unit_amount"` // null for tiers and for fractions of a cent
	TaxBehavior       string `json:"tax_behavior"`
	TransformQuantity any    `json:"transform_quantity"`
	CustomUnitAmount  any    `json:"custom_unit_amount"`
	Recurring         *struct {
		Interval      string `json:"interval"`
		IntervalCount int    `json:"interval_count"`
		UsageType     string `json:"usage_type"`
	} `json:"recurring"`
}

func (c *Checkout) Price(ctx context.Context) (pay.Price, error) {
	body, err := c.call(ctx, "ask Stripe for a price", http.MethodGet, stripe.FormatURLPath("/v1/prices/%s", c.price),
		&stripe.PriceParams{}, pay.ErrRefused)
	if err != nil {
		return pay.Price{}, err
	}
	p, err := read[wirePrice](body, "price")
	if err != nil || p.ID != c.price {
		return pay.Price{}, fmt.Errorf("ask Stripe for a price: %w: the answer is not that price", pay.ErrUnavailable)
	}
	return p.price()
}

func (p wirePrice) price() (pay.Price, error) {
	wrong := func(what string) (pay.Price, error) {
		return pay.Price{}, fmt.Errorf("ask Stripe for a price: %w: %s", pay.ErrNoPrice, what)
	}
	switch {
	case !p.Active:
		return wrong("it is not active")
	case p.Recurring == nil || p.Recurring.UsageType != "" && p.Recurring.UsageType != "licensed":
		return wrong("it is not charged by the period")
	case !slices.Contains([]string{"day", "week", "month", "year"}, p.Recurring.Interval) ||
		p.Recurring.IntervalCount < 1:
		return wrong("its period is not known")
	case p.UnitAmount == nil || *p.UnitAmount < 0 || p.BillingScheme != "" && p.BillingScheme != "per_unit" ||
		p.TransformQuantity != nil || p.CustomUnitAmount != nil:
		return wrong("it has no amount")
	}
	currency := strings.ToUpper(p.Currency)
	if len(currency) != 3 || slices.Contains(oddCurrencies, currency) {
		return wrong("its currency is not known")
	}
	return pay.Price{
		Amount: decimal(*p.UnitAmount, decimals(currency)), Currency: currency,
		Every: p.Recurring.Interval, Count: p.Recurring.IntervalCount, PlusTax: p.TaxBehavior == "exclusive",
	}, nil
}

func decimals(currency string) int {
	switch {
	case slices.Contains(wholeCurrencies, currency):
		return 0
	case slices.Contains(thousandCurrencies, currency):
		return 3
	}
	return 2
}

// decimal(1299, 2) is "12.99".
func decimal(amount int64, decimals int) string {
	text := strconv.FormatInt(amount, 10)
	if decimals == 0 {
		return text
	}
	if missing := decimals + 1 - len(text); missing > 0 {
		text = strings.Repeat("0", missing) + text
	}
	return text[:len(text)-decimals] + "." + text[len(text)-decimals:]
}
