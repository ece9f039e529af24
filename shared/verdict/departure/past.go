package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	lowDays   = 60 // how far back a departure's own minimum reaches
	moveDays  = 30 // how far back its moves are counted
	moved     = .01
	movesKept = 5 // the tables do not tell 5 moves from more
)

// Past is what is remembered of one departure: how often its price moved and
// how low it was, as far as a later question can ask. It is exact: a Past
// answers for any later day as the list of all quotes would.
type Past struct {
	// lows are the quotes that no later one reaches down to, oldest and lowest
	// first; the last is the newest quote. The minimum of any span that ends now
	// is the first of them inside it.
	lows []seen
	// moves are the days until which the newest moves count, in order.
	moves []fare.Day
}

type seen struct {
	day   fare.Day
	price fare.Cents
}

// Last is the newest quote and its day.
func (p *Past) Last() (fare.Day, fare.Cents, bool) {
	if len(p.lows) == 0 {
		return 0, 0, false
	}
	last := p.lows[len(p.lows)-1]
	return last.day, last.price, true
}

// See adds the quote of a day. Days come in order; of a day there is one quote.
func (p *Past) See(day fare.Day, price fare.Cents) {
	if before, was, ok := p.Last(); ok && isMove(was, price) {
		// A move is known by two quotes: it counts while the newer lies within 30 days and the older within 60.
		if p.moves = append(p.moves, min(day+moveDays, before+lowDays)); len(p.moves) > movesKept {
			p.moves = append(p.moves[:0], p.moves[1:]...)
		}
	}
	n := len(p.lows)
	for n > 0 && p.lows[n-1].price >= price {
		n--
	}
	p.lows = append(p.lows[:n], seen{day, price})
	p.forget(day)
}

// forget drops what no question of that day or a later one can ask for. The newest quote stays.
func (p *Past) forget(day fare.Day) {
	i := 0
	for i < len(p.lows)-1 && p.lows[i].day < day-lowDays {
		i++
	}
	if i > 0 {
		p.lows = append(p.lows[:0], p.lows[i:]...)
	}
	i = 0
	for i < len(p.moves) && p.moves[i] < day {
		i++
	}
	if i > 0 {
		p.moves = append(p.moves[:0], p.moves[i:]...)
	}
}

// on is how often the price moved, up to the asked one and up to five times
// and one, and the minimum of 60 days before. It is not known of a departure
// that was not seen in 60 days.
func (p *Past) on(day fare.Day, price fare.Cents) (moves int, minimum fare.Cents, ok bool) {
	last, was, ok := p.Last()
	if !ok || last < day-lowDays {
		return 0, 0, false
	}
	for _, until := range p.moves {
		if until >= day {
			moves++
		}
	}
	if isMove(was, price) {
		moves++
	}
	i := 0
	for p.lows[i].day < day-lowDays {
		i++
	}
	return moves, p.lows[i].price, true
}

// isMove tells a change of over 1 % from none.
func isMove(from, to fare.Cents) bool { return math.Abs(math.Log(float64(to)/float64(from))) > moved }
