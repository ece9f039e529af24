package published

import (
	"context"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/airlines"
	"verdetto/shared/verdict"
	"verdetto/shared/web/httpapi"
)

// Analysis is the answer to a question about a fare. Amounts in cents are in the currency Valuta.
type Analysis struct {
	Origine          string            `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione     string            `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	OrigineIata      string            `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata string            `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Luoghi           []Luogo           `json:"luoghi,omitempty" doc:"Notes on a name: it means part of a city, its city has several airports or namesakes, or it was not understood as typed. Absent if there are none"`
	Tratta           *Tratta           `json:"tratta,omitempty" doc:"The airports that the answer is about. Present if you named an airport of a city with several, and the fares of the route state theirs"`
	Vettori          *Vettori          `json:"vettori,omitempty" doc:"The airlines that the answer is limited to, or leaves out"`
	Ambito           string            `json:"ambito" enum:"rotta,mese,partenza" doc:"What verdetto is about: the route, a month, or a departure, with flessibile also the days around it"`
	Valuta           string            `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Verdetto         Verdetto          `json:"verdetto"`
	Raccolta         *httpapi.Raccolta `json:"raccolta,omitempty" doc:"How far the route is from its first verdict. Present with dati-insufficienti about a route"`
	Prezzo           Prezzo            `json:"prezzo" doc:"The judged fare. Unless dichiarato, it was observed and may no longer be available"`
	PrezzoNoto       *Prezzo           `json:"prezzoNoto,omitempty" doc:"The cheapest current fare for the same question. Present if prezzo is dichiarato and there is one"`
	ForDay
	MinimoPartenza      *MinimoVisto `json:"minimoPartenza,omitempty" doc:"Lowest fare of the same departure in the last 60 days, today excepted. Absent without one, for a route or several days, and if this service shows no single past fares"`
	MesiPerConvenienza  []Mese       `json:"mesiPerConvenienza" nullable:"false" doc:"Departure months by median fare, cheapest first. Months with fewer than 5 fares are left out"`
	Quartili            *Quartili    `json:"quartili,omitempty" doc:"The usual price. For a departure or a month it comes from comparable departures this far ahead, for a route from the cheapest fares of past days. Absent with dati-insufficienti"`
	AnticipoGiorni      *int         `json:"anticipoGiorni,omitempty" minimum:"0" doc:"Days from today (UTC) to prezzo.partenza. Absent about a route, or without that day"`
	NellAnticipo        *bool        `json:"nellAnticipo,omitempty" doc:"Whether anticipoGiorni lies within anticipoConsigliato. Absent if either is absent"`
	Previsione          []Previsione `json:"previsione,omitempty" doc:"What happened to such fares within 7 and 14 days. Absent about a route, with dati-insufficienti, without prezzo.partenza or if it is at most 7 days ahead, and until this service has seen outcomes"`
	AnticipoConsigliato *Anticipo    `json:"anticipoConsigliato,omitempty" doc:"The days before departure in which fares have been lowest. Absent if fewer than 8 departures show it"`
	Osservazioni        int          `json:"osservazioni" minimum:"0" doc:"Fares of the route observed in the last 400 days"`
	AggiornatoIl        time.Time    `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest fare of the route was found, UTC. The age of the judged fare is prezzo.etaOre"`
}

// ForDay is the judgement of a fare for its own day.
type ForDay struct {
	Usual       *fare.Cents `json:"solitoPartenzaCent,omitempty" minimum:"1" doc:"Usual price of departures as many days ahead as prezzo.partenza, in cents of valuta. Absent, as livelloPartenza and affidabilitaPartenza are, if verdetto is about that day, in GET /v1/analisi about a route, and with too little data"`
	Level       string      `json:"livelloPartenza,omitempty" enum:"ottimo,buono,normale,caro" doc:"Level of prezzo for its own day"`
	Reliability string      `json:"affidabilitaPartenza,omitempty" enum:"alta,media,bassa" doc:"How sure livelloPartenza is"`
}

func forDay(v verdict.Verdict) ForDay {
	return ForDay{some(v.Median), string(v.Level), string(v.Reliability)}
}

