package refresh_test

import "testing"

func TestProveDeepWeek(t *testing.T) {
	for _, workers := range []int{2, 8} {
		simulateWeek(t, 1000, 50, workers, 20_000)
	}
}
