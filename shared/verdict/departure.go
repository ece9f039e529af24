package verdict

import (
	"math"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict/departure"
)

type When struct {
	Date fare.Day
	Span *departure.Span // a range that includes Date; nil: only Date
}

func (w When) Scope() Scope {
	if w.Span != nil && *w.Span == departure.Month {
		return OfMonth
	}
	return OfDeparture
}

// nearEnough, mediaNear and altaNear are weights; see departure.Answer.Near.
const (
	nearEnough = 3 // a verdict needs earlier fares of this weight, unless enough other departures are on sale
	mediaNear  = 20
	altaNear   = 60

	borrowed = .5 // reliability is bassa if a larger share of the weight is from other routes

	overstated = .40 // chances of 40 % and higher are published as 40 % or more
)

func JudgeDeparture(s *departure.State, p *departure.Pooled, w When, now time.Time) (Judgement, bool, error) {
	q, known, err := newDepartureQuestion(s, p, w, now)
	if err != nil || !known {
		return Judgement{}, false, err
	}
	j, ok := q.judgeLive()
	return j, ok, nil
}

// JudgeDepartures returns a function that judges single departures. Do not call the function
// concurrently.
func JudgeDepartures(s *departure.State, p *departure.Pooled, now time.Time) (judge func(fare.Day) (Judgement, bool),
	err error) {
	q, known, err := newDepartureQuestion(s, p, When{}, now)
	return func(date fare.Day) (Judgement, bool) {
		if q.Date = date; !known {
			return Judgement{}, false
		}
		return q.judgeLive()
	}, err
}

func (q *departureQuestion) judgeLive() (Judgement, bool) {
	live, ok := q.live()
	if !ok {
		return Judgement{}, false
	}
	return q.judgement(q.facts.inEuro(live), live.Depart, live.Price, live.Age(q.now)), true
}

// JudgeDeparturePrice judges a price that the caller found elsewhere. price is in the currency of
// s; quoted is the same price as the caller stated it. It returns false if now is before s.AsOf.
func JudgeDeparturePrice(s *departure.State, p *departure.Pooled, w When, price fare.Cents, quoted fare.Money,
	now time.Time) (Judgement, bool, error) {
	q, known, err := newDepartureQuestion(s, p, w, now)
	if err != nil || !known {
		return Judgement{}, false, err
	}
	declared := Live{Price: q.facts.Euro(price), Quoted: quoted}
	if w.Span == nil {
		declared.Depart = w.Date
	}
	a := q.judgement(declared, declared.Depart, price, 0)
	a.Declared = true
	if live, ok := q.live(); ok {
		known := q.facts.inEuro(live)
		a.Known = &known
	}
	return a, true, nil
}

type departureQuestion struct {
	When
	facts   RouteSummary
	day     *departure.StateDay
	today   fare.Day
	now     time.Time
	rule    *departure.Pooled
	past    *departure.Experience // nil without a score
	earlier int
}

func (q *departureQuestion) live() (Live, bool) {
	if q.Span != nil {
		return q.day.Cheapest(*q.Span, q.Date)
	}
	return q.day.LiveFare(q.Date)
}

func newDepartureQuestion(s *departure.State, p *departure.Pooled, w When, now time.Time) (q departureQuestion,
	known bool, err error) {
	q = departureQuestion{When: w, today: fare.DayOf(now), now: now, rule: p, earlier: s.Route.Count()}
	if q.facts, err = unpackFacts(s); err != nil {
		return q, false, err
	}
	q.day, known = s.Day(p, q.today)
	if p != nil {
		q.past = p.Experience
	}
	return q, known, nil
}

// l is in EUR cents, price in the currency of the state. depart is 0 if the caller named a price
// for a range of dates.
func (q *departureQuestion) judgement(l Live, depart fare.Day, price fare.Cents, age time.Duration) Judgement {
	var a departure.Answer
	var quartiles Quartiles
	if q.Span != nil {
		a, quartiles, _ = q.day.JudgeSpan(*q.Span, q.Date, price)
	} else {
		a, _ = q.day.Judge(q.Date, price)
		quartiles, _ = q.day.Quartiles(q.Date)
	}
	out := q.facts.judgement(l, q.judge(a, quartiles, price, age), q.now)
	out.Scope = q.When.Scope()
	if q.Span == nil {
		if day, lowest, ok := q.day.Lowest(q.Date); ok {
			out.Lowest = &Low{Day: day, Price: q.facts.Euro(lowest)}
		}
	}
	if depart != 0 {
		lead := int(depart - q.today)
		out.Lead = &lead
		if w := q.facts.Window; w != nil {
			inside := w.From <= lead && lead <= w.To
			out.InWindow = &inside
		}
	}
	if q.Span != nil && depart != 0 {
		out.setOwnDay(q)
	}
	if !out.Verdict.Judged() {
		return out
	}
	out.Quartiles = quartiles.In(q.facts.Euro)
	if depart == 0 {
		return out
	}
	if q.Span != nil { // the forecast is for the departure that is cheapest now
		a, _ = q.day.Judge(depart, price)
	}
	out.Forecasts = q.forecasts(a, int(depart-q.today), l.Price)
	return out
}

