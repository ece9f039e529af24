package refresh_test

import "testing"

// TestProveDeepWeek simulates a week with 1,000 routes, 50 of them in demand.
func TestProveDeepWeek(t *testing.T) {
	for _, workers := range []int{2, 8} {
		simulateWeek(t, 1000, 50, workers, 20_000)
	}
}
