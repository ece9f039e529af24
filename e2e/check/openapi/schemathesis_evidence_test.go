package openapi

import "testing"

func TestEvidenceSchemathesis(t *testing.T) {
	if cases := schemathesis(t, seed(t, 20261121), "--max-examples", "100000", "--max-time", "300"); cases < 5000 {
		t.Errorf("only %d cases were made up, want 5,000", cases)
	}
}
