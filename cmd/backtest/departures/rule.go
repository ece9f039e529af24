package departures

import (
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// The arrays are indexed like horizons. Unless known is true, fell and rose mean nothing.
type outcome struct {
	known, fell, rose [2]bool       // fell and rose: a later fare within the horizon was at least 5 % lower, or higher
	after             [2]fare.Cents // last fare within the horizon, or 0
	typical           [2]float64    // mean fare from the row's day to the end of the horizon
}

var horizons = [2]departure.Horizon{departure.Week, departure.Fortnight}

func outcomes(t *Panel) []outcome {
	all := make([]outcome, len(t.Rows))
	last := t.last()
	for departed := range t.Departures {
		rows := t.byDeparture[departed]
		for i, row := range rows {
			o := &all[row]
			from, price := t.Rows[row].Day, t.Rows[row].Price
			sum, n := [2]float64{float64(price), float64(price)}, [2]float64{1, 1}
			for _, at := range rows[i+1:] {
				later := t.Rows[at]
				after := later.Day - from
				if after > departure.Fortnight.Days() {
					break
				}
				for h, horizon := range horizons {
					if after > horizon.Days() {
						continue
					}
					if from+horizon.Days() <= last {
						o.known[h] = true
						o.fell[h] = o.fell[h] || departure.Fell(price, later.Price)
						o.rose[h] = o.rose[h] || departure.Rose(price, later.Price)
					}
					o.after[h] = later.Price
					sum[h] += float64(later.Price)
					n[h]++
				}
			}
			for h := range horizons {
				o.typical[h] = sum[h] / n[h]
			}
		}
	}
	return all
}

// The slices of Answers are indexed by row. Percentile is NaN if the rule has too few fares. Chance
// holds the chances of a fall within 7 and 14 days.
type Answers struct {
	Percentile []float64
	Chance     [2][]float64
	level      []int8 // departure.Level.Place of the published level
	cells      []departure.Cells
}

// The parameter pooled must not contain any fares.
func replayRule(t *Panel, became []outcome, pooled *departure.Pooled) Answers {
	n := len(t.Rows)
	r := ruleReplay{
		Panel: t, became: became, pooled: pooled,
		routes: make([]departure.Route, len(t.Routes)), pasts: make([]departure.Past, t.Departures),
		answers: Answers{Percentile: make([]float64, n), cells: make([]departure.Cells, n), level: make([]int8, n)},
	}
	for i := range 2 {
		r.answers.Chance[i] = make([]float64, n)
	}
	begin := t.days()
	pooled.StartCurve(t.first(), onSale(t, begin[0], begin[1]))
	var due [2]int // by horizon: the first day whose outcomes are not learned yet
	for day := range len(begin) - 1 {
		today := t.Rows[begin[day]].Day
		for h, horizon := range horizons {
			for ; due[h] < day && t.Rows[begin[due[h]]].Day+horizon.Days() < today; due[h]++ {
				r.learn(horizon, today, begin[due[h]], begin[due[h]+1])
			}
		}
		r.judge(today, begin[day], begin[day+1])
	}
	return r.answers
}

type ruleReplay struct {
	*Panel
	became  []outcome
	answers Answers
	pooled  *departure.Pooled
	routes  []departure.Route
	pasts   []departure.Past
	asker   departure.RouteDay
}

func (r *ruleReplay) learn(h departure.Horizon, today fare.Day, from, to int) {
	var learned departure.Statistics
	view := r.pooled.View(today)
	r.eachRoute(from, to, func(route int32, from, to int) {
		var outcomes []departure.Outcome
		for i := from; i < to; i++ {
			if r.became[i].known[h] {
				outcomes = append(outcomes, departure.Outcome{Cells: r.answers.cells[i], Fell: r.became[i].fell[h]})
			}
		}
		r.routes[route].Learn(h, view, outcomes, &learned)
	})
	r.pooled.Learn(h, today, &learned)
}

func (r *ruleReplay) judge(today fare.Day, from, to int) {
	var learned departure.Statistics
	view := r.pooled.View(today)
	r.eachRoute(from, to, func(route int32, from, to int) {
		all := quotes(r.Panel, from, to)
		r.asker.Set(&r.routes[route], view, all)
		for i := from; i < to; i++ {
			q := all[i-from]
			a := r.asker.Judge(&r.pasts[r.Rows[i].Departure], q)
			r.answers.Percentile[i], r.answers.cells[i] = a.Percentile, a.Cells
			if usual := r.asker.Usual(q); a.Known {
				euro := func(price fare.Cents) fare.Cents { return r.euro(r.Rows[i].Route, price) }
				r.answers.level[i] = int8(departure.LevelOf(a.Percentile).Beside(euro(q.Price), euro(usual.Median), euro(usual.HalfHigh)).Place())
			}
			for h := range horizons {
				r.answers.Chance[h][i] = a.Chance[h]
			}
		}
		for i := from; i < to; i++ {
			r.pasts[r.Rows[i].Departure].See(today, r.Rows[i].Price)
		}
		r.asker.Fold(all, &learned)
	})
	r.pooled.Fold(today, &learned)
}

func onSale(t *Panel, from, to int) (all [][]departure.Quote) {
	t.eachRoute(from, to, func(_ int32, from, to int) { all = append(all, quotes(t, from, to)) })
	return all
}

func quotes(t *Panel, from, to int) []departure.Quote {
	all := make([]departure.Quote, 0, to-from)
	for _, q := range t.Rows[from:to] {
		all = append(all, departure.Quote{Lead: int(q.Lead), Price: q.Price})
	}
	return all
}
