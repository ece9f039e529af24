package contradictions

import "testing"

// TestEvidenceOneFareOneLevel is TestOneFareOneLevel over all routes of all panels with dates.
func TestEvidenceOneFareOneLevel(t *testing.T) {
	for _, p := range panels {
		t.Run(p.file, func(t *testing.T) { check(t, p, 1<<20, 12) })
	}
}
