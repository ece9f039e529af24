package shocks

import "testing"

// TestEvidenceRecovery is of 1,000 routes.
func TestEvidenceRecovery(t *testing.T) { measure(t, 1000) }
