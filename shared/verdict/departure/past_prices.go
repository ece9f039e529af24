package departure

import (
	"math"

	"verdetto/shared/fare"
)

const (
	lowDays  = 60 // the minimum price of a departure is that of the last 60 days
	moveDays = 30 // older price moves do not count
	minMove  = .01
	maxMoves = 5 // the tables have one cell for 5 and more moves
)

// Past is the price history of one departure. It holds only what later judgements need.
type Past struct {
	// lows are the quotes that are cheaper than all later ones, oldest first and so cheapest first.
	// The last is the newest quote.
	lows []dayPrice
	// moves holds the last day on which each price move counts, in order.
	moves []fare.Day
}

type dayPrice struct {
	day   fare.Day
	price fare.Cents
}

func (p *Past) Last() (fare.Day, fare.Cents, bool) {
	if len(p.lows) == 0 {
		return 0, 0, false
	}
	last := p.lows[len(p.lows)-1]
	return last.day, last.price, true
}

// See records the price on a day. Call it in order of days, once per day.
func (p *Past) See(day fare.Day, price fare.Cents) {
	if before, was, ok := p.Last(); ok && isMove(was, price) {
		if p.moves = append(p.moves, min(day+moveDays, before+lowDays)); len(p.moves) > maxMoves {
			p.moves = append(p.moves[:0], p.moves[1:]...)
		}
	}
	n := len(p.lows)
	for n > 0 && p.lows[n-1].price >= price {
		n--
	}
	p.lows = append(p.lows[:n], dayPrice{day, price})
	p.forget(day)
}

// forget removes what judgements on the given day or later do not need. It keeps the newest quote.
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

// movesAndLow also counts a move from the last quote to price. ok is false if the departure was not
// seen in the last 60 days.
func (p *Past) movesAndLow(day fare.Day, price fare.Cents) (moves int, minimum fare.Cents, ok bool) {
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

func (p *Past) lowest(day fare.Day) (on fare.Day, price fare.Cents, ok bool) {
	if p == nil {
		return 0, 0, false
	}
	for _, s := range p.lows {
		if s.day >= day-lowDays {
			return s.day, s.price, true
		}
	}
	return 0, 0, false
}

func isMove(from, to fare.Cents) bool { return math.Abs(math.Log(float64(to)/float64(from))) > minMove }
