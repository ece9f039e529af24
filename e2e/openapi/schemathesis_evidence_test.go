package openapi

import (
	"os"
	"testing"
)

// TestEvidenceSchemathesis has calls made up for ten minutes, at least 5,000 of them: the
// same ones each time, and other ones with VERDETTO_SEED=N.
func TestEvidenceSchemathesis(t *testing.T) {
	from := int64(20261121)
	if os.Getenv("VERDETTO_SEED") != "" {
		from = seed(t)
	}
	if cases := schemathesis(t, from, "--max-examples", "100000", "--max-time", "300"); cases < 5000 {
		t.Errorf("only %d cases were made up, want 5,000", cases)
	}
}
