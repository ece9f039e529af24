package trends

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

func TestCheapest(t *testing.T) {
	e := Entry{AsOf: 100, Live: []Live{{Depart: 101, Price: 5}, {Depart: 104, Price: 7}}}
	for today, want := range map[fare.Day]fare.Cents{99: 0, 100: 5, 101: 5, 102: 7, 104: 7, 105: 0, 108: 0} {
		got, ok := e.Cheapest(today)
		if got.Price != want || ok != (want > 0) {
			t.Errorf("on day %d: %v %v, want %d", today, got, ok, want)
		}
	}
	e.Live = []Live{{Depart: 300, Price: 9}}
	for today, want := range map[fare.Day]bool{107: true, 108: false} {
		if _, ok := e.Cheapest(today); ok != want {
			t.Errorf("on day %d: %v", today, ok)
		}
	}
}

func TestMergeRanks(t *testing.T) {
	o := Origin{}.Merge([]Entry{{Destination: "BUH", Observations: 5}, {Destination: "LON", Observations: 9}})
	o = o.Merge([]Entry{{Destination: "PAR", Observations: 5}, {Destination: "BUH", Observations: 50}})
	var got []fare.City
	for _, e := range o.Entries {
		got = append(got, e.Destination)
	}
	if diff := cmp.Diff([]fare.City{"BUH", "LON", "PAR"}, got); diff != "" {
		t.Error(diff)
	}
	if e, ok := o.Entry("BUH"); !ok || e.Observations != 50 {
		t.Errorf("%+v %v", e, ok)
	}
	if _, ok := o.Entry("ROM"); ok {
		t.Error("a destination that is not there was found")
	}
}

func entries(n int) (all []Entry) {
	for n := range n {
		e := Entry{Destination: fare.City([]byte{byte('A' + n/676), byte('A' + n/26%26), byte('A' + n%26)}), AsOf: 20000,
			Newest: 1728000000 + int64(n*977), Observations: 7 * n, Median: fare.Cents(4000 + 13*n), Minimum: 1500,
			Sample: n, Previous: fare.Cents(n % 2 * 3000),
			Live: []Live{{Depart: 20010, Price: fare.Cents(3000 + 7*n), Found: 1728000000, Level: "buono",
				Certainty: "alta", Percentile: n % 100}, {Depart: 20011, Price: 9000, Found: 1728000000 - int64(n)}},
			Months: []verdict.Month{}}
		for m := range 12 {
			e.Months = append(e.Months, verdict.Month{Month: m + 1, Median: fare.Cents(4000 + 31*n*m%5000),
				Minimum: fare.Cents(2000 + 17*n*m%3000), Sample: n + m})
		}
		all = append(all, e)
	}
	return all
}

func TestEncode(t *testing.T) {
	want := Origin{}.Merge(entries(300))
	data := want.Encode()
	if len(data) > 40_000 {
		t.Errorf("%d bytes for 300 destinations", len(data))
	}
	got, err := Decode(data)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, bad := range [][]byte{nil, {}, {9}, data[:len(data)/2], {format, 1, 2, 3}} {
		if _, err := Decode(bad); err == nil {
			t.Errorf("%d bytes of nonsense were read", len(bad))
		}
	}
}
