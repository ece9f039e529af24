package published

import (
	"context"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type Calendario struct {
	Origine          string             `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione     string             `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	OrigineIata      string             `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string             `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Luoghi           []Luogo            `json:"luoghi,omitempty" doc:"Notes on a name, as in GET /v1/analisi"`
	Tratta           *Tratta            `json:"tratta,omitempty" doc:"The airports that the calendar is about, as in GET /v1/analisi"`
	Vettori          *Vettori           `json:"vettori,omitempty" doc:"The airlines that it is limited to, or leaves out"`
	Valuta           string             `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Giorni           []Giorno           `json:"giorni" nullable:"false" doc:"Departures with a known fare, by day: up to 330 days ahead, or those of mese. Days without one are absent"`
	Mesi             []MeseInCalendario `json:"mesi" nullable:"false" doc:"The months of these departures, in order. Each is judged by its cheapest departure, as mese of GET /v1/analisi is"`
	AggiornatoIl     time.Time          `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest fare of the route was found, UTC. The age of each fare is its etaOre"`
}

type Giorno struct {
	Partenza string      `json:"partenza" format:"date" doc:"Day of departure, local time" example:"2016-04-20"`
	Cent     *fare.Cents `json:"cent,omitempty" minimum:"1" doc:"The fare, in cents of valuta. Absent, as quotato is, if this service shows no single fares. The level is shown in any case"`
	Quotato  *Quotato    `json:"quotato,omitempty" doc:"The fare in the currency in which it was quoted"`
	Ritorno  string      `json:"ritorno,omitempty" format:"date" doc:"Day of the return flight, local time. Absent for one-way fares"`
	Soste    *int        `json:"soste,omitempty" minimum:"0" maximum:"2" doc:"Stops: 0 is non-stop, 2 means two or more. Absent if the source does not say"`
	Volo
	TrovatoIl    *time.Time  `json:"trovatoIl" format:"date-time" doc:"Time at which this fare was found, UTC"`
	Precisione   string      `json:"precisione" enum:"istante,giorno" doc:"giorno: the source knows only the day of trovatoIl, and its first moment is given"`
	EtaOre       *int        `json:"etaOre" minimum:"0" doc:"Age of this fare: whole hours since trovatoIl. From 72 on, affidabilita is one step lower"`
	MedianaCent  *fare.Cents `json:"medianaCent,omitempty" doc:"What departures of the route usually cost as many days ahead, in cents of valuta: the median; absent with dati-insufficienti"`
	Livello      string      `json:"livello" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"Level of the fare among departures of the route this far ahead"`
	Affidabilita string      `json:"affidabilita,omitempty" enum:"alta,media,bassa" doc:"How sure the level is. Absent with dati-insufficienti"`
	Percentile   *int        `json:"percentile,omitempty" minimum:"0" maximum:"100" doc:"Share of comparable departures that are cheaper, in percent. Absent with dati-insufficienti"`
	Calo         []Calo      `json:"calo,omitempty" doc:"Chances that this departure gets cheaper within 7 and 14 days. Absent if it leaves sooner, with dati-insufficienti, and until this service has seen outcomes"`
}

type Calo struct {
	Days   int     `json:"giorni" enum:"7,14" doc:"Within this many days"`
	Chance float64 `json:"calo5" minimum:"0" maximum:"0.4" doc:"Chance that this departure is seen at least 5 % cheaper, 0 to 1"`
	OrMore bool    `json:"calo5Oltre,omitempty" doc:"True: the chance is calo5 or higher. Higher values are not stated exactly"`
}

type MeseInCalendario struct {
	Mese         string      `json:"mese" doc:"Month of departure" example:"2016-04"`
	MinimoCent   fare.Cents  `json:"minimoCent" minimum:"1" doc:"The cheapest known fare of its departures, in cents of valuta: the judged fare"`
	MedianaCent  *fare.Cents `json:"medianaCent,omitempty" doc:"Usual price of the cheapest departure of a month this far ahead, in cents of valuta: a median of minima. Absent with dati-insufficienti"`
	Livello      string      `json:"livello" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"Level of minimoCent among the cheapest fares of months"`
	Affidabilita string      `json:"affidabilita,omitempty" enum:"alta,media,bassa" doc:"How sure the level is. Absent with dati-insufficienti"`
	Percentile   *int        `json:"percentile,omitempty" minimum:"0" maximum:"100" doc:"Share of the cheapest fares of months that are cheaper, in percent. Absent with dati-insufficienti"`
	Giorni       int         `json:"giorni" minimum:"1" doc:"Departures of the month with a known fare"`
}

func (s *Answers) Calendar(ctx context.Context, q answer.Question, allFares bool) (Calendario, error) {
	f, calendar, err := s.Reader.Calendar(ctx, q, allFares)
	if err != nil {
		return Calendario{}, Problem(err)
	}
	in, err := s.moneyIn(ctx, q.Show)
	if err != nil {
		return Calendario{}, err
	}
	c := Calendario{
		Origine: matched(ctx, f.Origin), Destinazione: matched(ctx, f.Destination), OrigineIata: string(f.Series.Origin),
		DestinazioneIata: string(f.Series.Destination), Luoghi: luoghiOf(ctx, q, f), Tratta: trattaOf(calendar.Pair),
		Vettori: vettori(calendar.Airlines, &calendar.Unknown), Valuta: in.code, Giorni: make([]Giorno, len(calendar.Days)),
		Mesi: make([]MeseInCalendario, len(calendar.Months)), AggiornatoIl: calendar.Newest,
	}
	for i, d := range calendar.Days {
		c.Giorni[i] = in.giorno(d, calendar.At)
	}
	for i, m := range calendar.Months {
		one := in.giorno(verdict.Day{Judged: m.Judged}, calendar.At)
		c.Mesi[i] = MeseInCalendario{month(m.Fare.Depart), *one.Cent, one.MedianaCent, one.Livello, one.Affidabilita,
			one.Percentile, m.Departures}
	}
	return c, nil
}

func (m money) giorno(d verdict.Day, now time.Time) Giorno {
	p, v := prezzo(d.Fare, m.code, now), d.Verdict
	g := Giorno{Partenza: p.Partenza, Ritorno: p.Ritorno, Soste: p.Soste, Volo: p.Volo, TrovatoIl: p.TrovatoIl,
		Precisione: p.Precisione, EtaOre: p.EtaOre, Livello: string(v.Level), Affidabilita: string(v.Reliability)}
	if cent := m.amount(d.Fare.Price); d.Fare.Price > 0 {
		g.Cent, g.Quotato = &cent, &p.Quotato
	}
	if v.Judged() {
		median := m.amount(v.Median)
		g.MedianaCent, g.Percentile = &median, &v.Percentile
	}
	for _, f := range d.Falls {
		g.Calo = append(g.Calo, Calo(f))
	}
	return g
}
