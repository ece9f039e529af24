package notify_test

import "testing"

// TestEvidenceHundredThousandAlerts logs the cost of messages for 120,000 alerts on 10,000 routes.
func TestEvidenceHundredThousandAlerts(t *testing.T) { measure(t, 10_000) }

// TestEvidenceKindsUnderKills is like TestKindsUnderKills, with 100 times as many alerts and at
// least 200 kills at every step.
func TestEvidenceKindsUnderKills(t *testing.T) { simulate(t, 200, 5, 35, 2_000, 200) }
