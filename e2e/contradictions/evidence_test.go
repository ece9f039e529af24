package contradictions

import "testing"

// TestEvidenceOneFareOneLevel checks all routes of all panels of recorded fares.
func TestEvidenceOneFareOneLevel(t *testing.T) {
	for _, p := range panels {
		t.Run(p.file, func(t *testing.T) { check(t, p, 1<<20, 12) })
	}
}
