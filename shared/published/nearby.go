package published

import (
	"context"
	"errors"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/web/httpapi"
)

type Vicini struct {
	Origine          string   `json:"origine" doc:"Origin, as matched" example:"Milano"`
	Destinazione     string   `json:"destinazione" doc:"Destination, as matched" example:"Londra"`
	OrigineIata      string   `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string   `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"LON"`
	Tratta           *Tratta  `json:"tratta,omitempty" doc:"The airports that you named, as in GET /v1/analisi"`
	Valuta           string   `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Prezzo           *Prezzo  `json:"prezzo,omitempty" doc:"The fare of your trip. Absent if no current fare of it is known"`
	Vicini           []Vicino `json:"vicini" nullable:"false" doc:"Of the nearest six covered places within 150 km, those with a fare for the trip, cheapest first. They may be dearer than your trip"`
}

type Vicino struct {
	Estremo        string      `json:"estremo" enum:"origine,destinazione" doc:"Which end of the trip the place replaces. The other end is your city, with all its airports"`
	Iata           string      `json:"iata" doc:"IATA code of the place: a city or, if you named an airport, another airport of its city. Send it as origine or destinazione for its verdict" example:"TRN"`
	Nome           string      `json:"nome" doc:"Name of the place, in the chosen language, otherwise Italian" example:"Torino"`
	Km             int         `json:"km" minimum:"0" maximum:"150" doc:"Distance from the place that you named, as the crow flies: to the airport of the fare if known, else to the nearest of the city"`
	DifferenzaCent *fare.Cents `json:"differenzaCent,omitempty" doc:"This fare minus that of your trip, in cents of valuta. Negative: cheaper. Absent without prezzo"`
	Livello        string      `json:"livello" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"Level of the fare for its own route, as in GET /v1/analisi"`
	Affidabilita   string      `json:"affidabilita,omitempty" enum:"alta,media,bassa" doc:"How sure the level is. Absent with dati-insufficienti"`
	Prezzo         Prezzo      `json:"prezzo" doc:"The fare, its day and its age. It was observed and may no longer be available"`
}

// If no fare is known for the trip itself or for places nearby, the error says why the trip has no
// fare.
func (s *Answers) Nearby(ctx context.Context, q answer.Question) (v Vicini, err error) {
	a, err := s.Answer(ctx, q)
	var none *httpapi.Problem
	if fault := Problem(err); err != nil && !(errors.As(fault, &none) && isAboutFares(none)) {
		return v, fault
	}
	in, failed := s.moneyIn(ctx, q.Show)
	if failed != nil {
		return v, failed
	}
	v = Vicini{Origine: matched(ctx, a.Origin), Destinazione: matched(ctx, a.Destination), Valuta: in.code,
		OrigineIata: string(a.Origin.City), DestinazioneIata: string(a.Destination.City)}
	price := fare.Cents(0)
	if none == nil {
		j := a.Judgement.Judged.In(in.amount)
		price = j.Fare.Price
		price := prezzo(j.Fare, in.code, s.Now())
		v.Tratta, v.Prezzo = trattaOf(a.Judgement.Pair), &price
	}
	v.Vicini, err = s.NearbyOf(ctx, q, price)
	if err == nil && none != nil && len(v.Vicini) == 0 {
		err = none
	}
	return v, err
}

// price is the fare of the trip itself, in the currency q.Show, or 0 if unknown.
func (s *Answers) NearbyOf(ctx context.Context, q answer.Question, price fare.Cents) ([]Vicino, error) {
	found, err := s.Reader.Nearby(ctx, q)
	if err != nil {
		return nil, Problem(err)
	}
	in, err := s.moneyIn(ctx, q.Show)
	all := make([]Vicino, len(found))
	for i, n := range found {
		all[i] = in.vicino(ctx, n, s.Now())
		if difference := all[i].Prezzo.Cent - price; price > 0 {
			all[i].DifferenzaCent = &difference
		}
	}
	return all, err
}

func isAboutFares(p *httpapi.Problem) bool {
	return p.Code == NoLiveFare.Code || p.Code == httpapi.NotCovered.Code || p.Code == StopsUnknown.Code
}

func (m money) vicino(ctx context.Context, n answer.Neighbour, now time.Time) Vicino {
	j := n.Judgement.Judged.In(m.amount)
	v := Vicino{Estremo: "origine", Iata: string(n.Place.City), Nome: cityName(ctx, n.Place.City), Km: n.Km,
		Livello: string(j.Verdict.Level), Affidabilita: string(j.Verdict.Reliability), Prezzo: prezzo(j.Fare, m.code, now)}
	if n.Arrival {
		v.Estremo = "destinazione"
	}
	if n.Place.Airport != "" {
		v.Iata, v.Nome = n.Place.Airport, matched(ctx, n.Place)
	}
	return v
}
