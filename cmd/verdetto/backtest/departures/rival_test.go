package departures

import (
	"math"
	"testing"

	"verdetto/shared/fare"
)

// TestRival compares the rival's answers with a simple count over all earlier rows (each a fare on
// one day).
func TestRival(t *testing.T) {
	panel := invent(5, 2, 14, 500, 90, reverting)
	got := panel.opinions()
	answered := 0
	for i, q := range panel.rows {
		var near []fare.Cents
		for j, p := range panel.rows {
			if p.route != q.route || p.day > q.day || j == i {
				continue
			}
			season := (int(q.departs()-p.departs())%365 + 365) % 365
			if lead := float64(p.lead); lead >= .85*float64(q.lead) && lead <= 1.15*float64(q.lead) &&
				(season <= 45 || season >= 320) {
				near = append(near, p.price)
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
		if o := got[i]; (o.class >= 0) != (share >= 0) || share >= 0 &&
			math.Abs(float64(o.score)-share) > 1e-6 {
			t.Fatalf("row %d: %+v of the same lead, want %v of %d", i, o, share, len(near))
		}
	}
	if answered < 100 {
		t.Errorf("only %d answers", answered)
	}
}
