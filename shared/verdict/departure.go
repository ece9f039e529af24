package verdict

import (
	"fmt"
	"math"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict/departure"
)

// When is the departure that a question is about.
type When struct {
	Date fare.Day        // of departure; any day of a month
	Span *departure.Span // the cheapest of several departures; nil: that of Date alone
}

// Scope is what a verdict about it is called.
func (w When) Scope() string {
	if w.Span != nil && *w.Span == departure.Month {
		return InMese
	}
	return InPartenza
}

const (
	nearEnough = 3  // fares near the lead time, in effect, under which no departure is judged
	mediaNear  = 20 // from here on reliability is media: as many as a share is shrunk by
	altaNear   = 60 // alta
	borrowed   = .5 // the share of the weight from other routes above which it is bassa

	overstated = .40 // chances above are overstated where routes are few
)

// JudgeDeparture answers about a departure from the state of its series, at a
// moment; false where no fare of it is live. The names of the cities are the caller's to fill in.
func JudgeDeparture(s *departure.State, p *departure.Pooled, w When, now time.Time) (Analysis, bool, error) {
	q, known, err := onSheet(s, p, w, now)
	if err != nil || !known {
		return Analysis{}, false, err
	}
	live, ok := q.day.LiveOf(w.Date)
	if w.Span != nil {
		live, ok = q.day.Cheapest(*w.Span, w.Date)
	}
	if !ok {
		return Analysis{}, false, nil
	}
	return q.analysis(q.of.shown(live, now), live.Depart, live.Price, live.Age(now)), true, nil
}

// JudgeDeparturePrice judges a price of the state's currency that the caller has
// seen elsewhere for a departure, quoted as said. It needs no live fare. It is
// false where the state is of a later day.
func JudgeDeparturePrice(s *departure.State, p *departure.Pooled, w When, price fare.Cents, quoted fare.Money,
	now time.Time) (Analysis, bool, error) {
	q, known, err := onSheet(s, p, w, now)
	if err != nil || !known {
		return Analysis{}, false, err
	}
	declared := q.of.declared(price, quoted)
	var depart fare.Day
	if w.Span == nil {
		depart = w.Date
		declared.Partenza = depart.String()
	}
	return q.analysis(declared, depart, price, 0), true, nil
}

// departureQuestion is a question about a departure, and what answers it.
type departureQuestion struct {
	When
	of    RouteSummary // currency, rate and facts
	day   *departure.StateDay
	today fare.Day
	past  *departure.Experience // what the score says; nil where it says nothing yet
}

func onSheet(s *departure.State, p *departure.Pooled, w When, now time.Time) (q departureQuestion, known bool,
	err error) {
	q = departureQuestion{When: w, today: fare.DayOf(now)}
	if q.of, err = unpackFacts(s); err != nil {
		return q, false, err
	}
	q.day, known = s.On(p, q.today)
	if p != nil {
		q.past = p.Experience
	}
	return q, known, nil
}

// analysis is what is said of a price. The day of departure is 0 where a price was given for no certain one.
func (q departureQuestion) analysis(p Prezzo, depart fare.Day, price fare.Cents, age time.Duration) Analysis {
	var a departure.Answer
	var quartiles departure.Quartiles
	if q.Span != nil {
		a, quartiles, _ = q.day.JudgeSpan(*q.Span, q.Date, price)
	} else {
		a, _ = q.day.Judge(q.Date, price)
		quartiles, _ = q.day.Quartiles(q.Date)
	}
	out := q.of.analysis(p, q.judge(a, quartiles, price, age))
	out.Ambito = q.Scope()
	if depart != 0 {
		lead := int(depart - q.today)
		out.AnticipoGiorni = &lead
		if w := q.of.Window; w != nil {
			inside := w.From <= lead && lead <= w.To
			out.NellAnticipo = &inside
		}
	}
	if out.Verdetto.Percentile == nil {
		return out
	}
	out.Quartili = q.of.quartili(quartiles)
	if depart == 0 {
		return out
	}
	if q.Span != nil { // what is to be expected is said of the departure that is the cheapest now
		a, _ = q.day.Judge(depart, price)
	}
	out.Previsione = q.forecasts(a, int(depart-q.today), p.Cent)
	return out
}

