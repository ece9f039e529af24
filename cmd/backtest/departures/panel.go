package departures

import (
	"math"
	"math/rand/v2"
	"slices"

	"verdetto/shared/fare"
)

// Panel holds recorded fares: one row for each departure and each day on which it was seen, the
// cheapest fare of that day. Rows are in order of day, then of route and departure.
type Panel struct {
	Routes     []string // by number
	Rows       []Row
	Departures int // number of departures in the whole panel; some have no rows in a part of it
	Read       int // rows of the file, including those that were dropped
	Dropped    map[string]int
	Notes      []string // on how rows were interpreted

	perCent     []float64 // by route: the value in EUR cents of a hundredth of the quoted currency
	byDeparture [][]int32 // indexes of each departure's rows, in order of day
}

type Row struct {
	Route, Departure int32
	Day              fare.Day
	Lead             int32
	Price            fare.Cents // as quoted; in euro if the route has several currencies
}

func (r Row) departs() fare.Day { return r.Day + fare.Day(r.Lead) }

// index prepares byDeparture. It must be called again when rows were removed.
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

// days returns the index of the first row of each day, and at the end the number of rows.
func (p *Panel) days() []int {
	var begin []int
	for i, r := range p.Rows {
		if i == 0 || r.Day != p.Rows[i-1].Day {
			begin = append(begin, i)
		}
	}
	return append(begin, len(p.Rows))
}

// eachRoute calls do with the rows of each route. Rows[from:to] must be the rows of one day.
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

// thinned returns the part of the panel that a service with a refresh every cycle days sees. It
// leaves out the days after to, unless to is 0.
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

// randomWalk returns the reference that no rule can predict. Each departure starts at its first
// recorded price and continues with random steps: the changes of log price between successive fares
// of all departures, shuffled, each with a random sign.
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

// shuffled returns a reference that is easy to predict. The prices of each route are exchanged
// among its rows at random, so after an unusual price the next one is usually closer to the median.
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
