package alerts

import (
	"context"
	"errors"

	"verdetto/shared/fare"
	"verdetto/shared/store"
)

// An amount in another currency than the euro is stored twice: in euros, for comparison with fares,
// and as it was typed, for messages.

func (s *Service) convert(ctx context.Context, p *request) ([]fault, error) {
	if p.Currency == "" {
		return nil, nil
	}
	rates, err := store.Fares{Table: s.Alerts.Table}.Rates(ctx)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	for name, amount := range map[string]*fare.Cents{"threshold": &p.Threshold, "paid": &p.paid, "amount": &p.Amount} {
		if *amount == 0 {
			continue
		}
		faults := []fault{{field: "currency", text: "currency"}}
		cents, known := rates.Euro(float64(*amount)/100, p.Currency)
		if known {
			faults = []fault{{field: name, text: name}}
		}
		if cents < 1 || cents > maxThreshold*100 {
			return faults, refusal(faults)
		}
		p.Stated, *amount = *amount, cents
		return nil, nil
	}
	var known bool
	if p.Rate, known = rates.Rate(p.Currency); !known {
		p.Currency = ""
	}
	return nil, nil
}
