package wording

import (
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

const nonStop, oneStop = fare.NonStop, fare.OneStop

func price(from, to, airline string, minutes int16, stops fare.Stops, nights int16) verdict.Live {
	f := fare.Flight{Minutes: minutes}
	f.From, _ = fare.ParseAirport(from)
	f.To, _ = fare.ParseAirport(to)
	f.Airline, _ = fare.ParseAirline(airline)
	return verdict.Live{Flight: f, Stops: stops, Nights: nights}
}

func TestFlight(t *testing.T) {
	full := price("BGY", "STN", "FR", 125, nonStop, 0)
	for want, p := range map[string]verdict.Live{
		"easyJet, Linate–Gatwick, Direktflug, 1\u00a0Std.\u00a050\u00a0Min.": price("LIN", "LGW", "U2", 110,
			nonStop, 0),
		"Linate–Gatwick.":                         price("LIN", "LGW", "", 0, fare.StopsUnknown, 0),
		"2 oder mehr Zwischenstopps, 7\u00a0Std.": price("", "", "", 420, fare.MoreStops, 0),
		"Hinflug: easyJet, Linate–Gatwick, Direktflug, 1\u00a0Std.\u00a050\u00a0Min.": price("LIN", "LGW", "U2",
			110, nonStop, 1),
		"": price("", "", "", 0, nonStop, 0),
	} {
		if got := FlightSentence(i18n.ForCode("de"), p); got != want {
			t.Errorf("sentence %q, want %q", got, want)
		}
	}
	for lang, want := range map[string]string{
		"en": "Ryanair, Bergamo–Stansted, non-stop, 2\u00a0h\u00a05\u00a0min",
		"it": "Ryanair, Bergamo–Stansted, diretto, 2\u00a0h\u00a05\u00a0min",
		"fr": "Ryanair, Bergame–Stansted, vol direct, 2\u00a0h\u00a05\u00a0min",
		"de": "Ryanair, Bergamo–Stansted, Direktflug, 2\u00a0Std.\u00a05\u00a0Min.",
		"es": "Ryanair, Bérgamo–Stansted, directo, 2\u00a0h\u00a05\u00a0min",
		"pt": "Ryanair, Bérgamo–Stansted, voo direto, 2\u00a0h\u00a05\u00a0min",
	} {
		if got := Flight(i18n.ForCode(lang), full); got != want {
			t.Errorf("%s: %q, want %q", lang, got, want)
		}
	}
	const back = 5
	en := i18n.ForCode("en")
	for want, p := range map[string]verdict.Live{
		"": price("", "", "", 0, nonStop, 0), // the stops alone are said elsewhere
		"Turkish Airlines, Malpensa–Sabiha Gökçen, 1\u00a0stop, 7\u00a0h": price("MXP", "SAW", "TK", 420, oneStop, 0),
		"2 or more stops, 55\u00a0min":                                    price("", "", "", 55, fare.MoreStops, 0),
		"Q9":                                                              price("BGY", "", "Q9", 0, fare.StopsUnknown, 0),
		"outbound: Ryanair, Bergamo–Stansted, non-stop, 2\u00a0h\u00a05\u00a0min": price("BGY", "STN", "FR", 125,
			nonStop, back),
		"outbound: Ryanair, Bergamo–Stansted, 2\u00a0h\u00a05\u00a0min": price("BGY", "STN", "FR", 125,
			oneStop, back),
	} {
		if got := Flight(en, p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
