package alerts

import "testing"

// TestEvidenceKilledProcess kills the mailing process 300 times: see the function killed.
func TestEvidenceKilledProcess(t *testing.T) { killed(t, 300) }
