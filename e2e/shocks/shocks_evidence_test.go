package shocks

import "testing"

// TestEvidenceRecovery measures 1,000 routes.
func TestEvidenceRecovery(t *testing.T) { measure(t, 1000) }
