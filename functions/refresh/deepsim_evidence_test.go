package refresh_test

import "testing"

// TestEvidenceDeepWeek is a week of 10,000 routes and 500 daily.
func TestEvidenceDeepWeek(t *testing.T) {
	for _, workers := range []int{2, 8} {
		simulateWeek(t, 10_000, 500, workers, 20_000)
	}
}
