package restore

import (
	"testing"
	"time"
)

func TestEvidenceKills(t *testing.T) { kill(t, 200, 5*time.Second) }
