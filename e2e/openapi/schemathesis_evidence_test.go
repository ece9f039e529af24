package openapi

import "testing"

// TestEvidenceSchemathesis has calls made up for ten minutes, at least 5,000 of them: the
// same ones each time, and other ones with VERDETTO_SEED=N.
func TestEvidenceSchemathesis(t *testing.T) {
	if cases := schemathesis(t, seed(t, 20261121), "--max-examples", "100000", "--max-time", "300"); cases < 5000 {
		t.Errorf("only %d cases were made up, want 5,000", cases)
	}
}
