package verdict

import (
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
)

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
	p.Volo = VoloOf(l.Flight)
	if l.DayOnly {
		p.Precisione = "giorno"
	}
	return p
}

func VoloOf(f fare.Flight) (v Volo) {
	if f.From != (fare.Airport{}) || f.To != (fare.Airport{}) {
		v.Aeroporti = &Aeroporti{f.From.String(), f.To.String()}
	}
	if f.Airline != (fare.Airline{}) {
		v.Vettore = &Vettore{f.Airline.String(), airlines.Name(f.Airline)}
	}
	if minutes := int(f.Minutes); minutes > 0 {
		v.DurataMinuti = &minutes
	}
	return v
}

// Flight is the inverse of VoloOf, with the stops.
func (p Prezzo) Flight() (f fare.Flight, stops fare.Stops) {
	if a := p.Aeroporti; a != nil {
		f.From, _ = fare.ParseAirport(a.Origine)
		f.To, _ = fare.ParseAirport(a.Destinazione)
	}
	if p.Vettore != nil {
		f.Airline, _ = fare.ParseAirline(p.Vettore.Iata)
	}
	if p.DurataMinuti != nil {
		f.Minutes = int16(*p.DurataMinuti)
	}
	if p.Soste != nil {
		stops = fare.StopsOf(*p.Soste)
	}
	return f, stops
}

func (s RouteSummary) declaredPrice(price fare.Cents, quoted fare.Money) Prezzo {
	return Prezzo{Cent: s.Euro(price), Valuta: "EUR", Quotato: Quotato{float64(quoted.Amount) / 100,
		quoted.Currency.String()}, Dichiarato: true}
}

func (p Prezzo) Stale() bool { return p.EtaOre != nil && *p.EtaOre >= int(StaleAfter/time.Hour) }