type Verdetto struct {
	Livello           string      `json:"livello" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"A route: lower days plus half of the equal days, up to 10 of 100 ottimo, 35 buono, 70 normale; ottimo and buono at least 2 % under the median, caro at least 2 % over it. A departure or a month: up to percentile 10, 35 and 70; normale if less than 2 % or at most 1 EUR from the median; ottimo and buono only below it, caro only above quartili.metaACent"`
	Affidabilita      string      `json:"affidabilita,omitempty" enum:"alta,media,bassa" doc:"How sure the percentile is. A route: alta from 60 days, if half of intervallo is at most 10 points; media from 30 days, at most 20 points. A departure or a month: alta from 60 fares at a similar lead time, media from 20; old fares count less. One step lower for each of: a fare found 72 hours ago or earlier; tratta.confronto citta; and, for a departure or a month, earlier answers in which it proved too high"`
	Percentile        *int        `json:"percentile,omitempty" minimum:"0" maximum:"100" doc:"A route: giorniInferiori of 100 days of the sample, rounded; 0 only if no day was lower, 100 only if all were. A departure or a month: estimated share of comparable fares that are lower, in percent, adjusted for lead time; recent fares count more"`
	Intervallo        *Intervallo `json:"intervallo,omitempty" doc:"90 % interval of percentile, among all days since dal, observed or not; a departure or a month: among all comparable fares"`
	GiorniInferiori   *int        `json:"giorniInferiori,omitempty" minimum:"0" doc:"Days of the sample with a lower fare. Present with a percentile about a route, unless tratta.confronto is citta"`
	GiorniUguali      *int        `json:"giorniUguali,omitempty" minimum:"0" doc:"Days of the sample with an equal fare. Present with giorniInferiori"`
	Dal               string      `json:"dal,omitempty" format:"date" doc:"First day of the sample, UTC. Present with giorniInferiori" example:"2016-02-01"`
	MedianaCent       *fare.Cents `json:"medianaCent,omitempty" doc:"For a route: median of the lowest fares of the days of the sample. For a departure or a month: estimated usual price of comparable fares. In cents of valuta"`
	MinimoCent        *fare.Cents `json:"minimoCent,omitempty" doc:"For a route: minimum of the lowest fares of the days of the sample. For a departure or a month: estimated lowest comparable fare. In cents of valuta"`
	ScartoMedianaCent *fare.Cents `json:"scartoMedianaCent,omitempty" doc:"Judged fare minus the median, in cents of valuta. Negative: below the median"`
	Campione          int         `json:"campione" minimum:"0" doc:"Sample size. For a route: days with a fare among the last 400, today excepted. For a departure or a month: the fares that it is compared with"`
	Confronto         string      `json:"confronto,omitempty" enum:"partenze-di-oggi,storia,entrambe" doc:"Compared with other departures on sale now, fares of earlier days, or both. Present with a percentile about a departure or a month"`
	Stagionale        *bool       `json:"stagionale,omitempty" doc:"Whether the sample is restricted to a season: always false"`
}

type Intervallo struct {
	From int `json:"da" minimum:"0" maximum:"100" doc:"Lower end, rounded down"`
	To   int `json:"a" minimum:"0" maximum:"100" doc:"Upper end, rounded up"`
}

type Prezzo struct {
	Cent     fare.Cents `json:"cent" minimum:"1" doc:"The fare, in cents of valuta"`
	Valuta   string     `json:"valuta" doc:"ISO 4217 code of the currency of cent, as in the whole answer" example:"EUR"`
	Quotato  Quotato    `json:"quotato" doc:"The fare in the currency in which it was quoted. Fares are compared in the currency in which most fares of the route are quoted, so exchange rates hardly move a verdict"`
	Partenza string     `json:"partenza,omitempty" format:"date" doc:"Day of departure, local time. Absent for a caller's price without a departure" example:"2016-04-20"`
	Ritorno  string     `json:"ritorno,omitempty" format:"date" doc:"Day of the return flight, local time. Absent for one-way fares and a caller's price"`
	Soste    *int       `json:"soste,omitempty" minimum:"0" maximum:"2" doc:"Stops: 0 is non-stop, 2 means two or more. Absent if unknown"`
	Volo
	TrovatoIl  *time.Time `json:"trovatoIl,omitempty" format:"date-time" doc:"Time at which this fare was found, UTC. Absent for a caller's price"`
	Precisione string     `json:"precisione,omitempty" enum:"istante,giorno" doc:"giorno: the source knows only the day of trovatoIl, and its first moment is given. Absent without trovatoIl"`
	EtaOre     *int       `json:"etaOre,omitempty" minimum:"0" doc:"Age of this fare: whole hours since trovatoIl. Absent without it. From 72 on, affidabilita is one step lower"`
	Dichiarato bool       `json:"dichiarato,omitempty" doc:"True: the caller gave the price"`
}

