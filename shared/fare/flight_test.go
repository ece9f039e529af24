package fare

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func flight(from, to, airline string, minutes int16) Flight {
	f := Flight{Minutes: minutes}
	f.From, _ = ParseAirport(from)
	f.To, _ = ParseAirport(to)
	f.Airline, _ = ParseAirline(airline)
	return f
}

func year(weeks int, withStops float64, price func(*rand.Rand) Cents) (all []Observation) {
	chance := rand.New(rand.NewPCG(35, uint64(weeks)))
	pairs := []Flight{flight("BGY", "STN", "FR", 125), flight("MXP", "LGW", "U2", 120), flight("LIN", "LHR", "BA", 130),
		flight("MXP", "STN", "FR", 125)}
	for week := range Day(weeks) {
		for depart := range Day(300) {
			day := 20000 + 7*week + Day(chance.IntN(7))
			o := Observation{Found: day.Time().Unix(), DayOnly: true, Depart: day + depart + 1, Price: price(chance),
				Stops: NonStop, Flight: pairs[chance.IntN(len(pairs))]}
			o.Flight.Minutes += 5 * int16(chance.IntN(3))
			if chance.Float64() < withStops {
				o.Stops, o.Flight.Minutes = OneStop, 300+5*int16(chance.IntN(120))
			}
			all = append(all, o)
		}
	}
	return Set(all)
}

func size(observations []Observation) (n int) {
	for _, b := range Blocks(observations) {
		n += len(b.Data)
	}
	return n
}

func TestFlightsFit(t *testing.T) {
	euros := func(chance *rand.Rand) Cents { return Cents(100 * (19 + chance.IntN(180))) }
	for _, c := range []struct {
		name  string
		share float64
		price func(*rand.Rand) Cents
	}{
		{"non-stop, whole units", 0, euros},
		{"non-stop, ending in 99", 0, func(chance *rand.Rand) Cents { return euros(chance) - 1 }},
		{"non-stop, any cents", 0, func(chance *rand.Rand) Cents { return euros(chance) + Cents(chance.IntN(100)) }},
		{"a third with stops, whole units", .33, euros},
		{"all with stops, whole units", 1, euros},
	} {
		all := year(52, c.share, c.price)
		with := size(all)
		for i := range all {
			all[i].Flight = Flight{}
		}
		without := size(all)
		growth := 100 * (float64(with)/float64(without) - 1)
		t.Logf("%s: %d fares in %d bytes without flights, %d with: %+.1f %%", c.name, len(all), without, with, growth)
		if growth > 15 {
			t.Errorf("%s: %+.1f %%", c.name, growth)
		}
	}
}

func TestFlightsArePacked(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	airports := []string{"BGY", "MXP", "STN", "LTN", "AAA", "ZZZ", ""}
	airlines := []string{"FR", "U2", "00", "9C", "ZZ", ""}
	currencies := []Currency{EUR, mustCurrency("GBP"), mustCurrency("HUF")}
	pick := func(values []string) string { return values[chance.IntN(len(values))] }
	for _, n := range []int{1, 2, 50, 3000} {
		var all []Observation
		for range n {
			day := Day(20000 + chance.IntN(7))
			o := Observation{Found: day.Time().Unix() + chance.Int64N(86400), Depart: day + Day(chance.IntN(MaxLead)),
				Price: Cents(1 + chance.IntN(90_000)), Currency: currencies[chance.IntN(3)],
				Stops:  Stops(chance.IntN(4)),
				Nights: int16(chance.IntN(3)), Flight: flight(pick(airports), pick(airports), pick(airlines),
					[]int16{0, 1, MaxMinutes, int16(chance.IntN(MaxMinutes))}[chance.IntN(4)])}
			all = append(all, o)
		}
		all[0].Flight = flight("BGY", "STN", "FR", 125)
		all = Set(all)
		var got []Observation
		for _, b := range Blocks(all) {
			var err error
			if got, err = Unpack(got, b.Data); err != nil {
				t.Fatal(err)
			}
			for range 300 {
				spoiled := append([]byte(nil), b.Data...)
				spoiled[chance.IntN(len(spoiled))] ^= 1 << chance.IntN(8)
				_, _ = Unpack(nil, spoiled[:chance.IntN(len(spoiled)+1)])
			}
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("%d fares: %s", n, diff)
		}
	}
}

func TestSetKeepsFlights(t *testing.T) {
	day := Day(20000)
	none := Flight{}
	known, less := flight("BGY", "STN", "FR", 125), flight("", "", "FR", 0)
	with := func(f Flight, dayOnly bool) Observation {
		o := Observation{Found: day.Time().Unix() + 3600, Depart: day + 9, Price: 3900, Stops: NonStop, Flight: f}
		if dayOnly {
			o.Found, o.DayOnly = day.Time().Unix(), true
		}
		return o
	}
	for name, c := range map[string]struct {
		in   []Observation
		want Observation
	}{
		"an earlier one without its flight": {[]Observation{with(none, true), with(known, true)}, with(known, true)},
		"one that knows less":               {[]Observation{with(less, true), with(known, true)}, with(known, true)},
		"the moment by another question":    {[]Observation{with(known, true), with(none, false)}, with(known, false)},
		"both say something":                {[]Observation{with(known, true), with(less, false)}, with(less, false)},
	} {
		for _, in := range [][]Observation{{c.in[0], c.in[1]}, {c.in[1], c.in[0]}} {
			if diff := cmp.Diff([]Observation{c.want}, Set(in)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

func TestCodes(t *testing.T) {
	for _, bad := range []string{"", "bgy", "BG", "BGYY", "BG1", "ÄÖ"} {
		if a, err := ParseAirport(bad); err == nil {
			t.Errorf("%q is the airport %s", bad, a)
		}
	}
	for _, bad := range []string{"", "F", "fr", "RYR", "ЮТ", "F-"} {
		if a, err := ParseAirline(bad); err == nil {
			t.Errorf("%q is the airline %s", bad, a)
		}
	}
}
