package departures

import (
	"cmp"
	"math"
	"slices"
)

// auc is the chance that of a row that fell and one that did not the former has
// the higher score, ties counted half. It is NaN where all rows fared alike.
func auc(score []float64, fell []bool) float64 {
	order := ranks(score)
	var pairs, above, falls, rest float64
	for from := 0; from < len(order); {
		to, f, n := from, 0., 0.
		for ; to < len(order) && score[order[to]] == score[order[from]]; to++ {
			if fell[order[to]] {
				f++
			} else {
				n++
			}
		}
		above += f * (rest + n/2)
		falls, rest = falls+f, rest+n
		from = to
	}
	pairs = falls * rest
	return above / pairs
}

// ranks are the rows in order of their score.
func ranks(score []float64) []int32 {
	order := make([]int32, len(score))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(score[a], score[b]) })
	return order
}

// brierSkill is how much smaller the mean square of the error is than that of
// stating the share of all rows each time.
func brierSkill(chance []float64, fell []bool) float64 {
	n, falls, square := float64(len(fell)), 0., 0.
	for i, f := range fell {
		y := 0.
		if f {
			y = 1
		}
		falls += y
		square += (chance[i] - y) * (chance[i] - y)
	}
	base := falls / n
	return 1 - square/n/(base*(1-base))
}

// eceFixed, eceEqual
func ece(chance []float64, fell []bool, equal bool) float64 {
	n := len(fell)
	var sum [11]float64
	var y [11]float64
	var count [11]float64
	order := ranks(chance)
	for pos, i := range order {
		b := min(9, int(chance[i]*10))
		if equal {
			b = pos * 10 / n
		}
		sum[b] += chance[i]
		count[b]++
		if fell[i] {
			y[b]++
		}
	}
	e := 0.
	for b := range sum {
		e += math.Abs(sum[b] - y[b])
	}
	return e / float64(n)
}