type Volo struct {
	Aeroporti    *Aeroporti `json:"aeroporti,omitempty" doc:"Airports of the outward way. Absent if unknown"`
	Vettore      *Vettore   `json:"vettore,omitempty" doc:"The airline of the fare. Absent if unknown"`
	DurataMinuti *int       `json:"durataMinuti,omitempty" minimum:"1" doc:"Minutes from departure to arrival of the outward way, with stops. Absent if unknown"`
}

type Aeroporti struct {
	Origine      string `json:"origine,omitempty" doc:"IATA code of the airport of departure" example:"BGY"`
	Destinazione string `json:"destinazione,omitempty" doc:"IATA code of the airport of arrival" example:"STN"`
}

type Vettore struct {
	Iata string `json:"iata" doc:"IATA code of the airline" example:"FR"`
	Nome string `json:"nome" doc:"Its name, or the code where the name is not known" example:"Ryanair"`
}

type Quotato struct {
	Importo float64 `json:"importo" doc:"Amount in major units, such as 39 or 18.49"`
	Valuta  string  `json:"valuta" doc:"ISO 4217 code" example:"RON"`
}

type MinimoVisto struct {
	Cent   fare.Cents `json:"cent" minimum:"1" doc:"The fare, in cents of valuta"`
	Giorno string     `json:"giorno" format:"date" doc:"The day on which it was seen, UTC"`
}

type Mese struct {
	Mese        int        `json:"mese" minimum:"1" maximum:"12" doc:"Month of departure"`
	MedianaCent fare.Cents `json:"medianaCent" doc:"Median fare, in cents of valuta"`
	Campione    int        `json:"campione" minimum:"5" doc:"Fares behind the median"`
}

type Anticipo struct {
	DaGiorni      int         `json:"daGiorni" minimum:"0" doc:"Start of the window, in days before departure"`
	AGiorni       int         `json:"aGiorni" minimum:"0" doc:"End of the window, in days before departure"`
	MedianaCent   fare.Cents  `json:"medianaCent" doc:"Median fare in the window, in cents of valuta"`
	Campione      int         `json:"campione" doc:"Fares behind medianaCent: of departures that were seen at several lead times"`
	RisparmioCent *fare.Cents `json:"risparmioCent" nullable:"true" doc:"Median outside the window minus the median inside, in cents of valuta. null if that is not a saving"`
}

type Quartili struct {
	Minimum fare.Cents `json:"minimoCent" doc:"Lowest usual price, in cents of valuta"`
	Q1      fare.Cents `json:"q1Cent" doc:"First quartile: a quarter is cheaper. In cents of valuta"`
	Median  fare.Cents `json:"medianaCent" doc:"Median, in cents of valuta"`
	Q3      fare.Cents `json:"q3Cent" doc:"Third quartile: three quarters are cheaper. In cents of valuta"`
	Maximum fare.Cents `json:"massimoCent" doc:"Highest usual price, in cents of valuta"`

	HalfLow  fare.Cents `json:"metaDaCent" doc:"About half of the prices lie from here to metaACent, and a fifth below. In cents of valuta"`
	HalfHigh fare.Cents `json:"metaACent" doc:"Upper end of that half, in cents of valuta: a fare that is caro lies above it"`
}

type Previsione struct {
	Giorni      int     `json:"giorni" enum:"7,14" doc:"Within this many days"`
	Calo5       float64 `json:"calo5" minimum:"0" maximum:"0.4" doc:"Calibrated chance that this departure is seen at least 5 % cheaper, 0 to 1"`
	Calo5Oltre  bool    `json:"calo5Oltre,omitempty" doc:"True: the chance is calo5 or higher. Higher values are not stated exactly"`
	Calo5Regola float64 `json:"calo5Regola,omitempty" minimum:"0" maximum:"1" doc:"The chance before calibration. Absent until the service has a score to calibrate with"`
	Rialzo5     float64 `json:"rialzo5" minimum:"0" maximum:"1" doc:"Share of recorded departures with such a chance that were seen at least 5 % dearer, 0 to 1"`
	Attesa      Attesa  `json:"attesa" doc:"What waiting this long came to"`
	Casi        int     `json:"casi" minimum:"0" doc:"Fares behind rialzo5 and attesa: those of this service, once it has 500 from at least 12 weeks; until then those of recorded panels"`
	Conviene    bool    `json:"conviene" doc:"Whether waiting paid on the record: the whole interval of attesa lies below zero. Even then, piuCaro of the waits ended dearer"`
}

