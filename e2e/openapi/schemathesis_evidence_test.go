package openapi

import "testing"

// TestEvidenceSchemathesis generates calls for at most ten minutes, at least 5,000 in number.
// They are the same each time. VERDETTO_SEED=N generates others.
func TestEvidenceSchemathesis(t *testing.T) {
	if cases := schemathesis(t, seed(t, 20261121), "--max-examples", "100000", "--max-time", "300"); cases < 5000 {
		t.Errorf("only %d cases were made up, want 5,000", cases)
	}
}
