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
	begins   = 240 // day of the shock
	ahead    = 120 // days before departure at which sales start
	everyDay = 7   // days between departures
)

// shock is a sudden change of the fares in a market, such as a price war.
type shock struct {
	name    string
	touches float64               // share of the affected routes
	change  func(day int) float64 // added to the log of fares, by days since the shock
	over    int                   // days until recovery can start; 0 if the change is permanent
	silent  int                   // days on which the source returns nothing
	rivals  bool                  // a new airline adds departures
	within  recovery              // the weeks within which the test requires recovery
}

// classes is the number of groups of routes. A shock affects either all routes of a group or none.
const classes = 10

func class(route int) int { return route % classes }

// ramp returns a change that rises linearly from 0 to the value to, within the given number of
// days.
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

// market holds the invented fares of one route. Fares depend on the season and rise towards
// departure. A fare also changes at random on one day in ten, and later returns part of the way.
type market struct {
	rng     *rand.Rand
	shock   shock
	touched bool
	base    float64
	season  float64              // when in the year fares are highest
	own     map[fare.Day]float64 // offset of each departure from the usual fare
}

func newMarket(seed uint64, route int, s shock) *market {
	rng := rand.New(rand.NewPCG(seed, uint64(route)))
	return &market{
		rng: rng, shock: s, touched: float64(class(route)) < classes*s.touches,
		base: 4.2 + .3*rng.NormFloat64(), season: 2 * math.Pi * rng.Float64(), own: map[fare.Day]float64{},
	}
}

// on returns the fares that the source finds on a day. It must be called for each day in order.
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
			continue // not every fare is found every day
		}
		live = append(live, departure.Live{Depart: at, Price: fare.Cents(100 * math.Round(price)),
			Found: today.Time().Unix() + 3600})
	}
	return live
}