type Attesa struct {
	MediaCent fare.Cents `json:"mediaCent" doc:"Mean change of the price after waiting, in cents of valuta. Negative: it became cheaper"`
	DaCent    fare.Cents `json:"daCent" doc:"Lower end of the 95 % interval of mediaCent, in cents of valuta"`
	ACent     fare.Cents `json:"aCent" doc:"Upper end of that interval, in cents of valuta"`
	PiuCaro   float64    `json:"piuCaro" minimum:"0" maximum:"1" doc:"Share of the waits that ended dearer, 0 to 1"`
}

type Tratta struct {
	Origine        string `json:"origine,omitempty" doc:"IATA code of the airport of departure. Absent: any airport of the origin city" example:"BGY"`
	Destinazione   string `json:"destinazione,omitempty" doc:"IATA code of the airport of arrival. Absent: any airport of the destination city" example:"STN"`
	Confronto      string `json:"confronto" enum:"aeroporti,citta" doc:"What the fare is compared with: fares of the same airports or, if those are too few, of both cities, moved by scartoPercento. Then affidabilita is one step lower"`
	ScartoPercento *int   `json:"scartoPercento,omitempty" doc:"With citta: how much dearer these airports usually are than the cheapest of both cities, in percent. Negative: cheaper"`
	Partenze       *int   `json:"partenze,omitempty" minimum:"0" doc:"With citta: the departures behind scartoPercento. With 0 the difference is not known, and counts as none"`
}

type Vettori struct {
	Solo   []Vettore `json:"solo,omitempty" doc:"Only fares of these airlines"`
	Senza  []Vettore `json:"senza,omitempty" doc:"Only fares of other airlines than these"`
	Ignoti *int      `json:"ignoti,omitempty" minimum:"0" doc:"In a list: departures or destinations left out because the airline of their fare is unknown"`
}

type Luogo struct {
	Estremo   string    `json:"estremo" enum:"origine,destinazione" doc:"The end of the route"`
	Chiesto   string    `json:"chiesto" doc:"The city or airport that you named" example:"Bergamo"`
	Citta     string    `json:"citta" doc:"The city whose fares are shown, in the chosen language, otherwise Italian" example:"Milano"`
	Iata      string    `json:"iata" doc:"IATA code of that city or metropolitan area" example:"MIL"`
	Aeroporti []string  `json:"aeroporti" nullable:"false" doc:"IATA codes of its airports, busiest first. A fare may be for any of them" example:"MXP,BGY,LIN"`
	Paese     string    `json:"paese" doc:"Its country, ISO 3166-1 alpha-2" example:"IT"`
	Stato     string    `json:"stato,omitempty" doc:"Its state, region or province" example:"Lombardia"`
	Omonimi   []Omonimo `json:"omonimi,omitempty" doc:"Other cities of that name with scheduled flights, busiest first. Send a code to choose one"`
	Nota      string    `json:"nota" doc:"How the name was understood, and what its fares cover, in the chosen language, otherwise English"`
}

type Omonimo struct {
	Citta string `json:"citta" example:"Columbus"`
	Iata  string `json:"iata" example:"CSG"`
	Paese string `json:"paese" example:"US"`
	Stato string `json:"stato,omitempty" example:"Georgia"`
}

type money struct {
	code   string
	amount func(fare.Cents) fare.Cents
}

func inEuro(c fare.Cents) fare.Cents { return c }

func (s *Answers) moneyIn(ctx context.Context, in answer.Currency) (money, error) {
	amount, err := s.Amounts(ctx, in)
	if amount == nil {
		return money{fare.EUR.String(), inEuro}, Problem(err)
	}
	return money{in.Code, amount}, nil
}

func some(c fare.Cents) *fare.Cents {
	if c == 0 {
		return nil
	}
	return &c
}

func date(d fare.Day) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func month(d fare.Day) string { return d.String()[:len("2006-01")] }

