package departures

import (
	"runtime"
	"slices"
	"sort"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// The rivals are what a user could take instead of the rule. Each gives a score
// (higher: dearer) and a class, of which the chance is learned as it goes along.
//
//   - same lead: the percentile among the route's other fares, of that day and
//     before, of nearly the same lead time (15 % either way) and season
//     (departures 45 days either way, of any year), ties counted half; at least 8
//     of them. Ten classes of equal width.
//   - 60 days: low, typical or high, as the big search pages say it: outside
//     the quartiles of what this departure cost in the last 60 days, or, where
//     that is under 8 fares, of what any departure of the route did.
//   - pooled: the same with the quartiles of all earlier fares of the route, of any lead time.
const (
	sameLead = iota
	sixtyDays
	pooledQuartiles
	rivals
)

var rivalNames = [rivals]string{"same lead", "60 days", "pooled quartiles"}

const (
	leadWidth  = .15
	seasonDays = 45
	windowDays = 60
	classes    = 10
)

// opinion is a rival's of one row; the class is -1 where it has none.
type opinion struct {
	score float32
	class int8
}

// opinions are all rivals' of all rows. Routes are independent of each other.
func (t *Trips) opinions() [rivals][]opinion {
	var all [rivals][]opinion
	for i := range all {
		all[i] = make([]opinion, len(t.rows))
	}
	ofRoute := make([][]int32, len(t.Routes))
	for i, q := range t.rows {
		ofRoute[q.route] = append(ofRoute[q.route], int32(i))
	}
	next := make(chan []int32)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for rows := range next {
				r := rivalRoute{trips: t, all: &all, own: map[int32]*window{}}
				r.replay(rows)
			}
		})
	}
	for _, rows := range ofRoute {
		next <- rows
	}
	close(next)
	workers.Wait()
	return all
}

// rivalRoute is what the rivals know of a route.
type rivalRoute struct {
	trips  *Trips
	all    *[rivals][]opinion
	byLead [][]departed      // by lead time, in order of departure
	own    map[int32]*window // of each departure
	recent window            // of the route
	ever   []fare.Cents      // in order
}

// departed is a fare of a lead time.
type departed struct {
	day   fare.Day
	price fare.Cents
}

// replay goes over a route's rows day by day. Of the day itself only the first rival knows.
func (r *rivalRoute) replay(rows []int32) {
	var today []fare.Cents
	for from := 0; from < len(rows); {
		day, to := r.trips.rows[rows[from]].day, from
		for to < len(rows) && r.trips.rows[rows[to]].day == day {
			to++
		}
		r.recent.forget(day - windowDays)
		for _, row := range rows[from:to] {
			q := r.trips.rows[row]
			for len(r.byLead) <= int(q.lead) {
				r.byLead = append(r.byLead, nil)
			}
			r.byLead[q.lead] = append(r.byLead[q.lead], departed{q.departs(), q.price})
		}
		for _, row := range rows[from:to] {
			q := r.trips.rows[row]
			r.all[sameLead][row] = r.amongSameLead(q)
			r.all[pooledQuartiles][row] = third(r.ever, q.price)
			own := r.own[q.trip]
			if own != nil {
				own.forget(day - windowDays)
			}
			if own != nil && len(own.sorted) >= departure.MinCount {
				r.all[sixtyDays][row] = third(own.sorted, q.price)
			} else {
				r.all[sixtyDays][row] = third(r.recent.sorted, q.price)
			}
		}
		today = today[:0]
		for _, row := range rows[from:to] {
			q := r.trips.rows[row]
			if r.own[q.trip] == nil {
				r.own[q.trip] = new(window)
			}
			r.own[q.trip].add(day, []fare.Cents{q.price})
			today = append(today, q.price)
		}
		slices.Sort(today)
		r.recent.add(day, today)
		r.ever = merge(r.ever, today)
		from = to
	}
}

// amongSameLead is the percentile among fares of nearly the same lead time and season.
func (r *rivalRoute) amongSameLead(q quote) opinion {
	cheaper, equal, n := 0, -1, -1 // the fare itself is among them
	leads := min(len(r.byLead)-1, int(float64(q.lead)*(1+leadWidth)))
	const year = 365
	for lead := int(float64(q.lead)*(1-leadWidth) + .999999); lead <= leads; lead++ {
		fares := r.byLead[lead]
		for end := len(fares); end > 0; {
			// The season of the newest of those left that is not after it.
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
				break // what is left is out of season, and of no other year
			}
		}
	}
	if n < departure.MinCount {
		return opinion{class: -1}
	}
	share := (float64(cheaper) + float64(equal)/2) / float64(n)
	return opinion{float32(share), int8(min(classes-1, int(share*classes)))}
}

// third says whether a fare is below, between or above the quartiles.
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

// window is the fares of the last days, in order of price.
type window struct {
	sorted []fare.Cents
	days   []windowDay // in order
}

type windowDay struct {
	day    fare.Day
	prices []fare.Cents // in order
}

func (w *window) add(day fare.Day, prices []fare.Cents) {
	w.days = append(w.days, windowDay{day, slices.Clone(prices)})
	w.sorted = merge(w.sorted, prices)
}

// forget drops what is older than a day.
func (w *window) forget(before fare.Day) {
	n := sort.Search(len(w.days), func(i int) bool { return w.days[i].day >= before })
	if n == 0 {
		return
	}
	var old []fare.Cents
	for _, d := range w.days[:n] {
		old = append(old, d.prices...)
	}
	w.days = w.days[n:]
	slices.Sort(old)
	kept := w.sorted[:0]
	for _, p := range w.sorted {
		if len(old) > 0 && p == old[0] {
			old = old[1:]
			continue
		}
		kept = append(kept, p)
	}
	w.sorted = kept
}

// merge adds values in order to values in order.
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

// frequency learns the chance of each class as outcomes become known, shrunk to
// that of all classes, which begins at a tenth.
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
	if fell {
		f.fell[class]++
	}
}

// chances are a rival's of each row, from outcomes that were known before its day.
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
