package store_test

import (
	"errors"
	"slices"
	"testing"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

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

func TestMove_Changed(t *testing.T) {
	var changed []apikey.CustomerID
	customers := store.Customers{Table: openAlerts(t).Table}
	storetest.Must(t, customers.Put(t.Context(), store.Customer{ID: ada}))
	customers.Changed = func(id apikey.CustomerID) { changed = append(changed, id) }
	bob := apikey.CustomerIDOf([]byte("pepper"), "bob@example.com")
	_, err := customers.Move(t.Context(), ada, bob, noon, func(store.Customer) []store.LeftJob { return nil })
	if err != nil || !slices.Contains(changed, bob) {
		t.Errorf("changed are %v, %v", changed, err)
	}
}
