package alerts

import "testing"

func TestEvidenceKilledProcess(t *testing.T) { killed(t, 300) }
