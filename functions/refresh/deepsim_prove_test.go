package refresh_test

import "testing"

// TestProveDeepWeek simulates a week of a tenth of the routes: 1,000, 50 of them daily.
func TestProveDeepWeek(t *testing.T) {
	for _, workers := range []int{2, 8} {
		simulateWeek(t, 1000, 50, workers, 20_000)
	}
}
