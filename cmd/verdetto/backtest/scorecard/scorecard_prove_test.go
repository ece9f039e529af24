package scorecard

import "testing"

// TestProveLiveIsReplayed refreshes a service over half a year of recorded fares.
func TestProveLiveIsReplayed(t *testing.T) { proveLive(t, "eu_wizzair_weekly", 7) }
