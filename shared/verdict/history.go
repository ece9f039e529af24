package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

func months(observations []fare.Observation) []Month {
	if len(observations) == 0 {
		return nil
	}
	var prices [13][]fare.Cents
	first, last := departures(observations)
	month := make([]uint8, last-first+1)
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

// median reorders values, and panics if values is empty.
func median[T fare.Cents | float64](values []T) T {
	half := len(values) / 2
	upper := nth(values, half)
	if len(values)%2 == 1 {
		return upper
	}
	return (slices.Max(values[:half]) + upper) / 2
}

// nth moves the n-th smallest value, counted from 0, to index n, and leaves no larger value before
// index n (Hoare's selection).
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
