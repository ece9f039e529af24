package shocks

import (
	"math"
	"slices"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// week counts the verdicts of the service in one simulated week.
type week struct {
	// routes counts the verdicts on routes. routesLow counts the verdicts on routes with a
	// percentile of at most 50.
	routes, routesLow         float64
	departures, departuresLow float64
	chances                   [10]struct{ n, said, fell float64 }
}

func (w *week) add(o week) {
	w.routes, w.routesLow = w.routes+o.routes, w.routesLow+o.routesLow
	w.departures, w.departuresLow = w.departures+o.departures, w.departuresLow+o.departuresLow
	for i, c := range o.chances {
		w.chances[i].n += c.n
		w.chances[i].said += c.said
		w.chances[i].fell += c.fell
	}
}

// route returns the share of verdicts on routes with a percentile of 50 or less. departure returns
// the same share for verdicts on single departures.
func (w *week) route() float64     { return w.routesLow / w.routes }
func (w *week) departure() float64 { return w.departuresLow / w.departures }

// ece returns the expected calibration error of the published chances that a fare falls within a
// week. It is the mean difference between a chance and how often the fares with this chance fell.
func (w *week) ece() float64 {
	n, off := 0., 0.
	for _, c := range w.chances {
		n += c.n
		off += math.Abs(c.said - c.fell)
	}
	return off / n
}

// simulate runs a service over a market with a shock. The service refreshes every cycle days, and
// updates its stored state as a real refresh does: route summaries by package verdict, departure
// states by State.Advance. State.Advance uses the pooled statistics (sums over all routes) of the
// last complete cycle.
func simulate(s shock, routes, cycle int) *weeks {
	asked := func(day int) bool {
		return day%cycle == 0 && (day < begins || day >= begins+s.silent)
	}
	var all, departures weeks
	var workers sync.WaitGroup
	workers.Go(func() { judgeRoutes(&all, s, routes, asked) })
	workers.Go(func() { judgeDepartures(&departures, s, routes, asked) })
	workers.Wait()
	for c := range all {
		for i := range all[c] {
			all[c][i].add(departures[c][i])
		}
	}
	return &all
}

// weeks holds the simulated weeks of each group of routes.
type weeks [classes][days/7 + 1]week

// window adds up n weeks, starting with the week from. It includes only the routes that the shock
// affects.
func (w *weeks) window(touches float64, from, n int) (all week) {
	for c := range w {
		if float64(c) < classes*touches {
			for _, one := range w[c][from : from+n] {
				all.add(one)
			}
		}
	}
	return all
}

func judgeRoutes(all *weeks, s shock, routes int, asked func(day int) bool) {
	for route := range routes {
		m := newMarket(1, route, s)
		if !m.touched {
			continue // routes do not influence each other
		}
		var found []fare.Observation
		for day := range days {
			for _, l := range m.on(day) {
				if asked(day) {
					found = append(found, fare.Observation{Found: l.Found, Depart: l.Depart, Price: l.Price})
				}
			}
		}
		summaries := verdict.NewDays(found, verdict.Options{})
		for day := range days {
			if !asked(day) {
				continue
			}
			today := firstDay + fare.Day(day)
			if t, ok := verdict.PercentileOf(summaries.Summary(today), today); ok {
				// Fares that equal the judged fare share several ranks. routesLow adds the part of
				// these ranks in the lower half of all ranks. The judged fare belongs to the sample
				// too.
				place := .5*float64(t.Size+1) - float64(t.Below)
				w := &all[class(route)][day/7]
				w.routes++
				w.routesLow += min(max(place/float64(t.Equal+1), 0), 1)
			}
		}
	}
}

// question is a judged fare of a departure, with the published chance that the fare falls within a
// week. It stays open until the week is over.
type question struct {
	day         int
	depart      fare.Day
	price       fare.Cents
	chance      float64
	known, fell bool
}

func judgeDepartures(all *weeks, s shock, routes int, asked func(day int) bool) {
	markets := make([]*market, routes)
	states := make([]departure.Learner, routes)
	recent := make([][]departure.Live, routes)
	open := make([][]question, routes)
	for route := range routes {
		markets[route] = newMarket(1, route, s)
	}
	pooled := departure.Start(firstDay)
	for day := range days {
		today := firstDay + fare.Day(day)
		var left departure.Statistics
		for route, m := range markets {
			live := m.on(day)
			if !asked(day) {
				continue
			}
			// Advance needs the fares that it has not processed yet, and one earlier week of fares.
			recent[route] = append(slices.DeleteFunc(recent[route], func(l departure.Live) bool {
				return l.FoundDay() < today-2*departure.LiveDays && l.FoundDay() < states[route].AsOf
			}), live...)
			states[route].Advance(today, pooled, recent[route], &left)
			if !m.touched {
				continue
			}
			open[route] = answered(&all[class(route)], open[route], day, live)
			sheet, ok := states[route].Day(pooled, today)
			if !ok {
				continue
			}
			for _, l := range live {
				a, ok := sheet.Judge(l.Depart, 0)
				if !ok || !a.Known {
					continue
				}
				w := &all[class(route)][day/7]
				w.departures++
				if a.Percentile <= .5 {
					w.departuresLow++
				}
				open[route] = append(open[route], question{day: day, depart: l.Depart, price: l.Price,
					chance: a.Chance[departure.Week]})
			}
		}
		for _, h := range departure.Horizons() {
			pooled.Learn(h, today, &left)
		}
		pooled.Fold(today, &left)
	}
}

// answered updates the open questions with the fares of a day. It adds the questions whose week is
// over to weeks, and returns the questions that stay open.
func answered(weeks *[days/7 + 1]week, open []question, day int, live []departure.Live) []question {
	price := make(map[fare.Day]fare.Cents, len(live))
	for _, l := range live {
		price[l.Depart] = l.Price
	}
	kept := open[:0]
	for _, q := range open {
		if q.day+7 < day {
			if q.known {
				c := &weeks[q.day/7].chances[min(9, int(10*q.chance))]
				c.n++
				c.said += q.chance
				if q.fell {
					c.fell++
				}
			}
			continue
		}
		if p, ok := price[q.depart]; ok {
			q.known, q.fell = true, q.fell || departure.Fell(q.price, p)
		}
		kept = append(kept, q)
	}
	return kept
}
