package departures

import (
	"slices"

	"verdetto/shared/fare"
)

// Trips is a panel of recorded fares of single departures. A row (a fare on one day) is the
// cheapest fare of a departure found on a day. Rows are in order of day, then of route and
// departure.
type Trips struct {
	Routes  []string // by number
	rows    []quote
	trips   int // number of departures
	byTrip  []int32
	tripAt  []int32 // start of each trip's rows in byTrip
	Dropped map[string]int
	Read    int      // rows of the file
	Notes   []string // about rows that are not plain one-way fares
}

// quote is one row (a fare on one day). A trip is a departure of a route; for round trips, a
// departure and a day of return.
type quote struct {
	route, trip int32
	day         fare.Day
	lead        int32
	price       fare.Cents // as quoted, in hundredths
}

func (q quote) departs() fare.Day { return q.day + fare.Day(q.lead) }

// index computes the rows (each a fare on one day) of each trip, in order of day.
func (t *Trips) index(trips int) {
	t.trips = trips
	t.tripAt = make([]int32, trips+1)
	for _, q := range t.rows {
		t.tripAt[q.trip+1]++
	}
	for i := range trips {
		t.tripAt[i+1] += t.tripAt[i]
	}
	t.byTrip = make([]int32, len(t.rows))
	next := slices.Clone(t.tripAt)
	for i, q := range t.rows {
		t.byTrip[next[q.trip]] = int32(i)
		next[q.trip]++
	}
}

func (t *Trips) tripRows(trip int32) []int32 { return t.byTrip[t.tripAt[trip]:t.tripAt[trip+1]] }

func (t *Trips) last() fare.Day { return t.rows[len(t.rows)-1].day }

// days returns the index of the first row of each day. The last element is the total number of rows
// (each a fare on one day).
func (t *Trips) days() []int {
	var begin []int
	for i, q := range t.rows {
		if i == 0 || q.day != t.rows[i-1].day {
			begin = append(begin, i)
		}
	}
	return append(begin, len(t.rows))
}

// eachRoute calls do for each route, with the index range of its rows (each a fare on one day)
// among the rows of a day.
func (t *Trips) eachRoute(from, to int, do func(route int32, from, to int)) {
	for from < to {
		route, end := t.rows[from].route, from
		for end < to && t.rows[end].route == route {
			end++
		}
		do(route, from, end)
		from = end
	}
}

// byRoute returns the rows (each a fare on one day) of each route, by number of the route.
func (t *Trips) byRoute() [][]int32 {
	all := make([][]int32, len(t.Routes))
	for i, q := range t.rows {
		all[q.route] = append(all[q.route], int32(i))
	}
	return all
}

// eachDay calls do for each day, with the day's rows (each a fare on one day) among the rows of a
// route.
func (t *Trips) eachDay(rows []int32, do func(day fare.Day, rows []int32)) {
	for len(rows) > 0 {
		day, n := t.rows[rows[0]].day, 0
		for n < len(rows) && t.rows[rows[n]].day == day {
			n++
		}
		do(day, rows[:n])
		rows = rows[n:]
	}
}

// thinned returns the rows (each a fare on one day) that a service would see that refreshes every
// o.Cycle days, up to the day o.To.
func (t *Trips) thinned(o Options) *Trips {
	if o.Cycle == 1 && o.To == 0 {
		return t
	}
	few := *t
	few.rows = nil
	for _, q := range t.rows {
		if int(q.day-t.rows[0].day)%o.Cycle == 0 && (o.To == 0 || q.day <= o.To) {
			few.rows = append(few.rows, q)
		}
	}
	few.index(t.trips)
	return &few
}