func (q *departureQuestion) judge(a departure.Answer, quartiles Quartiles, price fare.Cents, age time.Duration) Verdict {
	if !enough(a) {
		return Verdict{Level: Unjudged, Sample: a.Count}
	}
	comparison, sample := q.comparison(a)
	step := 2
	switch {
	case comparison == OnSaleToday || a.Borrowed > borrowed:
	case a.Near >= altaNear:
		step = 0
	case a.Near >= mediaNear:
		step = 1
	}
	if q.past != nil && q.past.Doubted[step] {
		step++
	}
	if q.facts.Basis != nil {
		step++
	}
	return Verdict{
		Level:       departure.LevelOf(a.Percentile).Beside(q.facts.Euro(price), q.facts.Euro(quartiles.Median), q.facts.Euro(quartiles.HalfHigh)),
		Reliability: reliabilityAt(step, age),
		Percentile:  departure.Percent(a.Percentile), Interval: interval(a),
		Median: q.facts.Euro(quartiles.Median), Minimum: q.facts.Euro(quartiles.Minimum),
		Sample: sample, Comparison: comparison,
	}
}

// n comparable fares tell as much as perRoot*sqrt(n) independent fares; see docs/evidence.md.
const perRoot = 1.6

func interval(a departure.Answer) *Interval {
	low, high := agrestiCoull(a.Percentile, perRoot*math.Sqrt(a.Near+float64(a.OnSale)))
	percentile := float64(departure.Percent(a.Percentile))
	return intervalOf(min(low, percentile), high)
}

// With departures on sale but too few earlier fares, comparison counts only the departures on sale.
func (q *departureQuestion) comparison(a departure.Answer) (kind Comparison, fares int) {
	switch {
	case a.OnSale == 0:
		return Earlier, a.Count
	case q.earlier < departure.MinCount:
		return OnSaleToday, a.OnSale
	}
	return OnSaleAndEarlier, a.Count + a.OnSale
}

func (q *departureQuestion) forecasts(a departure.Answer, lead int, price fare.Cents) []Forecast {
	var all []Forecast
	for _, h := range q.horizons(lead) {
		band := q.past.Band(h, a.Chance[h])
		share := func(change float64) fare.Cents { return fare.Cents(math.Round(float64(price) * change)) }
		f := Forecast{Fall: q.chanceOf(a, h), Rise: hundredths(band.Rose), Mean: share(band.Mean), Low: share(band.Low),
			High: share(band.High), Dearer: hundredths(band.Dearer), Cases: band.Cases, Pays: band.Pays()}
		if q.past != nil {
			f.Uncalibrated = hundredths(a.Chance[h])
		}
		all = append(all, f)
	}
	return all
}

// horizons omits a horizon without outcomes, because its chances would come only from the constants
// in rule.json.
func (q *departureQuestion) horizons(lead int) (all []departure.Horizon) {
	for _, h := range departure.Horizons() {
		if lead > int(h.Days()) && q.rule.HasOutcomes(h) {
			all = append(all, h)
		}
	}
	return all
}

func (q *departureQuestion) chanceOf(a departure.Answer, h departure.Horizon) Fall {
	chance := q.past.Calibrate(h, a.Chance[h])
	if chance >= overstated {
		return Fall{int(h.Days()), overstated, true}
	}
	return Fall{Days: int(h.Days()), Chance: hundredths(chance)}
}

func hundredths(share float64) float64 { return math.Round(100*share) / 100 }

const (
	factsFormat     = 1
	factsOfAirports = 2
)

// Facts packs what answers about departures need to know about the series.
func (s RouteSummary) Facts() []byte {
	format := byte(factsFormat)
	if s.Basis != nil {
		format = factsOfAirports
	}
	w := packed.NewWriter(format, 64)
	w.Int(s.Newest, int64(s.Observations))
	encodeMonths(&w, s.Months)
	encodeWindow(&w, s.Window)
	encodeBasis(&w, s.Basis)
	return w
}

func unpackFacts(sheet *departure.State) (RouteSummary, error) {
	s := RouteSummary{AsOf: sheet.AsOf, Currency: sheet.Currency, PerEuro: sheet.PerEuro}
	format := byte(factsFormat)
	if len(sheet.Facts) > 0 && sheet.Facts[0] == factsOfAirports {
		format = factsOfAirports
	}
	r := packed.NewReader(sheet.Facts, format)
	s.Newest, s.Observations = r.Int(), int(r.Int())
	s.Months, s.Window = decodeMonths(&r), decodeWindow(&r)
	if format == factsOfAirports {
		s.Basis = decodeBasis(&r)
	}
	return s, r.ErrIn("facts of a sheet")
}
