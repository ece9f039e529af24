package shocks

import "testing"

// TestProveRecovery measures 50 routes.
func TestProveRecovery(t *testing.T) { measure(t, 50) }
