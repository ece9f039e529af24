package departures

import (
	"math"
	"math/rand/v2"
	"slices"

	"verdetto/shared/fare"
)

// The references are copies of the panel with invented prices. They show the lowest and highest
// possible skill. No rule can predict the prices of randomWalk. The prices of shuffled always
// return to the usual prices of the route.

// randomWalk starts each departure at its first recorded price and continues with random steps. The
// steps are the recorded changes of log price between successive fares of a departure. They are
// shuffled over the whole panel, each with a random sign, so no rule can predict them.
func (t *Trips) randomWalk() *Trips {
	rng := rand.New(rand.NewPCG(11, 1))
	var steps []float64
	for trip := range t.trips {
		rows := t.tripRows(int32(trip))
		for i := 1; i < len(rows); i++ {
			steps = append(steps, math.Log(float64(t.rows[rows[i]].price)/float64(t.rows[rows[i-1]].price)))
		}
	}
	rng.Shuffle(len(steps), func(i, j int) { steps[i], steps[j] = steps[j], steps[i] })
	walk := slices.Clone(t.rows)
	for trip := range t.trips {
		rows := t.tripRows(int32(trip))
		if len(rows) == 0 {
			continue
		}
		at := float64(t.rows[rows[0]].price)
		for _, row := range rows[1:] {
			step := steps[0]
			steps = steps[1:]
			if rng.IntN(2) == 0 {
				step = -step
			}
			at *= math.Exp(step)
			walk[row].price = max(1, fare.Cents(math.Round(at)))
		}
	}
	return t.withRows(walk)
}

// shuffled exchanges the prices of each route among its rows (each a fare on one day) at random.
func (t *Trips) shuffled() *Trips {
	rng := rand.New(rand.NewPCG(11, 2))
	dealt := slices.Clone(t.rows)
	for _, rows := range t.byRoute() {
		for i, from := range rng.Perm(len(rows)) {
			dealt[rows[i]].price = t.rows[rows[from]].price
		}
	}
	return t.withRows(dealt)
}

// withRows returns a copy of the panel (observed fares) with the given rows (each a fare on one
// day).
func (t *Trips) withRows(rows []quote) *Trips {
	other := *t
	other.rows = rows
	return &other
}
