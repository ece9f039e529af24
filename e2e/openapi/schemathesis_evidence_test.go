package openapi

import "testing"

// TestEvidenceSchemathesis has at least 5,000 calls made up.
func TestEvidenceSchemathesis(t *testing.T) {
	if cases := schemathesis(t, 20260301, "--max-examples", "225"); cases < 5000 {
		t.Errorf("only %d cases were made up, want 5,000", cases)
	}
}
