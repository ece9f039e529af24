package cli

import (
	"testing"
	"time"
)

// TestProveImportKilled kills the import of a small panel.
func TestProveImportKilled(t *testing.T) {
	routes := []string{"MIL,LIS", "ROM,PAR", "LON,ROM", "MAD,BCN"}
	first := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC)
	killedImports(t, manyDays(routes, 60, 20), first, first.AddDate(0, 0, 59), 10)
}
