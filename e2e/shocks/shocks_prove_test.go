package shocks

import "testing"

// TestProveRecovery simulates 50 routes, and measures how many weeks verdicts need to recover from
// each shock.
func TestProveRecovery(t *testing.T) { measure(t, 50) }
