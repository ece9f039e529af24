package store_test

import (
	"path/filepath"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

func TestAfterAClockThatWasAhead(t *testing.T) {
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), clock.Now, boltstore.Scratch)
	storetest.Must(t, err)
	defer table.Close()
	ahead := func() time.Time { return clock.Now().AddDate(1, 0, 0) }
	storetest.Must(
		t,
		(&store.Lease{
			Table: table, Name: store.MailLease, Holder: "gone", Duration: time.Minute, Now: ahead,
		}).Hold(t.Context()),
	)
	if err := (&store.Lease{
		Table: table, Name: store.MailLease, Holder: "next", Duration: time.Minute, Now: clock.Now,
	}).Hold(t.Context()); err != nil {
		t.Error(err)
	}
	fares, most := store.Fares{Table: table}, clock.Now().AddDate(0, 0, 9)
	series := fare.Series{Route: fare.Route{Origin: "MIL", Destination: "BUH"}}
	for at, want := range map[time.Time]int{ahead(): 0, clock.Now().AddDate(0, 0, 8): 1} {
		storetest.Must(t, fares.NoteDemand(t.Context(), series, at))
		storetest.Must(t, fares.RequestOrigin(t.Context(), "ROM", at))
		demanded, err := fares.Demanded(t.Context(), most)
		if err != nil || len(demanded) != want {
			t.Errorf("in demand until %v: %v %v", at, demanded, err)
		}
		requested, err := fares.RequestedOrigins(t.Context(), most)
		if err != nil || len(requested) != want {
			t.Errorf("requested until %v: %v %v", at, requested, err)
		}
	}
}
