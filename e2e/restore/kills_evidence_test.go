package restore

import (
	"testing"
	"time"
)

// TestEvidenceKills is two hundred kills under load.
func TestEvidenceKills(t *testing.T) { kill(t, 200, 5*time.Second) }
