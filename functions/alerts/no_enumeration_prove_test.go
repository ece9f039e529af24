package alerts_test

import (
	"fmt"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

func TestProveAskingTellsNothing(t *testing.T) {
	table, clock := fixture.OpenStore(t)
	const each, oneWriteMore = 100, "given-one-write-more"
	s := fixture.Open(t, table, clock)
	kinds := []string{unknown, oneWriteMore, subscribed, stopped, full}
	if _, fast := table.(*boltstore.Store); !fast {
		kinds = kinds[:4] // stores other than bbolt are slow, so one kind is left out
	}
	prepare(t, s, 3*each, kinds...)
	until := clock.Now().AddDate(1, 0, 0)
	fixture.TakeAlikeLong(t, kinds, each, func(kind string, n int) {
		if a := ask(s, address(kind, n)); a.Status != 202 {
			t.Fatalf("%s: %d %s", kind, a.Status, a.Body)
		}
		if kind == oneWriteMore {
			if _, err := table.Take(t.Context(), store.Key{Partition: "MORE", Sort: fmt.Sprint(n)}, 1, 1,
				until); err != nil {
				t.Fatal(err)
			}
		}
	})
}
