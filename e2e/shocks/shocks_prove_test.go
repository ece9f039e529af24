package shocks

import "testing"

// TestProveRecovery measures the recovery of verdicts after each shock over 50 routes.
func TestProveRecovery(t *testing.T) { measure(t, 50) }
