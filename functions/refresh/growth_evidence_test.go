package refresh_test

import (
	"fmt"
	"testing"
)

func TestEvidenceGrowth(t *testing.T) {
	for _, routes := range []int{1_000, 10_000} {
		t.Run(fmt.Sprint(routes), func(t *testing.T) { grow(t, routes, 520) })
	}
}
