package published

import (
	"context"
	"errors"
	"strings"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Vicini is the published answer about the same trip from or to places nearby.
type Vicini struct {
	Origine          string          `json:"origine" doc:"Origin, as matched" example:"Milano"`
	Destinazione     string          `json:"destinazione" doc:"Destination, as matched" example:"Londra"`
	OrigineIata      string          `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string          `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"LON"`
	Tratta           *verdict.Tratta `json:"tratta,omitempty" doc:"The airports that you named, as in GET /v1/analisi"`
	Valuta           string          `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Prezzo           *verdict.Prezzo `json:"prezzo,omitempty" doc:"The fare of your trip. Absent if no current fare of it is known"`
	Vicini           []Vicino        `json:"vicini" nullable:"false" doc:"Of the covered places within 150 km, the nearest six with a fare for the trip, cheapest first. They may be dearer than your trip"`
}

type Vicino struct {
	Estremo        string         `json:"estremo" enum:"origine,destinazione" doc:"Which end of the trip the place replaces. The other end is your city, with all its airports"`
	Iata           string         `json:"iata" doc:"IATA code of the place: a city or, if you named an airport, another airport of its city. Send it as origine or destinazione for its verdict" example:"TRN"`
	Nome           string         `json:"nome" doc:"Name of the place, in the chosen language, otherwise Italian" example:"Torino"`
	Km             int            `json:"km" minimum:"0" maximum:"150" doc:"Distance from the place that you named, as the crow flies: to the airport of the fare if known, else to the nearest of the city"`
	DifferenzaCent *fare.Cents    `json:"differenzaCent,omitempty" doc:"This fare minus that of your trip, in cents of valuta. Negative: cheaper. Absent without prezzo"`
	Livello        string         `json:"livello" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"Level of the fare for its own route, as in GET /v1/analisi"`
	Affidabilita   string         `json:"affidabilita,omitempty" enum:"alta,media,bassa" doc:"How sure the level is. Absent with dati-insufficienti"`
	Prezzo         verdict.Prezzo `json:"prezzo" doc:"The fare, its day and its age. It was observed and may no longer be available"`
}

type NearbyInput struct {
	Ends
	Partenza string `query:"partenza" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-20" doc:"Day of departure, from today to 365 days ahead. Default: the cheapest fare of any date"`
	Mese     string `query:"mese" pattern:"^([0-9]{4}-(0[1-9]|1[0-2]))?$" patternDescription:"a month such as 2027-03" doc:"Month of departure: its cheapest departure. Not together with partenza"`
	Ritorno  string `query:"ritorno" pattern:"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$" patternDescription:"a day such as 2027-03-27" doc:"With partenza: day of the return flight"`
	Notti    string `query:"notti" pattern:"^(1-3|4-7|8-14|15[+ ]?)?$" patternDescription:"1-3, 4-7, 8-14 or 15+ (in a URL 15%2B)" doc:"Nights away of return fares. Default: one-way fares. Not together with ritorno"`
	Diretto  bool   `query:"diretto" doc:"Only fares without stops"`
	CurrencyInput
}

func (in *NearbyInput) Question() (q answer.Question, err error) {
	trip := Trip{Partenza: in.Partenza, Mese: in.Mese, Ritorno: in.Ritorno, Notti: in.Notti, Diretto: in.Diretto,
		Valuta: strings.ToUpper(in.Valuta)}
	q, err = trip.Question(sameName)
	q.From, q.To = in.Cities()
	return q, err
}

// Nearby judges a trip from and to places nearby. If the trip itself has no fare, a place nearby
// must have one.
func (s *Answers) Nearby(ctx context.Context, q answer.Question) (v Vicini, err error) {
	a, err := s.Answer(ctx, q)
	var none *httpapi.Problem
	if fault := Problem(err); err != nil && !(errors.As(fault, &none) && isAboutFares(none)) {
		return v, fault
	}
	v = Vicini{Origine: matched(ctx, a.Origin), Destinazione: matched(ctx, a.Destination), Valuta: "EUR",
		OrigineIata: string(a.Origin.City), DestinazioneIata: string(a.Destination.City)}
	if none == nil {
		v.Tratta, v.Prezzo = a.Analysis.Tratta, &a.Analysis.Prezzo
	}
	if v, err = InCurrency(ctx, s.Reader, v, q.Show); err != nil {
		return v, err
	}
	v.Vicini, err = s.NearbyOf(ctx, q, v.Prezzo)
	if err == nil && none != nil && len(v.Vicini) == 0 {
		err = none
	}
	return v, err
}

// NearbyOf judges a trip from and to places nearby. own is the fare of the trip itself, in the
// currency of the answer, with which they are compared; nil if unknown.
func (s *Answers) NearbyOf(ctx context.Context, q answer.Question, own *verdict.Prezzo) ([]Vicino, error) {
	found, err := s.Reader.Nearby(ctx, q)
	if err != nil {
		return nil, Problem(err)
	}
	all := []Vicino{}
	for _, n := range found {
		all = append(all, vicino(ctx, n))
	}
	if all, err = InCurrency(ctx, s.Reader, all, q.Show); err != nil || own == nil {
		return all, err
	}
	for i := range all {
		difference := all[i].Prezzo.Cent - own.Cent
		all[i].DifferenzaCent = &difference
	}
	return all, nil
}

func isAboutFares(p *httpapi.Problem) bool {
	return p.Code == NoLiveFare.Code || p.Code == httpapi.NotCovered.Code || p.Code == StopsUnknown.Code
}

func vicino(ctx context.Context, n answer.Neighbour) Vicino {
	v := Vicino{Estremo: "origine", Iata: string(n.Place.City), Nome: cityName(ctx, n.Place.City), Km: n.Km,
		Livello: n.Analysis.Verdetto.Livello, Affidabilita: n.Analysis.Verdetto.Affidabilita, Prezzo: n.Analysis.Prezzo}
	if n.Arrival {
		v.Estremo = "destinazione"
	}
	if n.Place.Airport != "" {
		v.Iata, v.Nome = n.Place.Airport, matched(ctx, n.Place)
	}
	return v
}
