package departures

import (
	"math"
	"math/rand/v2"
	"slices"

	"verdetto/shared/fare"
)

// A row of Panel is the cheapest fare of a departure on a day. Rows are in order of day, route and
// departure.
type Panel struct {
	Routes     []string
	Rows       []Row
	Departures int // number of departures in the whole panel, also in a thinned copy
	Read       int
	Dropped    map[string]int
	Notes      []string

	perCent     []float64 // by route: EUR cents per hundredth of the quoted currency
	byDeparture [][]int32 // indexes of each departure's rows, in order of day
}

type Row struct {
	Route, Departure int32
	Day              fare.Day
	Lead             int32
	Price            fare.Cents // as quoted; in euro if the route has several currencies
}

func (r Row) departs() fare.Day { return r.Day + fare.Day(r.Lead) }

// Call index again after rows were removed.
func (p *Panel) index() {
	p.byDeparture = make([][]int32, p.Departures)
	for i, r := range p.Rows {
		p.byDeparture[r.Departure] = append(p.byDeparture[r.Departure], int32(i))
	}
}

func (p *Panel) euro(route int32, price fare.Cents) fare.Cents {
	return fare.Cents(math.Round(float64(price) * p.perCent[route]))
}

func (p *Panel) first() fare.Day { return p.Rows[0].Day }
func (p *Panel) last() fare.Day  { return p.Rows[len(p.Rows)-1].Day }

func (p *Panel) days() []int {
	var begin []int
	for i, r := range p.Rows {
		if i == 0 || r.Day != p.Rows[i-1].Day {
			begin = append(begin, i)
		}
	}
	return append(begin, len(p.Rows))
}

// Rows[from:to] must be the rows of one day.
func (p *Panel) eachRoute(from, to int, do func(route int32, from, to int)) {
	for from < to {
		route, end := p.Rows[from].Route, from
		for end < to && p.Rows[end].Route == route {
			end++
		}
		do(route, from, end)
		from = end
	}
}

func (p *Panel) byRoute() [][]int32 {
	all := make([][]int32, len(p.Routes))
	for i, r := range p.Rows {
		all[r.Route] = append(all[r.Route], int32(i))
	}
	return all
}

// If the parameter to is not 0, thinned leaves out later days.
func (p *Panel) thinned(cycle int, to fare.Day) *Panel {
	if cycle == 1 && to == 0 {
		return p
	}
	few := *p
	few.Rows = nil
	for _, r := range p.Rows {
		if int(r.Day-p.first())%cycle == 0 && (to == 0 || r.Day <= to) {
			few.Rows = append(few.Rows, r)
		}
	}
	few.index()
	return &few
}

// randomWalk returns a reference whose price changes are random: the recorded price steps in random
// order and with random signs.
func (p *Panel) randomWalk() *Panel {
	rng := rand.New(rand.NewPCG(11, 1))
	var steps []float64
	for departure := range p.Departures {
		rows := p.byDeparture[departure]
		for i := 1; i < len(rows); i++ {
			steps = append(steps, math.Log(float64(p.Rows[rows[i]].Price)/float64(p.Rows[rows[i-1]].Price)))
		}
	}
	rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	walk := slices.Clone(p.Rows)
	for departure := range p.Departures {
		rows := p.byDeparture[departure]
		if len(rows) == 0 {
			continue
		}
		at := float64(p.Rows[rows[0]].Price)
		for _, row := range rows[1:] {
			step := steps[0]
			steps = steps[1:]
			if rng.IntN(2) == 0 {
				step = -step
			}
			at *= math.Exp(step)
			walk[row].Price = max(1, fare.Cents(math.Round(at)))
		}
	}
	return p.withRows(walk)
}

// shuffled returns a reference that is easy to predict: after an unusual price, the next price is
// usually closer to the median.
func (p *Panel) shuffled() *Panel {
	rng := rand.New(rand.NewPCG(11, 2))
	dealt := slices.Clone(p.Rows)
	for _, rows := range p.byRoute() {
		for i, from := range rng.Perm(len(rows)) {
			dealt[rows[i]].Price = p.Rows[rows[from]].Price
		}
	}
	return p.withRows(dealt)
}

func (p *Panel) withRows(rows []Row) *Panel {
	other := *p
	other.Rows = rows
	return &other
}
