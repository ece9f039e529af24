package refresh_test

import "testing"

func TestEvidenceKilledAndResumed(t *testing.T) { killAndResume(t, 200) }

func TestEvidenceDeepKilled(t *testing.T) { killDeep(t, 100) }
