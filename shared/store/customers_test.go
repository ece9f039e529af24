package store_test

import (
	"errors"
	"testing"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

// Whichever storage call fails, one payment issues exactly one key, and the caller receives it.
func TestIssueOnceWithFaults(t *testing.T) {
	open := func(t *testing.T) store.Table { return openAlerts(t).Table }
	n := storetest.EachFault(t, open, (*storetest.Faulty).FailOnce, func(t *testing.T, f *storetest.Faulty) {
		text, err := issueOnce(t.Context(), store.Customers{Table: f}, "payment/1")
		storetest.Must(t, err)
		sound := store.Customers{Table: f.Table}
		key, ok := apikey.Parse(text)
		c, err := sound.Customer(t.Context(), ada)
		if !ok || err != nil || !c.HasKey(key) || c.Version != 1 {
			t.Errorf("%q is valid: %v; version %d, %v", text, ok && c.HasKey(key), c.Version, err)
		}
		if again, err := issueOnce(t.Context(), sound, "payment/1"); !errors.Is(err, store.ErrIssued) || again != "" {
			t.Errorf("the payment issued another key: %v", err)
		}
	})
	t.Logf("%d combinations", n)
}
