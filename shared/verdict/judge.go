package verdict

import (
	"math"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Judgement is the answer to a question about a fare. Amounts are in EUR cents; see In.
type Judgement struct {
	Judged // with Declared, Fare has only the price and, if the question names one, the departure
	Pair
	Scope    Scope
	Declared bool      // the caller gave the price
	At       time.Time // when it was judged
	Newest   time.Time // when the newest fare of the route was found

	Known        *Live      // with Declared: the service's own fare for the question
	Lower        *Live      // a lower fare of any departure, found earlier than the fresh fares; see AddUsual
	Euro         fare.Cents // 1 EUR in the currency of the amounts
	OwnDay       Verdict    // the verdict on Fare for its own day, if the question is about something else; zero: unknown
	OwnQuartiles *Quartiles // the usual prices for OwnDay
	Lowest       *Low       // the lowest fare of the same departure on earlier days
	Quartiles    *Quartiles // the usual prices; nil without a verdict
	Lead         *int       // nil for a question about a route, or if the departure is unknown
	InWindow     *bool      // Lead lies within Window
	Forecasts    []Forecast
	Months       []Month
	Window       *Window
	Collection   *Collection // only for a route without a verdict
	Observations int         // fares of the route in the last HistoryDays days
}

type Quartiles = departure.Quartiles

// Verdict is the verdict on a fare. Without enough data, only Level and Sample are set.
type Verdict struct {
	Level           Level
	Reliability     Reliability
	Percentile      int
	Interval        *Interval  // the 90 % interval of Percentile
	Days            *DayCount  // nil unless Judgement.Scope is OfRoute
	Median, Minimum fare.Cents // of the comparable fares
	Sample          int
	Comparison      Comparison // empty if Judgement.Scope is OfRoute
}

// Judged reports whether there were enough data.
func (v Verdict) Judged() bool { return v.Level != "" && v.Level != Unjudged }

// Interval is in whole percent, rounded outwards.
type Interval struct{ From, To int }

func intervalOf(low, high float64) *Interval {
	const rounding = 1e-9
	return &Interval{int(math.Floor(low + rounding)), int(math.Ceil(high - rounding))}
}

// DayCount counts the days of a sample whose low is lower than or equal to the judged price.
type DayCount struct {
	Lower, Equal int
	Since        fare.Day // the first day of the sample
}

// Forecast says what happened to fares like that of a departure within a number of days.
type Forecast struct {
	Fall                    // with the calibrated chance
	Uncalibrated float64    // the chance before calibration; 0 without a score to calibrate with
	Rise         float64    // share of fares that were seen at least 5 % dearer
	Mean         fare.Cents // change of the price after waiting
	Low, High    fare.Cents // 95 % interval of Mean
	Dearer       float64    // share of the waits that ended dearer
	Cases        int        // how many waits Rise, Mean and Dearer are computed from
	Pays         bool       // waiting paid in these cases: High is below zero
}

// The values of these types are published and stored, so they must not change.
type (
	Level       = departure.Level
	Reliability string
	Scope       string // what a verdict judges: the cheapest fare of a route or a month, or a departure
	Comparison  string // with which fares a departure or month is compared
)

const (
	Great     = departure.Great
	Good      = departure.Good
	Fair      = departure.Fair
	Expensive = departure.Expensive
	Unjudged  = Level("dati-insufficienti")

	HighReliability   = Reliability("alta")
	MediumReliability = Reliability("media")
	LowReliability    = Reliability("bassa")

	OfRoute     = Scope("rotta")
	OfMonth     = Scope("mese")
	OfDeparture = Scope("partenza")

	OnSaleToday      = Comparison("partenze-di-oggi")
	Earlier          = Comparison("storia")
	OnSaleAndEarlier = Comparison("entrambe")
)

var (
	levels        = []Level{Great, Good, Fair, Expensive, Unjudged}
	reliabilities = [...]Reliability{HighReliability, MediumReliability, LowReliability}
)

// StaleAfter is the age from which a fare is stale. A verdict on it is one step less reliable.
const StaleAfter = 72 * time.Hour

const (
	// clearly is the least distance from the median, in percent, of a price that is not Fair. Without
	// it, a nearly constant fare would not be Fair after a small change.
	clearly = 2

	// alta and media allow at most these half widths of the percentile's interval, in points, and
	// need at least these numbers of days in the sample.
	altaUpTo, mediaUpTo = 10, 20
	altaFrom, mediaFrom = 60, 30
)

// Judge judges the cheapest live fare of a summary. It returns false if there is none.
func Judge(s RouteSummary, now time.Time) (Judgement, bool) {
	live, ok := s.Cheapest(fare.DayOf(now))
	if !ok {
		return Judgement{}, false
	}
	return s.onRoute(s.inEuro(live), live.Price, live.Age(now), now), true
}

// JudgePrice judges a price that the caller found elsewhere, even without a live fare. price is in
// the currency of the summary; quoted is the same price as the caller stated it.
func JudgePrice(s RouteSummary, price fare.Cents, quoted fare.Money, now time.Time) Judgement {
	a := s.onRoute(Live{Price: s.Euro(price), Quoted: quoted}, price, 0, now)
	a.Declared = true
	if live, ok := s.Cheapest(fare.DayOf(now)); ok {
		known := s.inEuro(live)
		a.Known = &known
	}
	return a
}

func (s RouteSummary) onRoute(l Live, price fare.Cents, age time.Duration, now time.Time) Judgement {
	a := s.judgement(l, s.judge(price, age), now)
	if a.Verdict.Judged() {
		a.Quartiles = s.lowQuartiles(price, a.Verdict.Level)
	}
	if c, ok := s.Collection(fare.DayOf(now)); ok {
		a.Collection = &c
	}
	return a
}

func (s RouteSummary) judgement(l Live, v Verdict, now time.Time) Judgement {
	return Judgement{Judged: Judged{l, v}, Euro: 100, Pair: Pair{Basis: s.Basis}, Scope: OfRoute, At: now,
		Newest: time.Unix(s.Newest, 0).UTC(), Months: s.Months, Window: s.Window, Observations: s.Observations}
}

func (s RouteSummary) judge(price fare.Cents, age time.Duration) Verdict {
	t, _ := PercentileAt(s, price)
	v := t.Verdict(age)
	if s.Basis != nil { // the lows are those of the cities, scaled to the level of the airports
		v.Reliability, v.Days = ReliabilityAt(v.Reliability, StaleAfter), nil // one step lower
	}
	return v
}

func (t Percentile) Verdict(age time.Duration) Verdict {
	if t.Size < MinSample {
		return Verdict{Level: Unjudged, Sample: t.Size}
	}
	return Verdict{
		Level: t.Level(), Reliability: reliability(t, age), Percentile: t.Percent(), Interval: intervalOf(t.Interval()),
		Days: &DayCount{t.Below, t.Equal, t.First}, Median: t.Median, Minimum: t.Minimum, Sample: t.Size,
	}
}

// Level needs t.Size to be at least MinSample.
func (t Percentile) Level() Level {
	place := (100*(2*t.Below+t.Equal) + 2*t.Size - 1) / (2 * t.Size) // rounded up: 10.1 is above 10
	level := departure.LevelAt(place)
	if (level == Great || level == Good) && t.Cheap || level == Expensive && t.Dear {
		return level
	}
	return Fair
}

// Even with a narrow interval, the reliability of a small sample is never alta, because it stands
// for a short period.
func reliability(t Percentile, age time.Duration) Reliability {
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

// reliabilityAt returns the reliability of a step, or the next lower one for a stale fare.
func reliabilityAt(step int, age time.Duration) Reliability {
	if age >= StaleAfter {
		step++
	}
	return reliabilities[min(step, 2)]
}