func (q departureQuestion) judge(a departure.Answer, quartiles departure.Quartiles, price fare.Cents,
	age time.Duration) Verdetto {
	if !enough(a) {
		return Verdetto{Livello: Insufficient, Campione: a.Count}
	}
	percentile := departure.Percent(a.Percentile)
	median, minimum := q.of.Euro(quartiles.Median), q.of.Euro(quartiles.Minimum)
	difference := q.of.Euro(price) - median
	step := 2
	switch {
	case a.Borrowed > borrowed:
	case a.Near >= altaNear:
		step = 0
	case a.Near >= mediaNear:
		step = 1
	}
	if q.past != nil {
		step = trusted(step, q.past.Doubted)
	}
	return Verdetto{
		Livello: departure.LevelOf(a.Percentile).String(), Affidabilita: reliabilityAt(step, age),
		Percentile: &percentile, MedianaCent: &median, MinimoCent: &minimum, ScartoMedianaCent: &difference,
		Campione: a.Count, Stagionale: new(bool),
	}
}

// forecasts say what is to be expected of a departure, for each horizon that ends before it leaves.
func (q departureQuestion) forecasts(a departure.Answer, lead int, price fare.Cents) []Previsione {
	var all []Previsione
	for _, h := range horizonsWithin(lead) {
		of, fall := q.past.Band(h, a.Chance[h]), q.chanceOf(a, h)
		share := func(change float64) fare.Cents { return fare.Cents(math.Round(float64(price) * change)) }
		all = append(all, Previsione{
			Giorni: fall.Giorni, Calo5: fall.Calo5, Calo5Oltre: fall.Calo5Oltre, Rialzo5: hundredths(of.Rose),
			Casi: of.Cases,
			Attesa: Attesa{MediaCent: share(of.Mean), DaCent: share(of.Low), ACent: share(of.High),
				PiuCaro: hundredths(of.Dearer)},
			Conviene: of.Pays(),
		})
		if q.past != nil {
			all[len(all)-1].Calo5Regola = hundredths(a.Chance[h])
		}
	}
	return all
}

// horizonsWithin are those that end before a departure so many days ahead.
func horizonsWithin(lead int) (all []departure.Horizon) {
	for _, h := range departure.Horizons() {
		if lead > int(h.Days()) {
			all = append(all, h)
		}
	}
	return all
}

// chanceOf is the chance of a fall as it is published.
func (q departureQuestion) chanceOf(a departure.Answer, h departure.Horizon) Calo {
	chance := q.past.Told(h, a.Chance[h])
	c := Calo{Giorni: int(h.Days()), Calo5: hundredths(chance)}
	if chance >= overstated {
		c.Calo5, c.Calo5Oltre = overstated, true
	}
	return c
}

func hundredths(share float64) float64 { return math.Round(100*share) / 100 }

const factsFormat = 1

// Facts packs what an answer about a departure says of the series beside: it lies in the state, so
// that such an answer reads nothing else.
func (s RouteSummary) Facts() []byte {
	w := packed.NewWriter(factsFormat, 64)
	w.Int(s.Newest, int64(s.Observations))
	encodeMonths(&w, s.Months)
	encodeWindow(&w, s.Window)
	return w
}

// unpackFacts is what a state says of its series, as a summary without any history.
func unpackFacts(sheet *departure.State) (RouteSummary, error) {
	s := RouteSummary{AsOf: sheet.AsOf, Currency: sheet.Currency, PerEuro: sheet.PerEuro}
	r := packed.NewReader(sheet.Facts, factsFormat)
	s.Newest, s.Observations = r.Int(), int(r.Int())
	s.Months, s.Window = decodeMonths(&r), decodeWindow(&r)
	if err := r.Err(); err != nil {
		return s, fmt.Errorf("decode facts of a sheet: %w", err)
	}
	return s, nil
}
