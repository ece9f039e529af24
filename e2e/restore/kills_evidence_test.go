package restore

import (
	"testing"
	"time"
)

// TestEvidenceKills kills the service 200 times under load.
func TestEvidenceKills(t *testing.T) { kill(t, 200, 5*time.Second) }
