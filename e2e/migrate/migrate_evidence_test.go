package migrate

import "testing"

// TestEvidenceMoved kills 50 processes each way.
func TestEvidenceMoved(t *testing.T) { moved(t, 50) }
