package shocks

import "testing"

// TestEvidenceRecovery simulates 1,000 routes, and measures how many weeks verdicts need to recover
// from each shock.
func TestEvidenceRecovery(t *testing.T) { measure(t, 1000) }
