package verdict

import (
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Analysis is the published answer to a question about a fare. All amounts are integer cents of the
// currency Valuta.
type Analysis struct {
	Origine             string       `json:"origine" doc:"Origin city name, as matched" example:"Milano"`
	Destinazione        string       `json:"destinazione" doc:"Destination city name, as matched" example:"Bucarest"`
	OrigineIata         string       `json:"origineIata" doc:"IATA code of the origin city or metropolitan area" example:"MIL"`
	DestinazioneIata    string       `json:"destinazioneIata" doc:"IATA code of the destination city or metropolitan area" example:"BUH"`
	Luoghi              []Luogo      `json:"luoghi,omitempty" doc:"Cities whose fares cover more than the name that you gave: those with several airports. Absent if there are none"`
	Tratta              *Tratta      `json:"tratta,omitempty" doc:"The airports that the answer is about. Present if you named an airport of a city with several, and the fares of the route state theirs"`
	Vettori             *Vettori     `json:"vettori,omitempty" doc:"The airlines that the answer is limited to"`
	Ambito              string       `json:"ambito" enum:"rotta,mese,partenza" doc:"What verdetto judges: the cheapest fare of the route, of a month, or of a departure"`
	Valuta              string       `json:"valuta" doc:"ISO 4217 code of the currency of cent and of all *Cent fields. They are hundredths of it, even where it has none, such as JPY" example:"EUR"`
	Verdetto            Verdetto     `json:"verdetto"`
	Raccolta            *Raccolta    `json:"raccolta,omitempty" doc:"How far the route is from its first verdict. Present with dati-insufficienti about a route"`
	Prezzo              Prezzo       `json:"prezzo" doc:"The judged fare. It was observed and may no longer be available"`
	PrezzoNoto          *Prezzo      `json:"prezzoNoto,omitempty" doc:"The lowest live fare for the same question. Present where prezzo is a price that the caller gave"`
	PrezzoPiuBasso      *Prezzo      `json:"-"` // of all departures of the route, if below prezzo; see AddUsual
	SolitoPiuBassoCent  *fare.Cents  `json:"-"`
	LivelloPiuBasso     string       `json:"-"` // of prezzoPiuBasso as a fare for its own day
	SolitoPartenzaCent  *fare.Cents  `json:"solitoPartenzaCent,omitempty" minimum:"1" doc:"Median price of departures like that of prezzo as many days ahead, in cents of valuta. Present for a month or several days, if prezzo is a known fare"`
	LivelloPartenza     string       `json:"-"` // of prezzo as a fare for its own day
	MinimoPartenza      *MinimoVisto `json:"minimoPartenza,omitempty" doc:"Lowest fare of the same departure on earlier days, of the last 60. Present for one departure, if fares of past days are shown"`
	MesiPerConvenienza  []Mese       `json:"mesiPerConvenienza" nullable:"false" doc:"Departure months by median fare, cheapest first. Months with fewer than 5 fares are left out"`
	Quartili            *Quartili    `json:"quartili,omitempty" doc:"The usual price. For a departure or a month it comes from comparable departures this far ahead, for a route from the cheapest fares of other days. Absent with dati-insufficienti"`
	AnticipoGiorni      *int         `json:"anticipoGiorni,omitempty" minimum:"0" doc:"Days from today to the departure of prezzo. Present if verdetto is about a departure or a month"`
	NellAnticipo        *bool        `json:"nellAnticipo,omitempty" doc:"Whether anticipoGiorni lies within anticipoConsigliato. Absent if either is absent"`
	Previsione          []Previsione `json:"previsione,omitempty" doc:"What happened to such fares within 7 and 14 days. Absent if the departure leaves sooner, and until this service has seen outcomes"`
	AnticipoConsigliato *Anticipo    `json:"anticipoConsigliato,omitempty" doc:"The days before departure in which fares have been lowest. Absent if fewer than 8 departures show it"`
	Osservazioni        int          `json:"osservazioni" minimum:"0" doc:"Fares of the route observed in the last 400 days"`
	AggiornatoIl        time.Time    `json:"aggiornatoIl" format:"date-time" doc:"Time at which the newest fare of the route was found, UTC. The age of the judged fare is prezzo.etaOre"`
}

// Verdetto is the published verdict on a fare. Its pointers are nil without enough data for a
// verdict.
type Verdetto struct {
	Livello           string      `json:"livello" enum:"ottimo,buono,normale,caro,dati-insufficienti" doc:"A route: lower days plus half of the equal days, up to 10 of 100 ottimo, 35 buono, 70 normale; ottimo and buono at least 2 % under the median, caro at least 2 % over it. A departure or a month: up to percentile 10, 35 and 70"`
	Affidabilita      string      `json:"affidabilita,omitempty" enum:"alta,media,bassa" doc:"How sure the percentile is. A route: alta from 60 days, if half of intervallo is at most 10 points; media from 30 days, at most 20 points. A departure or a month: alta from 60 fares at a similar lead time, media from 20. One step lower if the fare was found 72 hours ago or earlier"`
	Percentile        *int        `json:"percentile,omitempty" minimum:"0" maximum:"100" doc:"A route: giorniInferiori of 100 days of the sample, rounded; 0 only if no day was lower, 100 only if all were. A departure or a month: estimated share of comparable fares that are lower, in percent, adjusted for lead time; recent fares count more"`
	Intervallo        *Intervallo `json:"intervallo,omitempty" doc:"90 % interval of percentile, among all days since dal, observed or not; a departure or a month: among all comparable fares"`
	GiorniInferiori   *int        `json:"giorniInferiori,omitempty" minimum:"0" doc:"Days of the sample with a lower fare. Present for a route"`
	GiorniUguali      *int        `json:"giorniUguali,omitempty" minimum:"0" doc:"Days of the sample with an equal fare. Present with giorniInferiori"`
	Dal               string      `json:"dal,omitempty" format:"date" doc:"First day of the sample, UTC. Present with giorniInferiori" example:"2016-02-01"`
	MedianaCent       *fare.Cents `json:"medianaCent,omitempty" doc:"For a route: median of the lowest fares of the days of the sample. For a departure or a month: estimated usual price of comparable fares. In cents of valuta"`
	MinimoCent        *fare.Cents `json:"minimoCent,omitempty" doc:"For a route: minimum of the lowest fares of the days of the sample. For a departure or a month: estimated lowest comparable fare. In cents of valuta"`
	ScartoMedianaCent *fare.Cents `json:"scartoMedianaCent,omitempty" doc:"Judged fare minus the median, in cents of valuta. Negative: below the median"`
	Campione          int         `json:"campione" minimum:"0" doc:"Sample size. For a route: days with a fare among the last 400, today excepted. For a departure or a month: the fares that it is compared with"`
	Confronto         string      `json:"confronto,omitempty" enum:"partenze-di-oggi,storia,entrambe" doc:"Compared with other departures on sale now, fares of earlier days, or both. Present with a percentile about a departure or a month"`
	Stagionale        *bool       `json:"stagionale,omitempty" doc:"Whether the sample is restricted to a season. Always false: a restriction was measured and was worse"`
}

type Intervallo struct {
	Da int `json:"da" minimum:"0" maximum:"100" doc:"Lower end, rounded down"`
	A  int `json:"a" minimum:"0" maximum:"100" doc:"Upper end, rounded up"`
}

func intervalOf(low, high float64) *Intervallo {
	const rounding = 1e-9
	return &Intervallo{int(math.Floor(low + rounding)), int(math.Ceil(high - rounding))}
}

type Prezzo struct {
	Cent     fare.Cents `json:"cent" minimum:"1" doc:"The fare, in cents of valuta"`
	Valuta   string     `json:"valuta" doc:"ISO 4217 code of the currency of cent, as in the whole answer" example:"EUR"`
	Quotato  Quotato    `json:"quotato" doc:"The fare in the currency in which it was quoted. Fares are compared as quoted, so exchange rates do not move a verdict"`
	Partenza string     `json:"partenza,omitempty" format:"date" doc:"Day of departure, local time. Absent for a caller's price without a departure" example:"2016-04-20"`
	Ritorno  string     `json:"ritorno,omitempty" format:"date" doc:"Day of the return flight, local time. Absent for one-way fares"`
	Soste    *int       `json:"soste,omitempty" minimum:"0" maximum:"2" doc:"Stops: 0 is non-stop, 2 means two or more. Absent if the source does not say"`
	Volo
	TrovatoIl  *time.Time `json:"trovatoIl,omitempty" format:"date-time" doc:"Time at which this fare was found, UTC. Absent for a caller's price"`
	Precisione string     `json:"precisione,omitempty" enum:"istante,giorno" doc:"giorno: the source knows only the day of trovatoIl, and its first moment is given"`
	EtaOre     *int       `json:"etaOre,omitempty" minimum:"0" doc:"Age of this fare: whole hours since trovatoIl. From 72 on, affidabilita is one step lower"`
	Dichiarato bool       `json:"dichiarato,omitempty" doc:"True: the caller gave the price"`
}

// Volo is what the source says about the outward journey.
type Volo struct {
	Aeroporti    *Aeroporti `json:"aeroporti,omitempty" doc:"Airports of the outward way. Absent if the source does not say"`
	Vettore      *Vettore   `json:"vettore,omitempty" doc:"The airline that sells the fare. Absent if the source does not say"`
	DurataMinuti *int       `json:"durataMinuti,omitempty" minimum:"1" doc:"Minutes from departure to arrival of the outward way, with stops. Absent if the source does not say"`
}

type Aeroporti struct {
	Origine      string `json:"origine,omitempty" doc:"IATA code of the airport of departure" example:"BGY"`
	Destinazione string `json:"destinazione,omitempty" doc:"IATA code of the airport of arrival" example:"STN"`
}

type Vettore struct {
	Iata string `json:"iata" doc:"IATA code of the airline" example:"FR"`
	Nome string `json:"nome" doc:"Its name, or the code where the name is not known" example:"Ryanair"`
}

// Quotato is an amount as the fare was quoted.
type Quotato struct {
	Importo float64 `json:"importo" doc:"Amount in major units, such as 39 or 18.49"`
	Valuta  string  `json:"valuta" doc:"ISO 4217 code" example:"RON"`
}

type MinimoVisto struct {
	Cent   fare.Cents `json:"cent" minimum:"1" doc:"The fare, in cents of valuta"`
	Giorno string     `json:"giorno" format:"date" doc:"The day on which it was seen, UTC"`
}

// Mese is a departure month with its usual price.
type Mese struct {
	Mese        int        `json:"mese" minimum:"1" maximum:"12" doc:"Month of departure"`
	MedianaCent fare.Cents `json:"medianaCent" doc:"Median fare, in cents of valuta"`
	Campione    int        `json:"campione" minimum:"5" doc:"Fares behind the median"`
}

// Anticipo is the recommended booking window, in days before departure.
type Anticipo struct {
	DaGiorni      int         `json:"daGiorni" minimum:"0" doc:"Start of the window, in days before departure"`
	AGiorni       int         `json:"aGiorni" minimum:"0" doc:"End of the window, in days before departure"`
	MedianaCent   fare.Cents  `json:"medianaCent" doc:"Median fare in the window, in cents of valuta"`
	Campione      int         `json:"campione" doc:"Fares observed in the window"`
	RisparmioCent *fare.Cents `json:"risparmioCent" nullable:"true" doc:"Median outside the window minus the median inside, in cents of valuta. null if that is not a saving"`
}

type Quartili struct {
	MinimoCent  fare.Cents `json:"minimoCent" doc:"Lowest usual price, in cents of valuta"`
	Q1Cent      fare.Cents `json:"q1Cent" doc:"First quartile: a quarter is cheaper. In cents of valuta"`
	MedianaCent fare.Cents `json:"medianaCent" doc:"Median, in cents of valuta"`
	Q3Cent      fare.Cents `json:"q3Cent" doc:"Third quartile: three quarters are cheaper. In cents of valuta"`
	MassimoCent fare.Cents `json:"massimoCent" doc:"Highest usual price, in cents of valuta"`
}

// Previsione is the forecast for one departure and horizon.
type Previsione struct {
	Giorni      int     `json:"giorni" enum:"7,14" doc:"Within this many days"`
	Calo5       float64 `json:"calo5" minimum:"0" maximum:"0.4" doc:"Calibrated chance that this departure is seen at least 5 % cheaper, 0 to 1"`
	Calo5Oltre  bool    `json:"calo5Oltre,omitempty" doc:"True: the chance is calo5 or higher. Higher values are not stated exactly"`
	Calo5Regola float64 `json:"calo5Regola,omitempty" minimum:"0" maximum:"1" doc:"The chance before calibration. Absent until the service has a score to calibrate with"`
	Rialzo5     float64 `json:"rialzo5" minimum:"0" maximum:"1" doc:"Share of recorded departures with such a chance that were seen at least 5 % dearer, 0 to 1"`
	Attesa      Attesa  `json:"attesa" doc:"What waiting this long came to"`
	Casi        int     `json:"casi" minimum:"0" doc:"Fares behind rialzo5 and attesa: those of this service, once it has 500 in 12 weeks; until then those of recorded panels"`
	Conviene    bool    `json:"conviene" doc:"Whether waiting paid on the record: the whole interval of attesa lies below zero. Even then, piuCaro of the waits ended dearer"`
}

// Attesa is the price change after waiting in earlier cases with the same chance of a fall, applied
// to the judged price.
type Attesa struct {
	MediaCent fare.Cents `json:"mediaCent" doc:"Mean change of the price after waiting, in cents of valuta. Negative: it became cheaper"`
	DaCent    fare.Cents `json:"daCent" doc:"Lower end of the 95 % interval of mediaCent, in cents of valuta"`
	ACent     fare.Cents `json:"aCent" doc:"Upper end of that interval, in cents of valuta"`
	PiuCaro   float64    `json:"piuCaro" minimum:"0" maximum:"1" doc:"Share of the waits that ended dearer, 0 to 1"`
}

// Published names; they must not change.
const (
	Ottimo       = "ottimo"
	Buono        = "buono"
	Normale      = "normale"
	Caro         = "caro"
	Insufficient = "dati-insufficienti"

	Rotta      = "rotta"
	InMese     = "mese"
	InPartenza = "partenza"

	DiOggi   = "partenze-di-oggi"
	Storia   = "storia"
	Entrambe = "entrambe"

	Alta  = "alta"
	Media = "media"
	Bassa = "bassa"
)

// StaleAfter is the age from which a fare is stale. A verdict on it is one step less reliable.
const StaleAfter = 72 * time.Hour

const (
	clearly = 2 // percent from the median; without it, small changes of a nearly constant fare would have a level

	altaUpTo  = 10 // half the width of the percentile's interval, in points
	mediaUpTo = 20
	altaFrom  = 60 // days in the sample
	mediaFrom = 30
)

// Judge judges the cheapest live fare of a summary. It returns false if there is none. The caller
// fills in the names of the cities.
func Judge(s RouteSummary, now time.Time) (Analysis, bool) {
	live, ok := s.Cheapest(fare.DayOf(now))
	if !ok {
		return Analysis{}, false
	}
	return s.collected(s.onRoute(s.livePrice(live, now), live.Price, live.Age(now)), now), true
}

// JudgePrice judges a price that the caller found elsewhere, even without a live fare. price is in
// the currency of the summary; quoted is the same price as the caller stated it.
func JudgePrice(s RouteSummary, price fare.Cents, quoted fare.Money, now time.Time) Analysis {
	a := s.onRoute(s.declaredPrice(price, quoted), price, 0)
	if live, ok := s.Cheapest(fare.DayOf(now)); ok {
		known := s.livePrice(live, now)
		a.PrezzoNoto = &known
	}
	return s.collected(a, now)
}

// onRoute compares a price with the daily lows of the route.
func (s RouteSummary) onRoute(p Prezzo, price fare.Cents, age time.Duration) Analysis {
	a := s.analysis(p, s.judge(price, age))
	if a.Verdetto.Percentile != nil {
		a.Quartili = s.lowQuartiles()
	}
	return a
}

func (s RouteSummary) analysis(p Prezzo, v Verdetto) Analysis {
	a := Analysis{
		Valuta:             "EUR",
		Ambito:             Rotta,
		Tratta:             s.Tratta(),
		Prezzo:             p,
		Verdetto:           v,
		MesiPerConvenienza: make([]Mese, len(s.Months)),
		Osservazioni:       s.Observations,
		AggiornatoIl:       time.Unix(s.Newest, 0).UTC(),
	}
	for i, m := range s.Months {
		a.MesiPerConvenienza[i] = Mese{m.Month, m.Median, m.Sample}
	}
	if w := s.Window; w != nil {
		a.AnticipoConsigliato = &Anticipo{DaGiorni: w.From, AGiorni: w.To, MedianaCent: w.Median, Campione: w.Sample}
		if w.Saving > 0 {
			a.AnticipoConsigliato.RisparmioCent = &w.Saving
		}
	}
	return a
}

func (s RouteSummary) judge(price fare.Cents, age time.Duration) Verdetto {
	t, _ := PercentileAt(s, price)
	v := t.Verdict(age)
	if s.Basis != nil { // the lows are those of the cities, scaled to the level of the airports
		v.Affidabilita = lower(v.Affidabilita)
		v.GiorniInferiori, v.GiorniUguali, v.Dal = nil, nil, ""
	}
	return v
}

// lower returns the next lower reliability. It leaves "" as it is.
func lower(reliability string) string {
	switch reliability {
	case "":
		return ""
	case Alta:
		return Media
	}
	return Bassa
}

// Verdict returns the verdict on a fare with the given age.
func (t Percentile) Verdict(age time.Duration) Verdetto {
	if t.Size < MinSample {
		return Verdetto{Livello: Insufficient, Campione: t.Size}
	}
	percentile := t.Percent()
	difference := t.Price - t.Median
	return Verdetto{
		Livello:           t.Level(),
		Affidabilita:      reliability(t, age),
		Percentile:        &percentile,
		Intervallo:        intervalOf(t.Interval()),
		GiorniInferiori:   &t.Below,
		GiorniUguali:      &t.Equal,
		Dal:               t.First.String(),
		MedianaCent:       &t.Median,
		MinimoCent:        &t.Minimum,
		ScartoMedianaCent: &difference,
		Campione:          t.Size,
		Stagionale:        new(bool),
	}
}

var levels = []string{Ottimo, Buono, Normale, Caro}

// Level needs t.Size to be at least MinSample.
func (t Percentile) Level() string {
	place := (100*(2*t.Below+t.Equal) + 2*t.Size - 1) / (2 * t.Size) // rounded up: 10.1 is above 10
	level := departure.LevelAt(place)
	if level <= departure.Buono && t.Cheap || level == departure.Caro && t.Dear {
		return level.String()
	}
	return Normale
}

func levelPlace(level string) int { return slices.Index(levels, level) }

// reliability depends on the width of the percentile's interval, the number of days in the sample,
// and the age of the fare. Even with a narrow interval, a small sample is never alta, because it
// stands for a short period.
func reliability(t Percentile, age time.Duration) string {
	low, high := t.Interval()
	step := 2
	switch half := (high - low) / 2; {
	case half <= altaUpTo && t.Size >= altaFrom:
		step = 0
	case half <= mediaUpTo && t.Size >= mediaFrom:
		step = 1
	}
	return reliabilityAt(step, age)
}

// trusted lowers the step of reliability if earlier verdicts of that reliability proved too sure.
func trusted(step int, doubted [3]bool) int {
	if doubted[step] {
		step++
	}
	return step
}

// reliabilityAt returns the published reliability of a step, or the next lower one for a stale
// fare.
func reliabilityAt(step int, age time.Duration) string {
	if age >= StaleAfter {
		step++
	}
	return [...]string{Alta, Media, Bassa}[min(step, 2)]
}
