package verdict

import (
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

func TestOfAirlines_Currencies(t *testing.T) {
	huf, err := fare.ParseCurrency("HUF")
	if err != nil {
		t.Fatal(err)
	}
	day, ryanair := fare.Day(20_000), fare.Airline{'F', 'R'}
	live := func(price fare.Cents, airline fare.Airline) departure.Live {
		return departure.Live{Depart: day + 30, Price: price, Found: day.Time().Unix(), Flight: fare.Flight{Airline: airline}}
	}
	s := RouteSummary{AsOf: day, Currency: fare.EUR, PerEuro: 1}
	state := &departure.State{Currency: huf, PerEuro: 400,
		Live: []departure.Live{live(1_000_000, fare.Airline{'W', '6'}), live(1_600_000, ryanair)}}
	got := s.OfAirlines(fare.OnlyAirlines([]fare.Airline{ryanair}), state).Live
	if len(got) != 1 || got[0].Price != 4000 || got[0].Quoted != (fare.Money{Amount: 1_600_000, Currency: huf}) {
		t.Errorf("%+v, want 40 euros, quoted as 16,000 forints", got)
	}
}
