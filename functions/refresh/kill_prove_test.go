package refresh_test

import "testing"

// TestProveKilledAndResumed kills a refresh and its mails at ten points.
func TestProveKilledAndResumed(t *testing.T) { killAndResume(t, 10) }
