package departures

import (
	"math"
	"testing"

	"verdetto/shared/fare"
)

func TestRival(t *testing.T) {
	panel := invent(5, 2, 14, 500, 90, reverting)
	got := answered{panel: panel, outcomes: outcomes(panel)}.sameLead()
	judged := 0
	for i, q := range panel.Rows {
		var near []fare.Cents
		for j, p := range panel.Rows {
			if p.Route != q.Route || p.Day > q.Day || j == i {
				continue
			}
			season := (int(q.departs()-p.departs())%365 + 365) % 365
			if lead := float64(p.Lead); lead >= .85*float64(q.Lead) && lead <= 1.15*float64(q.Lead) &&
				(season <= 45 || season >= 320) {
				near = append(near, p.Price)
			}
		}
		share := -1.
		if len(near) >= 8 {
			share = 0
			for _, p := range near {
				if p < q.Price {
					share += 1 / float64(len(near))
				} else if p == q.Price {
					share += .5 / float64(len(near))
				}
			}
			judged++
		}
		if got.answers(i) != (share >= 0) || share >= 0 && math.Abs(got.score[i]-share) > 1e-6 {
			t.Fatalf("row %d: %v of the same lead, want %v of %d", i, got.score[i], share, len(near))
		}
	}
	if judged < 100 {
		t.Errorf("only %d answers", judged)
	}
}
