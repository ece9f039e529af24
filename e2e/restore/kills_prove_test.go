package restore

import (
	"testing"
	"time"
)

// TestProveKills is ten kills under load.
func TestProveKills(t *testing.T) { kill(t, 10, 5*time.Second) }
