package verdict

import (
	"math"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// Judgement is the answer to a question about a fare. Amounts are in EUR cents until Judgement.In
// converts the amounts.
type Judgement struct {
	Judged
	Pair
	Scope    Scope
	Declared bool
	At       time.Time
	Newest   time.Time

	Known        *Live
	Lower        *Live
	Euro         fare.Cents
	OwnDay       Verdict
	OwnQuartiles *Quartiles
	Lowest       *Low
	Quartiles    *Quartiles // nil without a verdict
	Lead         *int       // days to departure; nil for a question about a route, or if the departure is unknown
	InWindow     *bool
	Forecasts    []Forecast
	Months       []Month
	Window       *Window
	Collection   *Collection
	Observations int
}

type Quartiles = departure.Quartiles

// Verdict is the verdict on a fare. Without enough data, all fields but Level and Sample are zero.
type Verdict struct {
	Level           Level
	Reliability     Reliability
	Percentile      int
	Interval        *Interval
	Days            *DayCount // nil unless Judgement.Scope is OfRoute
	Median, Minimum fare.Cents
	Sample          int
	Comparison      Comparison
}

func (v Verdict) Judged() bool { return v.Level != "" && v.Level != Unjudged }

// Interval is in whole percent, rounded outwards.
type Interval struct{ From, To int }

func intervalOf(low, high float64) *Interval {
	const rounding = 1e-9
	return &Interval{int(math.Floor(low + rounding)), int(math.Ceil(high - rounding))}
}

type DayCount struct {
	Lower, Equal int
	Since        fare.Day
}

type Forecast struct {
	Fall
	Uncalibrated float64 // 0 if Pooled.Experience is nil
	Rise         float64
	Mean         fare.Cents
	Low, High    fare.Cents
	Dearer       float64
	Cases        int
	Pays         bool
}

// Values of Level, Reliability, Scope and Comparison are published, so existing values must not change.
type (
	Level       = departure.Level
	Reliability string
	Scope       string
	Comparison  string
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

const StaleAfter = 72 * time.Hour

const (
	// clearly is the distance from the median, in percent, below which a price is Fair.
	clearly = 2

	// For alta and media: the maximum half width of the percentile's interval, in points, and the
	// minimum number of days.
	altaUpTo, mediaUpTo = 10, 20
	altaFrom, mediaFrom = 60, 30
)

func Judge(s RouteSummary, now time.Time) (Judgement, bool) {
	live, ok := s.Cheapest(fare.DayOf(now))
	if !ok {
		return Judgement{}, false
	}
	return s.onRoute(s.inEuro(live), live.Price, live.Age(now), now), true
}

// JudgePrice judges a price that the caller found elsewhere. price is in the currency of the
// summary; quoted is the same price as the caller stated it.
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
	if s.Basis != nil {
		v.Reliability, v.Days = ReliabilityAt(v.Reliability, StaleAfter), nil
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

// Call Level only if PercentileAt returned true.
func (t Percentile) Level() Level {
	place := (100*(2*t.Below+t.Equal) + 2*t.Size - 1) / (2 * t.Size) // 10.1 % is above 10 %, so round up
	level := departure.LevelAt(place)
	if (level == Great || level == Good) && t.Cheap || level == Expensive && t.Dear {
		return level
	}
	return Fair
}

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

func reliabilityAt(step int, age time.Duration) Reliability {
	if age >= StaleAfter {
		step++
	}
	return reliabilities[min(step, 2)]
}
