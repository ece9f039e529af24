package recorded_test

import "testing"

// TestProveStepsFail fails each call of an import.
func TestProveStepsFail(t *testing.T) { failSteps(t, 1) }
