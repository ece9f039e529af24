package verdict

import (
	"time"

	"verdetto/shared/fare"
)

// livePrice returns a live fare in its published form.
func (s RouteSummary) livePrice(l Live, now time.Time) Prezzo {
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

// declaredPrice returns a price that the caller found elsewhere, in its published form.
func (s RouteSummary) declaredPrice(price fare.Cents, quoted fare.Money) Prezzo {
	return Prezzo{Cent: s.Euro(price), Valuta: "EUR", Quotato: Quotato{float64(quoted.Amount) / 100,
		quoted.Currency.String()}, Dichiarato: true}
}

// Stale reports whether the fare is at least 72 hours old, so that it may no longer be available.
func (p Prezzo) Stale() bool { return p.EtaOre != nil && *p.EtaOre >= int(StaleAfter/time.Hour) }
