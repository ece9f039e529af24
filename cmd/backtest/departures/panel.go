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
	Departures int // number of departures; in a part of a panel, some have no rows
	Read       int // notes about changes to the rows
	Dropped    map[string]int
	Notes      []string // about what was done to rows

	perCent     []float64 // by route: the value in EUR cents of a hundredth of the quoted currency
	byDeparture [][]int32 // indexes of each departure's rows, in order of day
}

// Row is the fare of a departure on a day. Departures are numbered.
type Row struct {
	Route, Departure int32
	Day              fare.Day
	Lead             int32
	Price            fare.Cents // as quoted, in hundredths
}

// departs returns the day of departure.
func (r Row) departs() fare.Day { return r.Day + fare.Day(r.Lead) }

// index prepares byDeparture. It must be called again when rows were removed.
func (p *Panel) index() {
	p.byDeparture = make([][]int32, p.Departures)
	for i, r := range p.Rows {
		p.byDeparture[r.Departure] = append(p.byDeparture[r.Departure], int32(i))
	}
}

// euro converts a route's fare to EUR cents.
func (p *Panel) euro(route int32, price fare.Cents) fare.Cents {
	return fare.Cents(math.Round(float64(price) * p.perCent[route]))
}

// first and last return the first and the last day with a row.
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

// eachRoute calls do for each route that has rows among those of one day, with the range of these
// rows.
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

// byRoute returns the indexes of the rows of each route.
func (p *Panel) byRoute() [][]int32 {
	all := make([][]int32, len(p.Routes))
	for i, r := range p.Rows {
		all[r.Route] = append(all[r.Route], int32(i))
	}
	return all
}

// thinned returns the part of the panel that a service with a refresh every cycle days sees, up to
// the day to; 0 is the last day.
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

// The references are copies of a panel with invented prices. They show the lowest and the highest
// skill that a rule can have.

// randomWalk starts each departure at its first recorded price and continues with random steps. The
// steps are the recorded changes of log price between successive fares of a departure, shuffled
// over the whole panel, each with a random sign. So no rule can predict the prices.
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

// shuffled exchanges the prices of each route among its rows at random. So prices always return to
// what is usual for the route.
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
