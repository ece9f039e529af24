package verdict

import (
	"math"

	"verdetto/shared/fare"
)

// leads are the lead times, in days, at which the buckets begin.
var leads = [...]int{0, 4, 8, 15, 22, 31, 46, 61, 91, 181}

var bucket = func() (buckets [fare.MaxLead + 1]uint8) {
	b := 0
	for lead := range buckets {
		if b+1 < len(leads) && lead == leads[b+1] {
			b++
		}
		buckets[lead] = uint8(b)
	}
	return buckets
}()

func lead(o fare.Observation) int { return max(0, int(o.Depart-o.FoundDay())) }

type buckets struct {
	sum    [len(leads)]fare.Cents
	count  [len(leads)]int32
	filled int
}

// To remove the effect of the season, the window is chosen by comparing fares of the same
// departure.
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
		case t.departure(o).filled < 2:
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

type leadTimes struct {
	first        fare.Day
	place        []int32
	perDeparture []buckets
}

func newLeadTimes(observations []fare.Observation) *leadTimes {
	first, last := departures(observations)
	days := int(last-first) + 1
	return &leadTimes{first, make([]int32, days), make([]buckets, 0, min(days, len(observations)))}
}

func (t *leadTimes) departure(o fare.Observation) *buckets {
	at := &t.place[o.Depart-t.first]
	if *at == 0 {
		t.perDeparture = append(t.perDeparture, buckets{})
		*at = int32(len(t.perDeparture))
	}
	return &t.perDeparture[*at-1]
}

func (t *leadTimes) add(o fare.Observation, times int) {
	d, b := t.departure(o), bucket[lead(o)]
	if d.count[b] == 0 {
		d.filled++
	}
	d.sum[b] += fare.Cents(times) * o.Price
	if d.count[b] += int32(times); d.count[b] == 0 {
		d.filled--
	}
}

// window leaves Median, Sample and Saving zero. observations must be the fares that were added.
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
	for _, o := range observations {
		if t.departure(o).filled >= 2 {
			w.To = max(w.To, lead(o))
		}
	}
	return w
}

// nearBest is how much more, as a log ratio, a bucket of the booking window may cost than the
// cheapest one.
const nearBest = 0.02

// cheapestBuckets returns the first and the last bucket of the booking window. A least-squares fit
// explains the log of the mean fare as an effect of the departure plus an effect of the bucket.
func cheapestBuckets(perDeparture []buckets) (from, to int, ok bool) {
	const n = len(leads)
	equations, reach, qualified := equationsOf(perDeparture)
	if qualified < MinDepartures {
		return 0, 0, false
	}
	for b := range n {
		// Adding 1 defines the effect of a bucket that shares no departure with others.
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

// Only departures seen in two or more buckets are qualified. reach counts the qualified departures
// of each bucket.
func equationsOf(perDeparture []buckets) (equations [len(leads)][len(leads) + 1]float64, reach [len(leads)]int, qualified int) {
	const n = len(leads)
	for i := range perDeparture {
		d := &perDeparture[i]
		seen := d.filled
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

// solve exchanges no rows, so the matrix must be positive definite.
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
