package departures

import (
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// outcome is what became of a fare, by horizon: of the departure, not of the route.
type outcome struct {
	known, fell, rose [2]bool       // was it seen again, and was some fare at least 5 % lower, or higher
	after             [2]fare.Cents // the last fare within the horizon; 0 where it was not seen
	typical           [2]float64    // the mean fare from that day to the end of the horizon
}

var fallSpans = [2]departure.Horizon{departure.Week, departure.Fortnight}

// outcomes looks ahead from each row. A span that the panel ends inside of is not known.
func (t *Trips) outcomes(prices []fare.Cents) []outcome {
	all := make([]outcome, len(t.rows))
	last := t.last()
	for trip := range t.trips {
		rows := t.of(int32(trip))
		for i, row := range rows {
			o := &all[row]
			from, price := t.rows[row].day, prices[row]
			sum, n := [2]float64{float64(price), float64(price)}, [2]float64{1, 1}
			for _, later := range rows[i+1:] {
				after := t.rows[later].day - from
				if after > departure.Fortnight.Days() {
					break
				}
				if after == 0 {
					continue // the same departure again, on the same day
				}
				for h, horizon := range fallSpans {
					if after > horizon.Days() {
						continue
					}
					if from+horizon.Days() <= last {
						o.known[h] = true
						o.fell[h] = o.fell[h] || departure.Fell(price, prices[later])
						o.rose[h] = o.rose[h] || float64(prices[later]) >= (1+departure.Fall)*float64(price)
					}
					o.after[h] = prices[later]
					sum[h] += float64(prices[later])
					n[h]++
				}
			}
			for h := range fallSpans {
				o.typical[h] = sum[h] / n[h]
			}
		}
	}
	return all
}

func (t *Trips) last() fare.Day { return t.rows[len(t.rows)-1].day }

// prices are those of the rows.
func (t *Trips) prices() []fare.Cents {
	all := make([]fare.Cents, len(t.rows))
	for i, q := range t.rows {
		all[i] = q.price
	}
	return all
}

// days cuts rows into days: the row with which each day begins, and the end of all.
func (t *Trips) days() []int {
	var begin []int
	for i, q := range t.rows {
		if i == 0 || q.day != t.rows[i-1].day {
			begin = append(begin, i)
		}
	}
	return append(begin, len(t.rows))
}

// said is what the rule said of each row on its day. The percentile is NaN where it is not known.
type said struct {
	percentile []float64
	chance     [2][]float64
	quartiles  []inside
	quarter    []fare.Cents // a quarter of the comparables cost less; of departures alone
}

// inside tells where a fare lies in the prices that the rule gives for its comparables.
type inside uint8

const (
	insideHalf   inside = 1 << iota // between the quartiles
	insideTenths                    // between the 5th and the 95th
)

// replayRule asks the rule about each row, on its day and from the days before.
func (t *Trips) replayRule(prices []fare.Cents, became []outcome) said {
	n := len(t.rows)
	s := said{percentile: make([]float64, n), quartiles: make([]inside, n), quarter: make([]fare.Cents, n)}
	for h := range s.chance {
		s.chance[h] = make([]float64, n)
	}
	var (
		begin    = t.days()
		routes   = make([]departure.Route, len(t.Routes))
		pasts    = make([]departure.Past, t.trips)
		cells    = make([]departure.Cells, n)
		pooled   = departure.Start(t.rows[0].day)
		due      [2]int // by horizon: the first day that is not learned from
		asker    departure.RouteDay
		quotes   []departure.Quote
		outcomes []departure.Outcome
	)
	// eachRoute calls for the rows of each route of a day.
	eachRoute := func(day int, do func(route *departure.Route, from, to int)) {
		for from := begin[day]; from < begin[day+1]; {
			to := from
			for to < begin[day+1] && t.rows[to].route == t.rows[from].route {
				to++
			}
			do(&routes[t.rows[from].route], from, to)
			from = to
		}
	}
	for day := range len(begin) - 1 {
		today := t.rows[begin[day]].day
		for h, horizon := range fallSpans {
			for ; due[h] < day && t.rows[begin[due[h]]].day+horizon.Days() < today; due[h]++ {
				var left departure.Statistics
				view := pooled.On(today)
				eachRoute(due[h], func(route *departure.Route, from, to int) {
					outcomes = outcomes[:0]
					for i := from; i < to; i++ {
						if became[i].known[h] {
							outcomes = append(outcomes, departure.Outcome{Cells: cells[i], Fell: became[i].fell[h]})
						}
					}
					route.Learn(horizon, view, outcomes, &left)
				})
				pooled.Learn(horizon, today, &left)
			}
		}
		var left departure.Statistics
		view := pooled.On(today)
		eachRoute(day, func(route *departure.Route, from, to int) {
			asker.Set(route, view)
			quotes = quotes[:0]
			for i := from; i < to; i++ {
				row := &t.rows[i]
				q := departure.Quote{Lead: int(row.lead), Price: prices[i]}
				quotes = append(quotes, q)
				a := asker.Judge(&pasts[row.trip], q)
				s.percentile[i], cells[i] = a.Percentile, a.Cells
				for h := range fallSpans {
					s.chance[h][i] = a.Chance[h]
				}
				if a.Known {
					s.quartiles[i], s.quarter[i] = place(&asker, q)
				}
			}
			for i := from; i < to; i++ {
				pasts[t.rows[i].trip].See(today, prices[i])
			}
			route.Fold(view, quotes, &left)
		})
		pooled.Fold(today, &left)
	}
	return s
}

// place compares a fare with the prices of its comparables, and tells below which a quarter of them lies.
func place(asker *departure.RouteDay, q departure.Quote) (in inside, quarter fare.Cents) {
	between := func(low, high float64) (from fare.Cents, yes bool) {
		from, _ = asker.Quantile(q.Lead, low)
		to, _ := asker.Quantile(q.Lead, high)
		return from, from <= q.Price && q.Price <= to
	}
	quarter, half := between(.25, .75)
	if half {
		in |= insideHalf
	}
	if _, yes := between(.05, .95); yes {
		in |= insideTenths
	}
	return in, quarter
}

var unknown = math.NaN()
