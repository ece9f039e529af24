package refresh_test

import (
	"fmt"
	"testing"
)

// TestEvidenceGrowth is how large a file becomes in a year, and that it stops there.
func TestEvidenceGrowth(t *testing.T) {
	for _, routes := range []int{1_000, 10_000} {
		t.Run(fmt.Sprint(routes), func(t *testing.T) { grow(t, routes, 520) })
	}
}
