package shocks

import "testing"

// TestEvidenceRecovery measures the recovery of verdicts after each shock over 1,000 routes.
func TestEvidenceRecovery(t *testing.T) { measure(t, 1000) }
