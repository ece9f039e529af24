package verdict

import (
	"math"

	"verdetto/shared/fare"
)

// leads are the first days of the lead-time buckets; each ends where the next begins.
var leads = [...]int{0, 4, 8, 15, 22, 31, 46, 61, 91, 181}

// LeadStarts are the first days, before departure, of the spans that booking windows are made of.
func LeadStarts() []int { return append([]int(nil), leads[:]...) }

// bucket is the place in leads of a lead time.
var bucket = func() (of [fare.MaxLead + 1]uint8) {
	b := 0
	for lead := range of {
		if b+1 < len(leads) && lead == leads[b+1] {
			b++
		}
		of[lead] = uint8(b)
	}
	return of
}()

func lead(o fare.Observation) int { return max(0, int(o.Depart-o.FoundDay())) }

// buckets are a departure date by lead-time bucket: the sum and the number of its fares.
type buckets struct {
	sum   [len(leads)]fare.Cents
	count [len(leads)]int32
}

// seen is the number of buckets in which the departure was seen.
func (d *buckets) seen() (n int) {
	for _, count := range d.count {
		if count > 0 {
			n++
		}
	}
	return n
}

// window finds the booking window that has been cheapest within a departure:
// comparing a departure date with itself keeps the season out of it, which a
// pooled median by lead time does not. Departure dates seen in two or more
// buckets count.
func window(observations []fare.Observation) *Window {
	if len(observations) == 0 {
		return nil
	}
	t := newLeadTimes(observations)
	for _, o := range observations {
		t.add(o, 1)
	}
	w := t.window(observations)
	if w == nil {
		return nil
	}
	var inside, outside []fare.Cents
	for _, o := range observations {
		switch lead := lead(o); {
		case t.of(o).seen() < 2:
		case w.From <= lead && lead <= w.To:
			inside = append(inside, o.Price)
		default:
			outside = append(outside, o.Price)
		}
	}
	w.Median, w.Sample = median(inside), len(inside)
	if len(outside) > 0 {
		w.Saving = median(outside) - w.Median
	}
	return w
}

// leadTimes are departures by lead-time bucket, in the order in which they were first seen.
type leadTimes struct {
	first        fare.Day
	place        []int32 // departure -> 1 + its place in perDeparture
	perDeparture []buckets
}

// newLeadTimes has room for the departures of observations, of which it holds none.
func newLeadTimes(observations []fare.Observation) *leadTimes {
	first, last := departures(observations)
	return &leadTimes{first, make([]int32, last-first+1), nil}
}

func (t *leadTimes) of(o fare.Observation) *buckets {
	at := &t.place[o.Depart-t.first]
	if *at == 0 {
		t.perDeparture = append(t.perDeparture, buckets{})
		*at = int32(len(t.perDeparture))
	}
	return &t.perDeparture[*at-1]
}

// add takes a fare in, or out at -1.
func (t *leadTimes) add(o fare.Observation, times int) {
	d, b := t.of(o), bucket[lead(o)]
	d.sum[b] += fare.Cents(times) * o.Price
	d.count[b] += int32(times)
}

// window is the span of days of the observations that were taken in, without what was paid inside it.
func (t *leadTimes) window(observations []fare.Observation) *Window {
	from, to, ok := cheapestBuckets(t.perDeparture)
	if !ok {
		return nil
	}
	w := &Window{From: leads[from], To: leads[from]}
	if to+1 < len(leads) {
		w.To = leads[to+1] - 1
		return w
	}
	for _, o := range observations { // the last bucket has no end
		if t.of(o).seen() >= 2 {
			w.To = max(w.To, lead(o))
		}
	}
	return w
}

// nearBest is how much dearer than the best, as a share, a bucket beside it may be and still belong to the window.
const nearBest = 0.02

// cheapestBuckets compares the buckets and gives the run around the cheapest.
//
// Most departures are seen through part of their life only, so a departure's
// own minimum means little: one that was seen only in its last week has a low
// premium there. Instead the log of the mean fare is explained as departure
// plus bucket, and the two are separated by least squares: each bucket is
// compared with every other through the departures that were seen in both.
func cheapestBuckets(perDeparture []buckets) (from, to int, ok bool) {
	const n = len(leads)
	equations, reach, qualified := equationsOf(perDeparture)
	if qualified < MinDepartures {
		return 0, 0, false
	}
	for b := range n {
		// As if one more departure had cost the average in this bucket. It
		// hardly changes the result, and gives buckets that no departure ties
		// to the others an effect of nought in place of none.
		equations[b][b]++
	}
	effect := solve(equations)
	enough := func(b int) bool { return reach[b] >= MinDepartures }
	best := -1
	for b := range effect {
		if enough(b) && (best < 0 || effect[b] < effect[best]) {
			best = b
		}
	}
	if best < 0 {
		return 0, 0, false
	}
	near := func(b int) bool { return enough(b) && effect[b] <= effect[best]+nearBest }
	from, to = best, best
	for from > 0 && near(from-1) {
		from--
	}
	for to+1 < n && near(to+1) {
		to++
	}
	return from, to, true
}

// equationsOf are the normal equations of the buckets' effects, with the
// departures that reach each bucket and those that are seen in two or more.
func equationsOf(perDeparture []buckets) (equations [len(leads)][len(leads) + 1]float64, reach [len(leads)]int, qualified int) {
	const n = len(leads)
	for i := range perDeparture {
		d := &perDeparture[i]
		seen := d.seen()
		if seen < 2 {
			continue
		}
		qualified++
		var logs [n]float64
		mean := 0.0
		for b, k := range d.count {
			if k > 0 {
				logs[b] = math.Log(float64(d.sum[b]) / float64(k))
				mean += logs[b] / float64(seen)
			}
		}
		for b, k := range d.count {
			if k == 0 {
				continue
			}
			reach[b]++
			equations[b][b]++
			for c, k := range d.count {
				if k > 0 {
					equations[b][c] -= 1 / float64(seen)
				}
			}
			equations[b][n] += logs[b] - mean
		}
	}
	return equations, reach, qualified
}

// solve finds the buckets' effects by elimination, which needs no exchange of
// rows: with something added to its diagonal the matrix is positive definite.
func solve(equations [len(leads)][len(leads) + 1]float64) (effect [len(leads)]float64) {
	const n = len(leads)
	for p := range n {
		for r := p + 1; r < n; r++ {
			share := equations[r][p] / equations[p][p]
			for c := p; c <= n; c++ {
				equations[r][c] -= share * equations[p][c]
			}
		}
	}
	for p := n - 1; p >= 0; p-- {
		v := equations[p][n]
		for c := p + 1; c < n; c++ {
			v -= equations[p][c] * effect[c]
		}
		effect[p] = v / equations[p][p]
	}
	return effect
}
