package notify_test

import "testing"

// TestEvidenceHundredThousandAlerts sends messages for 100,000 alerts of all kinds on 10,000
// routes, and logs the cost.
func TestEvidenceHundredThousandAlerts(t *testing.T) { measure(t, 10_000) }

// TestEvidenceKindsUnderKills is like TestKindsUnderKills, with 100 times as many alerts, and with
// at least 200 kills at every step.
func TestEvidenceKindsUnderKills(t *testing.T) { simulate(t, 100, 10, 35, 2_000, 200) }
