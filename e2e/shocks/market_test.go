package shocks

import (
	"math"
	"math/rand/v2"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

const (
	firstDay = fare.Day(19000)
	days     = 2 * 365
	begins   = 240 // the day on which something happens
	ahead    = 120 // how early departures are sold, in days
	everyDay = 7   // from one departure to the next
)

// shock is what happens to a market.
type shock struct {
	name    string
	touches float64               // share of the routes that it happens to
	change  func(day int) float64 // of the log of fares, so many days after it begins
	over    int                   // recovery is counted from so many days after it begins: 0 where it stays
	silent  int                   // for so many days the source tells nothing
	rivals  bool                  // there is a new airline, with departures of its own
	within  recovery              // held by tests
}

// classes are the routes that something happens to, or not, together.
const classes = 10

func class(route int) int { return route % classes }

// ramp goes from 0 to a change within so many days.
func ramp(day, days int, to float64) float64 {
	return to * min(1, float64(day+1)/float64(days))
}

var allShocks = []shock{
	{name: "nothing", touches: 1, change: func(int) float64 { return 0 }},
	{within: recovery{8, 12, 9}, name: "price war: -35 % for 10 weeks, 40 % of routes", touches: .4, over: 70,
		change: func(day int) float64 {
			return ramp(day, 7, math.Log(.65)) - ramp(max(-1, day-70), 14, math.Log(.65))
		}},
	{within: recovery{8, 28, 15}, name: "halving for 20 weeks, 10 weeks of coming back", touches: 1, over: 210,
		change: func(day int) float64 {
			return ramp(day, 14, math.Log(.5)) - ramp(max(-1, day-140), 70, math.Log(.5))
		}},
	{within: recovery{14, 10, 13}, name: "fuel: +25 % within 3 weeks", touches: 1,
		change: func(day int) float64 { return ramp(day, 21, math.Log(1.25)) }},
	{within: recovery{16, 8, 18}, name: "new airline: -20 %, 30 % of routes", touches: .3, rivals: true,
		change: func(int) float64 { return math.Log(.8) }},
	{within: recovery{4, 4, 3}, name: "source silent for 4 weeks, +10 % meanwhile", touches: 1, silent: 28,
		over: 28, change: func(day int) float64 { return ramp(day, 28, math.Log(1.1)) }},
}

// market is the fares of one route. They have a season, rise towards departure, and
// move a day in ten, in part back to where they came from.
type market struct {
	rng     *rand.Rand
	shock   shock
	touched bool
	base    float64
	season  float64              // when in the year it is dear
	own     map[fare.Day]float64 // of each departure: how far it is from what such departures cost
}

func newMarket(seed uint64, route int, s shock) *market {
	rng := rand.New(rand.NewPCG(seed, uint64(route)))
	return &market{
		rng: rng, shock: s, touched: float64(class(route)) < classes*s.touches,
		base: 4.2 + .3*rng.NormFloat64(), season: 2 * math.Pi * rng.Float64(), own: map[fare.Day]float64{},
	}
}

// on is the fares of a day. Days are asked for one after another.
func (m *market) on(day int) (live []departure.Live) {
	today, since := firstDay+fare.Day(day), day-begins
	level := m.base
	if m.touched && since >= 0 {
		level += m.shock.change(since)
	}
	delete(m.own, today-1)
	rivals := m.touched && m.shock.rivals && since >= 0
	for at := today; at < today+ahead; at++ {
		if at%everyDay != 0 && !(rivals && at%everyDay == everyDay/2) {
			continue
		}
		own, ok := m.own[at]
		switch {
		case !ok:
			own = .15 * m.rng.NormFloat64()
		case m.rng.IntN(10) == 0:
			own = .6*own + .12*m.rng.NormFloat64()
		}
		m.own[at] = own
		season := .12 * math.Sin(2*math.Pi*float64(at)/365+m.season)
		price := math.Exp(level + own + season + .6*math.Exp(-float64(at-today)/12))
		if m.rng.IntN(10) == 0 {
			continue // not every fare is found on every day
		}
		live = append(live, departure.Live{Depart: at, Price: fare.Cents(100 * math.Round(price)),
			Found: today.Time().Unix() + 3600})
	}
	return live
}
