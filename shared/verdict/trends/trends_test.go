package trends

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
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

func TestEncode(t *testing.T) {
	var all []Entry
	for n := range 300 {
		e := Entry{Destination: fare.City([]byte{'A', byte('A' + n/26), byte('A' + n%26)}), AsOf: 20000,
			Observations: 7 * n, Median: fare.Cents(4000 + 13*n),
			Live:   []Live{{Depart: 20010, Price: fare.Cents(3000 + 7*n), Found: 1728000000 + int64(n*977)}},
			Months: []Month{}}
		for m := range 12 {
			e.Months = append(e.Months, Month{m + 1, fare.Cents(4000 + 31*n*m%5000),
				fare.Cents(2000 + 17*n*m%3000), n + m})
		}
		all = append(all, e)
	}
	want := Origin{}.Merge(all)
	data, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d destinations take %d bytes", len(all), len(data))
	if len(data) > 100_000 {
		t.Errorf("%d bytes for 300 destinations", len(data))
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, bad := range [][]byte{nil, {}, {9}, data[:len(data)/2], {encodingVersion, 1, 2, 3}} {
		if _, err := Decode(bad); err == nil {
			t.Errorf("%d bytes of nonsense were read", len(bad))
		}
	}
}
