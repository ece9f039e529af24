package refresh_test

import "testing"

// TestProveGrowth is a few routes for as long as it takes until observations expire as fast as they come.
func TestProveGrowth(t *testing.T) { grow(t, 100, 460) }
