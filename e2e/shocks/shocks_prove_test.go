package shocks

import "testing"

// TestProveRecovery is of 50 routes.
func TestProveRecovery(t *testing.T) { measure(t, 50) }
