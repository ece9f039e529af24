package notify_test

import "testing"

func TestEvidenceHundredThousandAlerts(t *testing.T) { measure(t, 10_000) }

func TestEvidenceKindsUnderKills(t *testing.T) { simulate(t, 200, 5, 35, 2_000, 200) }
