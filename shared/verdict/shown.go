package verdict

import (
	"time"

	"verdetto/shared/fare"
)

// shown is a live fare as it is published.
func (s RouteSummary) shown(l Live, now time.Time) Prezzo {
	quoted, found, hours := s.Quote(l), time.Unix(l.Found, 0).UTC(), int(l.Age(now)/time.Hour)
	p := Prezzo{
		Cent: s.Euro(l.Price), Valuta: "EUR",
		Quotato:   Quotato{float64(quoted.Amount) / 100, quoted.Currency.String()},
		Partenza:  l.Depart.String(),
		TrovatoIl: &found, Precisione: "istante", EtaOre: &hours,
	}
	if l.Nights > 0 {
		p.Ritorno = (l.Depart + fare.Day(l.Nights)).String()
	}
	if n, known := l.Stops.Number(); known {
		p.Soste = &n
	}
	if l.DayOnly {
		p.Precisione = "giorno"
	}
	return p
}

// declared is a price that the caller has seen elsewhere.
func (s RouteSummary) declared(price fare.Cents, quoted fare.Money) Prezzo {
	return Prezzo{Cent: s.Euro(price), Valuta: "EUR", Quotato: Quotato{float64(quoted.Amount) / 100,
		quoted.Currency.String()}, Dichiarato: true}
}

// Stale tells whether the fare was found so long ago that it may well be gone.
func (p Prezzo) Stale() bool { return p.EtaOre != nil && *p.EtaOre >= int(StaleAfter/time.Hour) }
