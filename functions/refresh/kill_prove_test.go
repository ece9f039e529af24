package refresh_test

import "testing"

// TestProveKilledAndResumed kills a refresh and the sending of its mails at 10 points.
func TestProveKilledAndResumed(t *testing.T) { killAndResume(t, 10) }
