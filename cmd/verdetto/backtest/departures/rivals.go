package departures

import (
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// The rivals are methods that a user could apply instead of the rule. Each has a score (higher:
// more expensive) and a class. The chance of each class is learned during the replay.
//
//   - same lead: the percentile among the route's other fares, up to that day, of
//     similar lead time (within 15 %) and season (within 45 days, any year). Ties
//     count half. It needs 8 fares. Percentiles form ten classes of equal width.
//   - 60 days: low, typical or high, as on large search sites. The limits are the
//     quartiles of this departure's fares in the last 60 days. With fewer than 8
//     fares, the limits are the quartiles of all departures of the route.
//   - pooled: low, typical or high, by the quartiles of all earlier fares of the route.
const (
	sameLead = iota
	sixtyDays
	pooledQuartiles
	rivalCount
)

var rivalNames = [rivalCount]string{"same lead", "60 days", "pooled quartiles"}

const (
	leadWidth  = .15
	seasonDays = 45
	windowDays = 60
	classes    = 10
)

// opinion is a rival's answer for one row (a fare on one day). A class of -1 means that the rival
// has no answer.
type opinion struct {
	score float32
	class int8
}

func (a answeredPanel) rivals() (all [rivalCount]voice) {
	opinions := a.panel.opinions()
	for r, of := range opinions {
		all[r] = voice{rivalNames[r], a.panel.chances(of, a.outcomes), make([]float64, len(of))}
		for row, o := range of {
			all[r].score[row] = float64(o.score)
			if o.class < 0 {
				all[r].score[row] = unknown
			}
		}
	}
	return all
}

// opinions computes the answers of all rivals for all rows (each a fare on one day), with the
// routes in parallel.
func (t *Trips) opinions() (all [rivalCount][]opinion) {
	for i := range all {
		all[i] = make([]opinion, len(t.rows))
	}
	routes := t.byRoute()
	stats.Parallel(len(routes), func(i int) {
		r := rivalRoute{Trips: t, all: &all, own: map[int32]*window{}}
		t.eachDay(routes[i], r.replay)
	})
	return all
}

// rivalRoute holds the earlier fares of a route, from which the rivals answer.
type rivalRoute struct {
	*Trips
	all    *[rivalCount][]opinion
	byLead [][]departed      // by lead time, in order of departure
	own    map[int32]*window // by departure
	recent window            // of the route
	ever   []fare.Cents      // in order of price
}

// departed is a fare in one of two lists. In a list by lead time (days before departure), its day
// is the day of departure. In a window, its day is the day on which the fare was found.
type departed struct {
	day   fare.Day
	price fare.Cents
}

// replay first judges the rows (each a fare on one day) of a day and then adds them to the history.
// Only the rival "same lead" also compares with fares of the same day.
func (r *rivalRoute) replay(day fare.Day, rows []int32) {
	r.recent.forget(day - windowDays)
	for _, row := range rows {
		q := r.rows[row]
		for len(r.byLead) <= int(q.lead) {
			r.byLead = append(r.byLead, nil)
		}
		r.byLead[q.lead] = append(r.byLead[q.lead], departed{q.departs(), q.price})
	}
	for _, row := range rows {
		q := r.rows[row]
		r.all[sameLead][row] = r.amongSameLead(q)
		r.all[pooledQuartiles][row] = third(r.ever, q.price)
		own := r.own[q.trip]
		if own == nil {
			own = new(window)
			r.own[q.trip] = own
		}
		own.forget(day - windowDays)
		known := own.sorted
		if len(known) < departure.MinCount {
			known = r.recent.sorted
		}
		r.all[sixtyDays][row] = third(known, q.price)
	}
	today := make([]fare.Cents, len(rows))
	for i, row := range rows {
		q := r.rows[row]
		today[i] = q.price
		r.own[q.trip].add(day, q.price)
	}
	slices.Sort(today)
	r.recent.add(day, today...)
	r.ever = merge(r.ever, today)
}

// amongSameLead returns the percentile of a fare among the route's fares of similar lead time (days
// before departure) and season.
func (r *rivalRoute) amongSameLead(q quote) opinion {
	cheaper, equal, n := 0, -1, -1 // the fare itself is in the lists, so both counts start at -1
	leads := min(len(r.byLead)-1, int(float64(q.lead)*(1+leadWidth)))
	const year = 365
	for lead := int(float64(q.lead)*(1-leadWidth) + .999999); lead <= leads; lead++ {
		fares := r.byLead[lead]
		for end := len(fares); end > 0; {
			// Go back by the fewest whole years that bring the newest remaining fare into season or
			// past it.
			years := max(0, (int(q.departs()-fares[end-1].day)+year-seasonDays-1)/year)
			center := q.departs() - fare.Day(years*year)
			for end > 0 && fares[end-1].day > center+seasonDays {
				end--
			}
			for end > 0 && fares[end-1].day >= center-seasonDays {
				end--
				n++
				if p := fares[end].price; p < q.price {
					cheaper++
				} else if p == q.price {
					equal++
				}
			}
			if end > 0 && years == int(max(0, (q.departs()-fares[end-1].day+year-seasonDays-1)/year)) {
				break // no remaining fare is in season, in any year
			}
		}
	}
	if n < departure.MinCount {
		return opinion{class: -1}
	}
	share := (float64(cheaper) + float64(equal)/2) / float64(n)
	return opinion{float32(share), int8(min(classes-1, int(share*classes)))}
}

// third returns an opinion with one of three classes: the fare is below the lower quartile, between
// the quartiles, or above the upper quartile.
func third(sorted []fare.Cents, price fare.Cents) opinion {
	n := len(sorted)
	if n < departure.MinCount {
		return opinion{class: -1}
	}
	class := int8(1)
	if price < sorted[(n-1)/4] {
		class = 0
	} else if price > sorted[n-1-(n-1)/4] {
		class = 2
	}
	return opinion{float32(class), class}
}

// window holds the fares found in the last windowDays days.
type window struct {
	fares  []departed   // by day
	sorted []fare.Cents // in order of price
}

// add adds the prices found on a day. The prices must be sorted.
func (w *window) add(day fare.Day, prices ...fare.Cents) {
	for _, p := range prices {
		w.fares = append(w.fares, departed{day, p})
	}
	w.sorted = merge(w.sorted, prices)
}

func (w *window) forget(before fare.Day) {
	var old []fare.Cents
	for len(w.fares) > 0 && w.fares[0].day < before {
		old = append(old, w.fares[0].price)
		w.fares = w.fares[1:]
	}
	if len(old) == 0 {
		return
	}
	slices.Sort(old)
	w.sorted = slices.DeleteFunc(w.sorted, func(p fare.Cents) bool {
		drop := len(old) > 0 && p == old[0]
		if drop {
			old = old[1:]
		}
		return drop
	})
}

// merge merges two sorted slices. It takes a tenth of the time of sorting.
func merge(a, b []fare.Cents) []fare.Cents {
	i, j := len(a)-1, len(b)-1
	a = append(a, b...)
	for k := len(a) - 1; j >= 0; k-- {
		if i >= 0 && a[i] > b[j] {
			a[k] = a[i]
			i--
		} else {
			a[k] = b[j]
			j--
		}
	}
	return a
}

// frequency learns the chance of a fall for each class of a rival from outcomes (did the fare
// fall?). A class with few cases gets nearly the chance of all classes, which starts at 10 %.
type frequency struct{ n, fell [classes]float64 }

const frequencyPrior = 20

func (f *frequency) chance(class int8) float64 {
	n, fell := 0., 0.
	for i := range f.n {
		n += f.n[i]
		fell += f.fell[i]
	}
	all := (fell + .1*frequencyPrior) / (n + frequencyPrior)
	return (f.fell[class] + frequencyPrior*all) / (f.n[class] + frequencyPrior)
}

func (f *frequency) learn(class int8, fell bool) {
	f.n[class]++
	f.fell[class] += stats.Share(fell)
}

// chances returns a rival's chance of a fall for each row (a fare on one day). It uses only
// outcomes (did the fare fall?) that were known before the row's day.
func (t *Trips) chances(of []opinion, became []outcome) []float64 {
	var f frequency
	all := make([]float64, len(t.rows))
	due := 0
	for i, q := range t.rows {
		for ; t.rows[due].day+departure.Week.Days() < q.day; due++ {
			if of[due].class >= 0 && became[due].known[0] {
				f.learn(of[due].class, became[due].fell[0])
			}
		}
		all[i] = unknown
		if of[i].class >= 0 {
			all[i] = f.chance(of[i].class)
		}
	}
	return all
}
