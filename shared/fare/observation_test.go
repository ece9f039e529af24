package fare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSetDropsDuplicates(t *testing.T) {
	day := Day(20000)
	midnight := day.Time().Unix()
	exact := Observation{Found: midnight + 3600, Depart: day + 9, Price: 3900, Stops: NonStop}
	with := func(change func(*Observation)) Observation {
		o := exact
		change(&o)
		return o
	}
	onDay := with(func(o *Observation) { o.Found, o.DayOnly = midnight, true })
	unknown := with(func(o *Observation) { o.Stops = StopsUnknown })
	vague := with(func(o *Observation) { o.Found, o.DayOnly, o.Stops = midnight, true, StopsUnknown })
	dayBefore := with(func(o *Observation) { o.Found, o.DayOnly = midnight-86400, true })
	dearer := with(func(o *Observation) { o.Found, o.DayOnly, o.Price = midnight, true, 4000 })
	for _, c := range []struct {
		name string
		in   []Observation
		want []Observation
	}{
		{"nothing", nil, nil},
		{"repeated", []Observation{exact, exact}, []Observation{exact}},
		{"the day alone", []Observation{onDay, exact}, []Observation{exact}},
		{"the day alone, in other order", []Observation{exact, onDay}, []Observation{exact}},
		{"the day alone, alone", []Observation{onDay, onDay}, []Observation{onDay}},
		{"stops not known", []Observation{unknown, exact}, []Observation{exact}},
		{"neither is known", []Observation{vague, exact}, []Observation{exact}},
		{"another day", []Observation{dayBefore, exact}, []Observation{dayBefore, exact}},
		{"another moment of the day", []Observation{exact, with(func(o *Observation) { o.Found++ })},
			[]Observation{exact, with(func(o *Observation) { o.Found++ })}},
		{"another price", []Observation{dearer, exact}, []Observation{dearer, exact}},
		{"another currency", []Observation{onDay, with(func(o *Observation) { o.Currency = mustCurrency("HUF") })},
			[]Observation{onDay, with(func(o *Observation) { o.Currency = mustCurrency("HUF") })}},
		{"another stay", []Observation{with(func(o *Observation) { o.Nights = 3 }), unknown},
			[]Observation{unknown, with(func(o *Observation) { o.Nights = 3 })}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Set(c.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTrips(t *testing.T) {
	for nights, want := range map[int]string{0: "", 1: "1-3", 3: "1-3", 4: "4-7", 7: "4-7", 8: "8-14", 14: "8-14",
		15: "15+", MaxNights: "15+"} {
		if got := TripOf(nights).String(); got != want {
			t.Errorf("%d nights: %q, want %q", nights, got, want)
		}
	}
	for _, trip := range Trips() {
		if got, err := ParseTrip(trip.String()); err != nil || got != trip {
			t.Errorf("%q reads as %v, %v", trip, got, err)
		}
		from, to := trip.Nights()
		if TripOf(from) != trip || TripOf(to) != trip {
			t.Errorf("%q is not of %d to %d nights", trip, from, to)
		}
	}
	if _, err := ParseTrip("2"); err == nil {
		t.Error("2 is a kind of trip")
	}
	route := Route{"MIL", "BUH"}
	for trip, want := range map[Trip]string{OneWay: "MIL-BUH", Return4to7: "MIL-BUH#4-7"} {
		if got := (Series{Route: route, Trip: trip}).String(); got != want {
			t.Errorf("series %q, want %q", got, want)
		}
		if got, err := ParseSeries(want); err != nil || got != (Series{Route: route, Trip: trip}) {
			t.Errorf("series %q reads as %v, %v", want, got, err)
		}
	}
	for _, name := range []string{"MIL-LON@BGY-STN", "MIL-LON@BGY-#4-7", "IST-LON@-STN"} {
		if got, err := ParseSeries(name); err != nil || got.String() != name || got.Airports == (Airports{}) ||
			got.OfCities().Airports != (Airports{}) {
			t.Errorf("series %q reads as %v, %v", name, got, err)
		}
	}
	for _, bad := range []string{"", "MIL", "MIL-BUH#", "MIL-BUH#2", "#4-7", "MIL-BUH#4-7#4-7",
		"MIL-LON@", "MIL-LON@-", "MIL-LON@BGY", "MIL-LON@bgy-STN", "MIL@BGY-STN", "MIL-LON@BGY-STN-X"} {
		if s, err := ParseSeries(bad); err == nil {
			t.Errorf("%q reads as series %v", bad, s)
		}
	}
}

func TestStops(t *testing.T) {
	for n, want := range map[int]Stops{-1: StopsUnknown, -5: StopsUnknown, 0: NonStop, 1: OneStop, 2: MoreStops,
		7: MoreStops} {
		if got := StopsOf(n); got != want {
			t.Errorf("StopsOf(%d) = %d, want %d", n, got, want)
		}
	}
	if n, known := NonStop.Number(); n != 0 || !known {
		t.Errorf("non-stop has %d stops, %v", n, known)
	}
	if _, known := StopsUnknown.Number(); known {
		t.Error("what is not known is known")
	}
}

func TestCurrencies(t *testing.T) {
	for _, code := range []string{"EUR", "AAA", "ZZZ", "HUF"} {
		c, err := ParseCurrency(code)
		if err != nil || c.String() != code {
			t.Errorf("%s reads as %s, %v", code, c, err)
		}
		if back, ok := UnpackCurrency(c.Pack()); !ok || back != c {
			t.Errorf("%s is packed as %d, which is %s, %v", code, c.Pack(), back, ok)
		}
	}
	for _, bad := range []string{"", "EU", "eur", "EUR ", "€", "E1R"} {
		if c, err := ParseCurrency(bad); err == nil {
			t.Errorf("%q reads as %s", bad, c)
		}
	}
	if _, ok := UnpackCurrency(26*26*26 + 1); ok {
		t.Error("a number that is no currency reads as one")
	}
}
