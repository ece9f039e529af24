package verdict

import (
	"time"

	"verdetto/shared/fare"
)

// shown is a live fare as it is published.
func (s RouteSummary) shown(l Live, now time.Time) Prezzo {
	quoted := s.Quote(l)
	p := Prezzo{
		Cent: s.Euro(l.Price), Valuta: "EUR",
		Quotato:   Quotato{float64(quoted.Amount) / 100, quoted.Currency.String()},
		Partenza:  l.Depart.String(),
		TrovatoIl: time.Unix(l.Found, 0).UTC(), Precisione: "istante",
		EtaOre: int(l.age(now) / time.Hour),
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

// Stale tells whether the fare was found so long ago that it may well be gone.
func (p Prezzo) Stale() bool { return p.EtaOre >= int(StaleAfter/time.Hour) }

// age is how long ago a fare was found.
func (l Live) age(now time.Time) time.Duration { return max(0, now.Sub(time.Unix(l.Found, 0))) }
