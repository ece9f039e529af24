package alerts

import "testing"

// TestEvidenceKilledProcess kills the process 300 times.
func TestEvidenceKilledProcess(t *testing.T) { killed(t, 300) }
