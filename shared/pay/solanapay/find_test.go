package solanapay_test

import (
	"errors"
	"strings"
	"testing"

	"verdetto/shared/pay"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/runtime/faulttest"
)

func TestFind(t *testing.T) {
	nodes, chain := world(t, 2)
	reference := pay.Reference{1, 2, 3}
	named := due
	named.Reference = reference.String()
	find := func() []pay.Signature {
		t.Helper()
		found, err := chain.Find(t.Context(), reference)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	nodes[0].Pay(due)
	if found := find(); found != nil {
		t.Errorf("%d are found of none", len(found))
	}
	lost := named
	lost.Failed = true
	nodes[0].Pay(lost)
	processed := nodes[0].Send(named)
	if found := find(); found != nil {
		t.Errorf("one that failed or may vanish is found: %v", found)
	}
	nodes[0].Advance(processed, playmoney.Confirmed)
	second := nodes[0].Pay(named)
	if found := find(); len(found) != 2 || found[0] != processed || found[1] != second {
		t.Errorf("%v", found)
	}
	for range 30 {
		nodes[0].Pay(named)
	}
	if found := find(); found[0] != processed {
		t.Errorf("%d copies hide the first payment", len(found))
	}
	for range 2 * pay.MaxFound {
		nodes[0].Pay(named)
	}
	if found := find(); len(found) != pay.MaxFound {
		t.Errorf("%d are found", len(found))
	}
	if payment, err := chain.Payment(t.Context(), second); err != nil || payment.Units != 12_990_000 {
		t.Errorf("%+v %v", payment, err)
	}

	other := pay.Reference{4}
	named.Reference = other.String()
	third := nodes[1].Pay(named)
	for _, how := range []string{"lags", "is down"} {
		faulttest.Break(nodes[0]).Down(how == "is down")
		if found, err := chain.Find(t.Context(), other); err != nil || len(found) != 1 || found[0] != third {
			t.Errorf("the first node %s: %v %v", how, found, err)
		}
	}
	faulttest.Break(nodes[1]).Down(true)
	if _, err := chain.Find(t.Context(), other); !errors.Is(err, pay.ErrUnavailable) ||
		strings.Contains(err.Error(), "secret") {
		t.Errorf("both are down: %v", err)
	}
	faulttest.Break(nodes[0]).Down(false)
	if found, err := chain.Find(t.Context(), other); err != nil || found != nil {
		t.Errorf("one knows of none: %v %v", found, err)
	}
	for _, answer := range []string{`{"result":{}}`, `{"result":[{"signature":"short"}]}`,
		`{"error":{"code":-32005,"message":"node is behind"}}`, `<html>`} {
		faulttest.Break(nodes[0]).Fail(faulttest.Garbled(answer))
		if found, err := chain.Find(t.Context(), reference); !errors.Is(err, pay.ErrUnavailable) || found != nil {
			t.Errorf("%s: %v %v", answer, found, err)
		}
	}
}
