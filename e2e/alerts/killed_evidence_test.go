package alerts

import "testing"

// TestEvidenceKilledProcess kills the mailing process 300 times; see killed.
func TestEvidenceKilledProcess(t *testing.T) { killed(t, 300) }
