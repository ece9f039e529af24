package restore

import (
	"testing"
	"time"
)

// TestEvidenceKills kills the service 200 times under load. Each restart must take at most 5
// seconds.
func TestEvidenceKills(t *testing.T) { kill(t, 200, 5*time.Second) }
