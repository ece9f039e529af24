package refresh_test

import "testing"

// TestEvidenceKilledAndResumed kills a refresh and the sending of its mails at 200 points.
func TestEvidenceKilledAndResumed(t *testing.T) { killAndResume(t, 200) }

// TestEvidenceDeepKilled runs killDeep with 100 kills.
func TestEvidenceDeepKilled(t *testing.T) { killDeep(t, 100) }
