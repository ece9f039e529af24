package verdict

import (
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// CalendarDays is how many days ahead a calendar covers.
const CalendarDays = 330

// Calendario is the published calendar of a series: the verdict of JudgeDeparture for each
// departure that has a fare, and for each month.
type Calendario struct {
	Origine          string             `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione     string             `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	OrigineIata      string             `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string             `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Luoghi           []Luogo            `json:"luoghi,omitempty" doc:"Cities whose fares cover more than the name that you gave, as in GET /v1/analisi"`
	Tratta           *Tratta            `json:"tratta,omitempty" doc:"The airports that the calendar is about, as in GET /v1/analisi"`
	Vettori          *Vettori           `json:"vettori,omitempty" doc:"The airlines that it is limited to"`
	Valuta           string             `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Giorni           []Giorno           `json:"giorni" nullable:"false" doc:"Departures with a known fare, by day: up to 330 days ahead, or those of mese. Days without one are absent"`
	Mesi             []MeseInCalendario `json:"mesi" nullable:"false" doc:"The months of these departures, in order. Each is judged by its cheapest departure, as mese of GET /v1/analisi is"`
	AggiornatoIl     time.Time          `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest fare of the route was found, UTC. The age of each fare is its etaOre"`
}

// Giorno is one departure in a calendar. Cent and Quotato are omitted if the service does not
// publish single fares.
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

// Calo is the chance that the fare of a departure falls by at least 5 % within Giorni days.
type Calo struct {
	Giorni     int     `json:"giorni" enum:"7,14" doc:"Within this many days"`
	Calo5      float64 `json:"calo5" minimum:"0" maximum:"0.4" doc:"Chance that this departure is seen at least 5 % cheaper, 0 to 1"`
	Calo5Oltre bool    `json:"calo5Oltre,omitempty" doc:"True: the chance is calo5 or higher. Higher values are not stated exactly"`
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

// CalendarOf judges every departure that has a fare, and each month that has such a departure,
// within the given month or, if that is nil, the next CalendarDays days. If prices is false, it
// omits the fares of single departures. It returns false if no departure has a fare. The caller
// fills in the names of the cities.
func CalendarOf(s *departure.State, p *departure.Pooled, month *fare.Day, prices bool,
	now time.Time) (Calendario, bool, error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	if err != nil || !known {
		return Calendario{}, false, err
	}
	c := Calendario{Valuta: "EUR", Mesi: []MeseInCalendario{},
		AggiornatoIl: time.Unix(q.facts.Newest, 0).UTC(), Tratta: q.facts.Tratta()}
	first, last := q.today, q.today+CalendarDays
	if month != nil {
		first, last = departure.Month.Ends(*month)
	}
	unknown := 0
	for _, l := range s.Live {
		if l.Depart >= max(first, q.today) && l.Depart <= last && l.Flight.Airline == (fare.Airline{}) {
			unknown++
		}
	}
	c.Vettori = VettoriOf(s.Airlines).Without(unknown)
	all := q.day.Live()
	c.Giorni = make([]Giorno, 0, len(all))
	var begun fare.Day // the first departure in the current month
	for _, live := range all {
		if live.Depart < first || live.Depart > last {
			continue
		}
		c.Giorni = append(c.Giorni, q.cell(live, prices, now))
		if begun == 0 || live.Depart.Month() != begun.Month() {
			begun = live.Depart
			c.Mesi = append(c.Mesi, q.month(begun, now))
		}
		c.Mesi[len(c.Mesi)-1].Giorni++
	}
	return c, len(c.Giorni) > 0, nil
}

func (q *departureQuestion) cell(live Live, prices bool, now time.Time) Giorno {
	a, _ := q.day.Judge(live.Depart, live.Price)
	median, _ := q.day.Median(live.Depart)
	v, p := q.judge(a, departure.Quartiles{Median: median}, live.Price, live.Age(now)), q.facts.livePrice(live, now)
	g := Giorno{
		Partenza: p.Partenza, Ritorno: p.Ritorno, Soste: p.Soste, Volo: p.Volo, TrovatoIl: p.TrovatoIl,
		Precisione: p.Precisione, EtaOre: p.EtaOre, MedianaCent: v.MedianaCent,
		Livello: v.Livello, Affidabilita: v.Affidabilita, Percentile: v.Percentile,
	}
	if prices {
		cent, quoted := p.Cent, p.Quotato // copies, so that p is not on the heap
		g.Cent, g.Quotato = &cent, &quoted
	}
	if v.Percentile != nil {
		for _, h := range q.horizons(int(live.Depart - q.today)) {
			g.Calo = append(g.Calo, q.chanceOf(a, h))
		}
	}
	return g
}

func (q *departureQuestion) month(depart fare.Day, now time.Time) MeseInCalendario {
	cheapest, _ := q.day.Cheapest(departure.Month, depart)
	v := q.judgeMonth(cheapest, cheapest.Age(now))
	return MeseInCalendario{
		Mese: depart.String()[:len("2006-01")], MinimoCent: q.facts.Euro(cheapest.Price), MedianaCent: v.MedianaCent,
		Livello: v.Livello, Affidabilita: v.Affidabilita, Percentile: v.Percentile,
	}
}
