package alerts

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// numbersOf lists the request fields that the owner can change later, by kind of alert.
var numbersOf = map[string][]string{
	store.Threshold: {"threshold"}, store.Verdict: {"threshold"}, store.Low: {"days"},
	store.Drop: {"percent", "amount"}, store.Paid: {"paid"},
}

// readNumbers reads the fields in the currency of the alert.
func readNumbers(a store.Alert, form url.Values) (p pendingSubscription, faults []fault) {
	in, err := fare.ParseCurrency(cmp.Or(a.Currency, euro))
	if err != nil {
		in = fare.EUR // no other code is stored
	}
	kind := a.Condition()
	p.currency = a.Currency
	if kind != store.Threshold && kind != store.Verdict { // a threshold is recognised by its value
		p.kind = kind
	}
	for _, name := range numbersOf[kind] {
		value := strings.TrimSpace(form.Get(name))
		if slices.Contains(amounts, name) {
			if price, ok := fare.ParsePrice(value, in); ok && price.Currency == in {
				value = price.Short()
			}
		}
		if f := p.set(name, value); f != nil {
			faults = append(faults, *f)
		}
	}
	if len(faults) == 0 {
		faults = p.check(0)
	}
	return p, faults
}

func (p pendingSubscription) number(a *store.Alert) {
	a.Currency, a.Stated, a.Rate = p.currency, p.stated, p.rate
	switch a.Condition() {
	case store.Threshold, store.Verdict:
		a.Threshold = p.threshold
	case store.Low:
		a.Days = cmp.Or(p.days, usualDays)
	case store.Drop:
		a.Percent, a.Amount = p.percent, p.amount
	case store.Paid:
		a.Threshold = p.paid
	}
}
