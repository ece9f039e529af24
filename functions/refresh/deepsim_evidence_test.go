package refresh_test

import "testing"

// TestEvidenceDeepWeek simulates a week with 10,000 routes, 500 of them in demand.
func TestEvidenceDeepWeek(t *testing.T) {
	for _, workers := range []int{2, 8} {
		simulateWeek(t, 10_000, 500, workers, 20_000)
	}
}
