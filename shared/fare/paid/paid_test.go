package paid_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/fare/paid"
)

const january = paid.Month(12 * 2026)

func origin(routes ...paid.Route) paid.Origin {
	return paid.Origin{Source: "anac", Currency: "BRL", Routes: routes}
}

func route(city fare.City, months ...paid.Sum) paid.Route {
	return paid.Route{Destination: city, Months: months}
}

// TestMean: the mean weighs each month by its seats.
func TestMean(t *testing.T) {
	o := origin(route("RIO", paid.Sum{january, 3, 30_000}, paid.Sum{january + 2, 1, 50_001}))
	want := paid.Mean{First: january, Last: january + 2, Price: 20_000, Seats: 4}
	if got, ok := o.Mean("RIO"); !ok || got != want {
		t.Errorf("%+v, %t; want %+v", got, ok, want)
	}
	if _, ok := o.Mean("BSB"); ok {
		t.Error("a mean of a route that is not recorded")
	}
	if got := january.String() + " " + (january - 1).String(); got != "2026-01 2025-12" {
		t.Error(got)
	}
}

// TestMerge: a month is replaced as a whole, also where the fresh record has no ticket of a route.
// Twelve calendar months up to a route's newest month are kept.
func TestMerge(t *testing.T) {
	had := origin(route("BSB", paid.Sum{january, 2, 200}), route("RIO", paid.Sum{january - 12, 1, 1},
		paid.Sum{january - 11, 1, 2}, paid.Sum{january, 5, 500}))
	fresh := origin(route("REC", paid.Sum{january, 7, 700}), route("RIO", paid.Sum{january, 6, 600}))
	want := origin(route("REC", paid.Sum{january, 7, 700}), route("RIO", paid.Sum{january - 11, 1, 2},
		paid.Sum{january, 6, 600}))
	got := had.Merge(fresh, []paid.Month{january})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got, got.Merge(fresh, []paid.Month{january})); diff != "" {
		t.Errorf("merged again: %s", diff)
	}
	other := paid.Origin{Source: "other", Currency: "USD", Routes: fresh.Routes}
	if diff := cmp.Diff(other, got.Merge(other, nil)); diff != "" {
		t.Errorf("of another source: %s", diff)
	}
}

// TestMergeInAnyOrder: the order in which months are merged changes nothing.
func TestMergeInAnyOrder(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	merged := func(order []int) (o paid.Origin) {
		for _, n := range order {
			month := january + paid.Month(n)
			o = o.Merge(origin(route("RIO", paid.Sum{month, int64(n + 1), fare.Cents(100 * n)})), []paid.Month{month})
		}
		return o
	}
	want := merged([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	if n := len(want.Routes[0].Months); n != paid.Kept {
		t.Errorf("%d months are kept", n)
	}
	for range 20 {
		order := chance.Perm(16)
		if diff := cmp.Diff(want, merged(order)); diff != "" {
			t.Errorf("in the order %v: %s", order, diff)
		}
	}
}

// busy returns the largest origin that there can be: all cities of Brazil, each in twelve months.
func busy() (o paid.Origin) {
	o = origin()
	for n := range 120 {
		r := route(fare.City([]byte{'A' + byte(n/26), 'A' + byte(n%26), 'X'}))
		for month := range paid.Month(paid.Kept) {
			r.Months = append(r.Months, paid.Sum{january + month, 40_000 + int64(n), 1_600_000_000})
		}
		o.Routes = append(o.Routes, r)
	}
	return o
}

// TestEncode: an origin is read as it was written, and a busy one needs less than 20 kB.
func TestEncode(t *testing.T) {
	for _, want := range []paid.Origin{{}, origin(), busy()} {
		data := want.Encode()
		got, err := paid.Decode(data)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
		if len(data) > 20_000 {
			t.Errorf("%d bytes", len(data))
		}
		for cut := range min(len(data), 300) {
			if _, err := paid.Decode(data[:cut]); err == nil {
				t.Fatalf("the first %d of %d bytes are taken for an origin", cut, len(data))
			}
		}
	}
}

// FuzzDecode: Decode does not panic on any input. Every Origin that it returns can be encoded.
func FuzzDecode(f *testing.F) {
	f.Add(busy().Encode())
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if o, err := paid.Decode(data); err == nil {
			if _, err := paid.Decode(o.Encode()); err != nil {
				t.Error(err)
			}
		}
	})
}
