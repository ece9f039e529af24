package departures

import (
	"math"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// outcome is what happened to the fare of a departure within each horizon: 7 and 14 days.
type outcome struct {
	known, fell, rose [2]bool       // seen again; some fare at least 5 % lower; some fare at least 5 % higher
	after             [2]fare.Cents // the last fare within the horizon; 0 if not seen
	typical           [2]float64    // mean fare from the row's day to the end of the horizon
}

var fallSpans = [2]departure.Horizon{departure.Week, departure.Fortnight}

// outcomes (did the fare fall?) returns the outcome of each row. The outcome is unknown if the
// panel (observed fares) ends before the horizon does.
func (t *Trips) outcomes() []outcome {
	all := make([]outcome, len(t.rows))
	last := t.last()
	for trip := range t.trips {
		rows := t.tripRows(int32(trip))
		for i, row := range rows {
			o := &all[row]
			from, price := t.rows[row].day, t.rows[row].price
			sum, n := [2]float64{float64(price), float64(price)}, [2]float64{1, 1}
			for _, at := range rows[i+1:] {
				later := t.rows[at]
				after := later.day - from
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
						o.fell[h] = o.fell[h] || departure.Fell(price, later.price)
						o.rose[h] = o.rose[h] || departure.Rose(price, later.price)
					}
					o.after[h] = later.price
					sum[h] += float64(later.price)
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

// ruleAnswers holds the rule's answer for each row (a fare on one day) on the row's day. The
// percentile is NaN if the rule has too few fares.
type ruleAnswers struct {
	percentile []float64
	chance     [2][]float64
	quartiles  []inside
	cells      []departure.Cells
}

// inside is a set of flags: which price ranges of comparable fares contain a fare.
type inside uint8

const (
	insideHalf   inside = 1 << iota // between the quartiles
	insideTenths                    // between the 5th and the 95th percentile
)

// replayRule judges each row (a fare on one day) on its day. The rule knows the days before, and
// the other rows of the route on that day. pooled must not contain any fares.
func (t *Trips) replayRule(became []outcome, pooled *departure.Pooled) ruleAnswers {
	n := len(t.rows)
	r := ruleReplay{
		Trips: t, became: became, pooled: pooled,
		routes: make([]departure.Route, len(t.Routes)), pasts: make([]departure.Past, t.trips),
		answers: ruleAnswers{percentile: make([]float64, n), quartiles: make([]inside, n),
			cells: make([]departure.Cells, n)},
	}
	for h := range r.answers.chance {
		r.answers.chance[h] = make([]float64, n)
	}
	begin := t.days()
	pooled.StartCurve(t.rows[0].day, t.onSale(begin[0], begin[1]))
	var due [2]int // by horizon: the first day whose outcomes are not learned yet
	for day := range len(begin) - 1 {
		today := t.rows[begin[day]].day
		for h, horizon := range fallSpans {
			for ; due[h] < day && t.rows[begin[due[h]]].day+horizon.Days() < today; due[h]++ {
				r.learn(horizon, today, begin[due[h]], begin[due[h]+1])
			}
		}
		r.judge(today, begin[day], begin[day+1])
		t.passed(today.String())
	}
	return r.answers
}

// ruleReplay holds the rule's state on a day of the replay.
type ruleReplay struct {
	*Trips
	became  []outcome
	answers ruleAnswers
	pooled  *departure.Pooled
	routes  []departure.Route
	pasts   []departure.Past // by departure

	asker    departure.RouteDay
	quotes   []departure.Quote
	outcomes []departure.Outcome
}

// learn updates the rule with the outcomes (did the fare fall?) of one day's rows (each a fare on
// one day).
func (r *ruleReplay) learn(h departure.Horizon, today fare.Day, from, to int) {
	var learned departure.Statistics
	view := r.pooled.View(today)
	r.eachRoute(from, to, func(route int32, from, to int) {
		r.outcomes = r.outcomes[:0]
		for i := from; i < to; i++ {
			if r.became[i].known[h] {
				r.outcomes = append(r.outcomes, departure.Outcome{Cells: r.answers.cells[i], Fell: r.became[i].fell[h]})
			}
		}
		r.routes[route].Learn(h, view, r.outcomes, &learned)
	})
	r.pooled.Learn(h, today, &learned)
}

// judge judges the rows (each a fare on one day) of a day, and then adds these fares to the rule's
// state.
func (r *ruleReplay) judge(today fare.Day, from, to int) {
	var learned departure.Statistics
	view := r.pooled.View(today)
	r.eachRoute(from, to, func(route int32, from, to int) {
		r.quotes = r.quotes[:0]
		for _, row := range r.rows[from:to] {
			r.quotes = append(r.quotes, departure.Quote{Lead: int(row.lead), Price: row.price})
		}
		r.asker.Set(&r.routes[route], view, r.quotes)
		for i := from; i < to; i++ {
			q := r.quotes[i-from]
			a := r.asker.Judge(&r.pasts[r.rows[i].trip], q)
			r.answers.percentile[i], r.answers.cells[i] = a.Percentile, a.Cells
			for h := range fallSpans {
				r.answers.chance[h][i] = a.Chance[h]
			}
			if a.Known {
				r.answers.quartiles[i] = place(&r.asker, q)
			}
		}
		for i := from; i < to; i++ {
			r.pasts[r.rows[i].trip].See(today, r.rows[i].price)
		}
		r.asker.Fold(r.quotes, &learned)
	})
	r.pooled.Fold(today, &learned)
}

// onSale returns the fares in the rows of one day, by route.
func (t *Trips) onSale(from, to int) (all [][]departure.Quote) {
	t.eachRoute(from, to, func(_ int32, from, to int) { all = append(all, t.quotes(from, to)) })
	return all
}

// quotes returns the fares in some rows of a route.
func (t *Trips) quotes(from, to int) []departure.Quote {
	quotes := make([]departure.Quote, 0, to-from)
	for _, q := range t.rows[from:to] {
		quotes = append(quotes, departure.Quote{Lead: int(q.lead), Price: q.price})
	}
	return quotes
}

// place returns the price ranges of comparable fares that contain the fare q.
func place(asker *departure.RouteDay, q departure.Quote) (in inside) {
	between := func(low, high float64) bool {
		from, _ := asker.Quantile(q, low)
		to, _ := asker.Quantile(q, high)
		return from <= q.Price && q.Price <= to
	}
	if between(.25, .75) {
		in |= insideHalf
	}
	if between(.05, .95) {
		in |= insideTenths
	}
	return in
}

var unknown = math.NaN()