func analysis(j verdict.Judgement, currency string) Analysis {
	a := Analysis{
		Tratta: trattaOf(j.Pair), Ambito: string(j.Scope), Valuta: currency, Verdetto: verdetto(j.Judged),
		Raccolta: httpapi.RaccoltaOf(j.Collection), Prezzo: prezzo(j.Fare, currency, j.At),
		ForDay: forDay(j.OwnDay), MesiPerConvenienza: []Mese{}, Quartili: (*Quartili)(j.Quartiles),
		AnticipoGiorni: j.Lead, NellAnticipo: j.InWindow, Osservazioni: j.Observations, AggiornatoIl: j.Newest,
	}
	a.Prezzo.Dichiarato = j.Declared
	if j.Known != nil {
		known := prezzo(*j.Known, currency, j.At)
		a.PrezzoNoto = &known
	}
	if j.Lowest != nil {
		a.MinimoPartenza = &MinimoVisto{j.Lowest.Price, j.Lowest.Day.String()}
	}
	for _, m := range j.Months {
		a.MesiPerConvenienza = append(a.MesiPerConvenienza, Mese{m.Month, m.Median, m.Sample})
	}
	for _, f := range j.Forecasts {
		a.Previsione = append(a.Previsione, Previsione{f.Days, f.Chance, f.OrMore, f.Uncalibrated, f.Rise,
			Attesa{f.Mean, f.Low, f.High, f.Dearer}, f.Cases, f.Pays})
	}
	if w := j.Window; w != nil {
		a.AnticipoConsigliato = &Anticipo{w.From, w.To, w.Median, w.Sample, some(max(w.Saving, 0))}
	}
	return a
}

func verdetto(j verdict.Judged) Verdetto {
	v := j.Verdict
	if !v.Judged() {
		return Verdetto{Livello: string(v.Level), Campione: v.Sample}
	}
	difference := j.Difference()
	published := Verdetto{Livello: string(v.Level), Affidabilita: string(v.Reliability), Percentile: &v.Percentile,
		Intervallo: (*Intervallo)(v.Interval), MedianaCent: &v.Median, MinimoCent: some(v.Minimum),
		ScartoMedianaCent: &difference, Campione: v.Sample, Confronto: string(v.Comparison), Stagionale: new(bool)}
	if d := v.Days; d != nil {
		published.GiorniInferiori, published.GiorniUguali, published.Dal = &d.Lower, &d.Equal, d.Since.String()
	}
	return published
}

func prezzo(l verdict.Live, currency string, now time.Time) Prezzo {
	p := Prezzo{Cent: l.Price, Valuta: currency, Quotato: quotato(l), Partenza: date(l.Depart), Ritorno: date(l.Return()),
		Volo: volo(l.Flight)}
	if n, known := l.Stops.Number(); known {
		p.Soste = &n
	}
	if l.Found != 0 {
		found, hours := l.FoundAt(), int(l.Age(now)/time.Hour)
		p.TrovatoIl, p.Precisione, p.EtaOre = &found, "istante", &hours
		if l.DayOnly {
			p.Precisione = "giorno"
		}
	}
	return p
}

func quotato(l verdict.Live) Quotato {
	quoted := verdict.Quoted(l)
	return Quotato{float64(quoted.Amount) / 100, quoted.Currency.String()}
}

func volo(f fare.Flight) (v Volo) {
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

func trattaOf(p verdict.Pair) *Tratta {
	if p.Airports == (fare.Airports{}) {
		return nil
	}
	t := &Tratta{Origine: p.From.String(), Destinazione: p.To.String(), Confronto: "aeroporti"}
	if p.Basis != nil {
		percent := p.Basis.Percent()
		t.Confronto, t.ScartoPercento, t.Partenze = "citta", &percent, &p.Basis.Departures
	}
	return t
}

func (t *Tratta) Pair() (p verdict.Pair) {
	if t == nil {
		return p
	}
	return verdict.PairOf(t.Origine, t.Destinazione, t.ScartoPercento)
}

func vettori(a fare.Airlines, unknown *int) *Vettori {
	if a == "" {
		return nil
	}
	v := Vettori{Ignoti: unknown}
	codes, except := a.List()
	list := &v.Solo
	if except {
		list = &v.Senza
	}
	for _, code := range codes {
		*list = append(*list, Vettore{code.String(), airlines.Name(code)})
	}
	return &v
}
