package refresh_test

import "testing"

func TestEvidenceDeepWeek(t *testing.T) {
	for _, workers := range []int{2, 8} {
		simulateWeek(t, 10_000, 500, workers, 20_000)
	}
}
