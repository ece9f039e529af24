package score

import (
	"maps"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

type Week struct {
	Monday fare.Day
	*Sum
}

const (
	MaxWeeks = 53

	leastWeeks  = 12
	leastWaits  = 500
	leastPlaces = 500

	// InBand judges a week only if it has at least leastJudged answers, and if at least leastFalls
	// fares fell or were expected to fall.
	leastJudged, leastFalls = 100, 10
	// The number of fares that fell, divided by the expected number, must lie between these limits.
	leastRatio, mostRatio = .6, 1 / .6
)

// weeks must be complete, oldest first. Learn returns nil if sum has no counts.
func Learn(sum *Sum, weeks []Week) *departure.Experience {
	if sum.Since == 0 {
		return nil
	}
	e := new(departure.Experience)
	for h := range Horizons {
		e.Curves[h] = sum.Horizons[h].Curve()
		e.Bands[h] = bands(h, weeks)
	}
	for i := range Sures {
		tails := interval(weeks, func(c *Counts) (x, n int64) {
			return c.Places[i][0] + c.Places[i][Places-1], total(c.Places[i][:])
		})
		// If percentiles are right, 5 % of them are below 5, and 5 % are 95 or more.
		e.Doubted[i] = tails.enough(leastPlaces) && tails.low > .15
	}
	e.WeeksOut = weeksOut(weeks)
	return e
}

// Whole returns at most MaxWeeks weeks before the given Monday, oldest first.
func Whole(all map[fare.Day]*Sum, monday fare.Day) (weeks []Week) {
	for _, m := range slices.Sorted(maps.Keys(all)) {
		if m < monday && m >= monday-7*MaxWeeks {
			weeks = append(weeks, Week{m, all[m]})
		}
	}
	return weeks
}

// weeksOut counts the latest successive weeks for which InBand returned false. It skips weeks with
// too few cases.
func weeksOut(weeks []Week) (n int) {
	for _, w := range weeks {
		switch in, known := w.Horizons[0].InBand(); {
		case known && in:
			n = 0
		case known:
			n++
		}
	}
	return n
}

// InBand reports whether the number of falls agrees with the stated chances, and cheap fares did
// not fall more often than other fares. known is false if there are too few cases.
func (h *HorizonCounts) InBand() (in, known bool) {
	var n, fell int64
	stated := 0.
	for _, b := range h.Bands {
		n += b.N
		fell += b.Fell
		stated += float64(b.Stated) / 100
	}
	if n < leastJudged || max(float64(fell), stated) < leastFalls {
		return false, false
	}
	var cheap, dear Pair
	for l, spans := range h.Levels {
		to := &cheap
		if l >= departure.Fair.Place() {
			to = &dear
		}
		for _, cell := range spans {
			to.N += cell.N
			to.Fell += cell.Fell
		}
	}
	ordered := cheap.N == 0 || dear.N == 0 || cheap.Fell*dear.N <= dear.Fell*cheap.N
	return ordered && float64(fell) >= leastRatio*stated && float64(fell) <= mostRatio*stated, true
}

func bands(h int, weeks []Week) []departure.Band {
	all := make([]departure.Band, len(departure.RecordEdges)-1)
	known := false
	for i := range all {
		from, to := int(math.Round(20*departure.RecordEdges[i])), min(Bands,
			int(math.Round(20*departure.RecordEdges[i+1])))
		waitOf := func(c *Counts) (w Wait) {
			for _, b := range c.Horizons[h].Bands[from:to] {
				w.N += b.N
				w.Fell += b.Fell
				w.Rose += b.Rose
				w.Dearer += b.Dearer
				w.Change += b.Change
			}
			return w
		}
		all[i] = departure.Band{From: departure.RecordEdges[i], To: departure.RecordEdges[i+1]}
		mean := interval(weeks, func(c *Counts) (x, n int64) { w := waitOf(c); return w.Change, w.N })
		if !mean.enough(leastWaits) {
			continue
		}
		var sum Wait
		for _, w := range weeks {
			one := waitOf(&w.Counts)
			sum.N += one.N
			sum.Fell += one.Fell
			sum.Rose += one.Rose
			sum.Dearer += one.Dearer
		}
		share := func(n int64) float64 { return float64(n) / float64(sum.N) }
		known = true
		b := &all[i]
		b.Cases, b.Fell, b.Rose, b.Dearer, b.Panels = int(sum.N), share(sum.Fell), share(sum.Rose), share(sum.Dearer), 1
		b.Mean, b.Low, b.High = mean.value/1e4, mean.low/1e4, mean.high/1e4
	}
	if !known {
		return nil
	}
	return all
}

type estimate struct {
	value, low, high float64
	cases            int64
	weeks            int
}

func (e estimate) enough(cases int64) bool { return e.weeks >= leastWeeks && e.cases >= cases }

// interval estimates the ratio of two sums over weeks (W. G. Cochran, 1977). It uses the variance
// between weeks, because the outcomes of one week are correlated.
func interval(weeks []Week, count func(*Counts) (x, n int64)) (e estimate) {
	var sum int64
	for _, w := range weeks {
		if x, n := count(&w.Counts); n > 0 {
			sum += x
			e.cases += n
			e.weeks++
		}
	}
	if e.weeks < 2 {
		return e
	}
	e.value = float64(sum) / float64(e.cases)
	squares := 0.
	for _, w := range weeks {
		x, n := count(&w.Counts)
		d := float64(x) - e.value*float64(n)
		squares += d * d
	}
	free := float64(e.weeks - 1)
	t := 1.96 + 2.65/free // approximates Student's t for a 95 % interval
	half := t * math.Sqrt(squares*float64(e.weeks)/free) / float64(e.cases)
	e.low, e.high = e.value-half, e.value+half
	return e
}
