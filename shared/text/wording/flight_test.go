package wording

import (
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

const nonStop, oneStop = fare.NonStop, fare.OneStop

func price(from, to, airline string, minutes int16, stops fare.Stops, back string) verdict.Prezzo {
	f := fare.Flight{Minutes: minutes}
	f.From, _ = fare.ParseAirport(from)
	f.To, _ = fare.ParseAirport(to)
	f.Airline, _ = fare.ParseAirline(airline)
	p := verdict.Prezzo{Volo: verdict.VoloOf(f), Ritorno: back}
	if n, known := stops.Number(); known {
		p.Soste = &n
	}
	return p
}

func TestFlight(t *testing.T) {
	full := price("BGY", "STN", "FR", 125, nonStop, "")
	for want, p := range map[string]verdict.Prezzo{
		"easyJet, Linate–Gatwick, Direktflug, 1\u00a0Std.\u00a050\u00a0Min.": price("LIN", "LGW", "U2", 110,
			nonStop, ""),
		"Linate–Gatwick.":                         price("LIN", "LGW", "", 0, fare.StopsUnknown, ""),
		"2 oder mehr Zwischenstopps, 7\u00a0Std.": price("", "", "", 420, fare.MoreStops, ""),
		"Hinflug: easyJet, Linate–Gatwick, Direktflug, 1\u00a0Std.\u00a050\u00a0Min.": price("LIN", "LGW", "U2",
			110, nonStop, "x"),
		"": price("", "", "", 0, nonStop, ""),
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
	const back = "2016-05-01"
	en := i18n.ForCode("en")
	for want, p := range map[string]verdict.Prezzo{
		"": price("", "", "", 0, nonStop, ""), // the stops alone are said elsewhere
		"Turkish Airlines, Malpensa–Sabiha Gökçen, 1\u00a0stop, 7\u00a0h": price("MXP", "SAW", "TK", 420, oneStop, ""),
		"2 or more stops, 55\u00a0min":                                    price("", "", "", 55, fare.MoreStops, ""),
		"Q9":                                                              price("BGY", "", "Q9", 0, fare.StopsUnknown, ""),
		"outbound: Ryanair, Bergamo–Stansted, non-stop, 2\u00a0h\u00a05\u00a0min": price("BGY", "STN", "FR", 125,
			nonStop, back),
		"outbound: Ryanair, Bergamo–Stansted, 2\u00a0h\u00a05\u00a0min": price("BGY", "STN", "FR", 125,
			oneStop, back),
	} {
		if got := Flight(en, p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		f, _ := p.Flight()
		if again := verdict.VoloOf(f); p.Vettore != nil && (again.Vettore == nil || *again.Vettore != *p.Vettore) {
			t.Errorf("%q: the airline becomes %v", want, again.Vettore)
		}
	}
}
