package published

import (
	"context"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

const FreeWeeks = 26

type Storico struct {
	Origine          string      `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione     string      `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	OrigineIata      string      `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string      `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Luoghi           []Luogo     `json:"luoghi,omitempty" doc:"Notes on a name, as in GET /v1/analisi"`
	Tratta           *Tratta     `json:"tratta,omitempty" doc:"The airports that the history is about, as in GET /v1/analisi"`
	Valuta           string      `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	OggiCent         *fare.Cents `json:"oggiCent,omitempty" doc:"The cheapest current fare, in cents of valuta. Absent if there is none"`
	Settimane        []Settimana `json:"settimane" nullable:"false" doc:"Weeks in which fares were found, oldest first: the last 26 weeks, with a Pro key three years"`
	Partenza         *Movimento  `json:"partenza,omitempty" doc:"With partenza: the fares of that departure, by day"`
	Mese             *DelMese    `json:"mese,omitempty" doc:"With mese: the fares for departures in that month, by week"`
	AggiornatoIl     time.Time   `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest fare of the route was found, UTC"`
}

type Settimana struct {
	Settimana   string     `json:"settimana" doc:"ISO 8601 week" example:"2016-W09"`
	Dal         string     `json:"dal" format:"date" doc:"Monday of the week" example:"2016-02-29"`
	MinimoCent  fare.Cents `json:"minimoCent" doc:"Lowest of the days' cheapest fares, in cents of valuta"`
	MedianaCent fare.Cents `json:"medianaCent" doc:"Median of the days' cheapest fares, in cents of valuta"`
	Giorni      int        `json:"giorni" minimum:"1" maximum:"7" doc:"Days of the week with a known cheapest fare"`
}

type Movimento struct {
	Partenza string  `json:"partenza" format:"date" doc:"Day of departure, local time" example:"2016-04-20"`
	Giorni   []Visto `json:"giorni" nullable:"false" doc:"Days on which a fare was found, oldest first: the last 26 weeks, with a Pro key 400 days. Days without a fare are absent"`
}

type Visto struct {
	Giorno   string     `json:"giorno" format:"date" doc:"Day on which the fare was found, UTC" example:"2016-02-20"`
	Anticipo int        `json:"anticipo" minimum:"0" doc:"Days from giorno to the departure"`
	Cent     fare.Cents `json:"cent" minimum:"1" doc:"The cheapest fare of the departure found on that day, in cents of valuta, at the newest reference rates"`
}

type DelMese struct {
	Mese      string      `json:"mese" doc:"Month of departure" example:"2016-04"`
	Settimane []Settimana `json:"settimane" nullable:"false" doc:"Weeks in which fares were found: for each day, the cheapest fare found on it for a departure in the month"`
}

func (s *Answers) Past(ctx context.Context, q answer.Question) (Storico, error) {
	f, moves, err := s.History(ctx, q)
	if err != nil {
		return Storico{}, Problem(err)
	}
	summary, today := f.Summary, fare.DayOf(s.Now())
	from, cut := fare.Day(0), func(weeks []verdict.Week) []verdict.Week { return weeks }
	if !httpapi.IsPro(ctx) {
		from = fare.CycleOf(today).First() - 7*(FreeWeeks-1)
		cut = func(weeks []verdict.Week) []verdict.Week { return verdict.Since(weeks, today, FreeWeeks) }
	}
	in, err := s.moneyIn(ctx, q.Show)
	if err != nil {
		return Storico{}, err
	}
	h := Storico{
		Origine: matched(ctx, f.Origin), Destinazione: matched(ctx, f.Destination),
		OrigineIata:      string(f.Series.Origin),
		DestinazioneIata: string(f.Series.Destination),
		Luoghi:           luoghiOf(ctx, q, f), Tratta: trattaOf(verdict.Pair{Airports: f.Series.Airports, Basis: summary.Basis}), Valuta: in.code,
		Settimane: in.settimane(cut(verdict.Weeks(summary))), AggiornatoIl: time.Unix(summary.Newest, 0).UTC(),
	}
	if live, ok := summary.Cheapest(today); ok {
		price := in.amount(summary.Euro(live.Price))
		h.OggiCent = &price
	}
	switch {
	case q.When == nil:
	case q.When.Span != nil:
		h.Mese = &DelMese{month(q.When.Date), in.settimane(cut(summary.WeeksOf(moves)))}
	default:
		h.Partenza = &Movimento{q.When.Date.String(), []Visto{}}
		for _, l := range moves {
			if day := fare.DayOf(time.Unix(l.Found, 0)); day >= from {
				h.Partenza.Giorni = append(h.Partenza.Giorni,
					Visto{day.String(), int(l.Depart - day), in.amount(summary.Euro(l.Price))})
			}
		}
	}
	return h, nil
}

func (m money) settimane(weeks []verdict.Week) []Settimana {
	all := make([]Settimana, len(weeks))
	for i, w := range weeks {
		all[i] = Settimana{w.Name(), w.First.String(), m.amount(w.Minimum), m.amount(w.Median), w.Days}
	}
	return all
}
