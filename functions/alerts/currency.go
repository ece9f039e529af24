package alerts

import (
	"context"
	"errors"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// An alert with an amount in another currency stores it in euros, which are compared with fares,
// and as the reader typed it, for messages. Later the owner changes it in the same currency.

const euro = "EUR"

// maxStated is the highest amount in another currency. The cheapest unit is worth about EUR 0.00005.
const maxStated = 2_000_000_000

func (p *pendingSubscription) setCurrency(value string) *fault {
	c, err := fare.ParseCurrency(value)
	if err != nil {
		return &badCurrency
	}
	if p.currency = c.String(); p.currency == euro {
		p.currency = ""
	}
	return nil
}

var badCurrency = fault{field: "currency", text: "currency"}

func (p *pendingSubscription) readAmount(value string) (fare.Cents, bool) {
	if p.currency == "" {
		return parseThreshold(value)
	}
	return parseAmount(value, maxStated)
}

// fraction returns the fault of an amount with decimals in a currency without any.
func (p *pendingSubscription) fraction(name string, amount fare.Cents) *fault {
	in, err := fare.ParseCurrency(p.currency)
	if err != nil || !(fare.Money{Amount: amount, Currency: in}).HasFraction() {
		return nil
	}
	return &fault{field: name, text: "whole", fill: []any{"Currency", p.currency}}
}

// convert returns the fault of a currency without a rate, or of an amount that no alert can have. An
// alert that states no amount keeps its currency at the current rate, if that is known.
func (s *Service) convert(ctx context.Context, p *pendingSubscription) ([]fault, error) {
	if p.currency == "" {
		return nil, nil
	}
	rates, err := store.Fares{Table: s.Alerts.Table}.Rates(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	for name, amount := range map[string]*fare.Cents{"threshold": &p.threshold, "paid": &p.paid, "amount": &p.amount} {
		if *amount == 0 {
			continue
		}
		faults := []fault{badCurrency}
		cents, known := rates.Euro(float64(*amount)/100, p.currency)
		if known {
			faults = []fault{{field: name, text: name}}
		}
		if cents < 1 || cents > maxThreshold*100 {
			return faults, refusal(faults)
		}
		p.stated, *amount = *amount, cents
		return nil, nil
	}
	var known bool
	if p.rate, known = rates.Rate(p.currency); !known {
		p.currency = ""
	}
	return nil, nil
}
