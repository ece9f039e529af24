package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// months ranks the departure months by the median of their fares, cheapest first.
func months(observations []fare.Observation) []Month {
	if len(observations) == 0 {
		return nil
	}
	var prices [13][]fare.Cents
	first, last := departures(observations)
	month := make([]uint8, last-first+1) // the calendar is asked once per departure date
	for _, o := range observations {
		m := &month[o.Depart-first]
		if *m == 0 {
			*m = uint8(o.Depart.Month())
		}
		prices[*m] = append(prices[*m], o.Price)
	}
	var ranked []Month
	for m, p := range prices {
		if len(p) >= MinMonth {
			ranked = append(ranked, Month{m, median(p), slices.Min(p), len(p)})
		}
	}
	slices.SortStableFunc(ranked, func(a, b Month) int { return int(a.Median - b.Median) })
	return ranked
}

// leads are the first days of the lead-time buckets; each ends where the next begins.
var leads = [...]int{0, 4, 8, 15, 22, 31, 46, 61, 91, 181}

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

// window finds the booking window that has been cheapest within a departure:
// comparing a departure date with itself keeps the season out of it, which a
// pooled median by lead time does not. For each departure date seen in two or
// more buckets and each of those buckets, the premium is the mean fare there
// over that departure's own minimum; the window is the bucket with the lowest
// median premium.
func window(observations []fare.Observation) *Window {
	if len(observations) == 0 {
		return nil
	}
	type life struct {
		low   fare.Cents
		sum   [len(leads)]fare.Cents
		count [len(leads)]int32
	}
	first, last := departures(observations)
	place := make([]int32, last-first+1) // departure -> 1 + its place in lives
	lives := make([]life, 0, min(len(observations), len(place)))
	for _, o := range observations {
		at := &place[o.Depart-first]
		if *at == 0 {
			lives = append(lives, life{low: o.Price})
			*at = int32(len(lives))
		}
		l, b := &lives[*at-1], bucket[lead(o)]
		l.low = min(l.low, o.Price)
		l.sum[b] += o.Price
		l.count[b]++
	}

	var premium [len(leads)][]float64
	qualified := make([]bool, len(lives))
	departures := 0
	for i := range lives {
		l, seen := &lives[i], 0
		for _, n := range l.count {
			if n > 0 {
				seen++
			}
		}
		if seen < 2 {
			continue
		}
		qualified[i] = true
		departures++
		for b, n := range l.count {
			if n > 0 {
				premium[b] = append(premium[b], float64(l.sum[b])/float64(n)/float64(l.low))
			}
		}
	}
	if departures < MinDepartures {
		return nil
	}
	best, lowest := -1, 0.0
	for b, p := range premium {
		if len(p) < MinDepartures {
			continue
		}
		if m := median(p); best < 0 || m < lowest {
			best, lowest = b, m
		}
	}
	if best < 0 {
		return nil
	}

	var inside, outside []fare.Cents
	furthest := leads[best]
	for _, o := range observations {
		switch {
		case !qualified[place[o.Depart-first]-1]:
		case int(bucket[lead(o)]) == best:
			inside = append(inside, o.Price)
			furthest = max(furthest, lead(o))
		default:
			outside = append(outside, o.Price)
		}
	}
	w := &Window{From: leads[best], To: furthest, Median: median(inside), Sample: len(inside)}
	if best+1 < len(leads) {
		w.To = leads[best+1] - 1
	}
	if len(outside) > 0 {
		w.Saving = median(outside) - w.Median
	}
	return w
}

// median is the middle value, or the mean of the two middle ones. It reorders its argument, which must not be empty.
func median[T fare.Cents | float64](values []T) T {
	half := len(values) / 2
	upper := nth(values, half)
	if len(values)%2 == 1 {
		return upper
	}
	return (slices.Max(values[:half]) + upper) / 2
}

// nth puts the element that would stand at n in sorted order there, with
// nothing greater before it, in linear time on average (Hoare's selection).
func nth[T fare.Cents | float64](values []T, n int) T {
	lo, hi := 0, len(values)-1
	for lo < hi {
		mid := lo + (hi-lo)/2
		pivot := max(min(values[lo], values[mid]), min(max(values[lo], values[mid]), values[hi]))
		i, j := lo, hi
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return values[n]
		}
	}
	return values[n]
}
