package departures

import (
	"math"
	"slices"
	"testing"

	"verdetto/shared/fare"
)

// TestRivals compares the rivals' answers with a simple count over all earlier rows (each a fare on
// one day).
func TestRivals(t *testing.T) {
	panel := invent(5, 2, 14, 500, 90, reverting)
	got := panel.opinions()
	answered := 0
	for i, q := range panel.rows {
		var near, recent, own, ever []fare.Cents
		for j, p := range panel.rows {
			if p.route != q.route || p.day > q.day || j == i {
				continue
			}
			season := (int(q.departs()-p.departs())%365 + 365) % 365
			if lead := float64(p.lead); lead >= .85*float64(q.lead) && lead <= 1.15*float64(q.lead) &&
				(season <= 45 || season >= 320) {
				near = append(near, p.price)
			}
			if p.day < q.day {
				ever = append(ever, p.price)
				if p.day >= q.day-60 {
					recent = append(recent, p.price)
					if p.trip == q.trip {
						own = append(own, p.price)
					}
				}
			}
		}
		share := -1.
		if len(near) >= 8 {
			share = 0
			for _, p := range near {
				if p < q.price {
					share += 1 / float64(len(near))
				} else if p == q.price {
					share += .5 / float64(len(near))
				}
			}
			answered++
		}
		if o := got[sameLead][i]; (o.class >= 0) != (share >= 0) || share >= 0 &&
			math.Abs(float64(o.score)-share) > 1e-6 {
			t.Fatalf("row %d: %+v of the same lead, want %v of %d", i, o, share, len(near))
		}
		if len(own) < 8 {
			own = recent
		}
		for r, fares := range map[int][]fare.Cents{sixtyDays: own, pooledQuartiles: ever} {
			want := int8(-1)
			if n := len(fares); n >= 8 {
				slices.Sort(fares)
				want = 1
				if q.price < fares[(n-1)/4] {
					want = 0
				} else if q.price > fares[n-1-(n-1)/4] {
					want = 2
				}
			}
			if o := got[r][i]; o.class != want {
				t.Fatalf("row %d: %s says %d, want %d", i, rivalNames[r], o.class, want)
			}
		}
	}
	if answered < 100 {
		t.Errorf("only %d answers", answered)
	}
}
