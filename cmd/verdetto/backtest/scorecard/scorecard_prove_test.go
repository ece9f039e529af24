package scorecard

import "testing"

// TestProveLiveIsReplayed: a service that refreshes recorded fares computes the same score as the
// replay. Refreshes are weekly for half a year, and daily for ten weeks.
func TestProveLiveIsReplayed(t *testing.T) {
	for _, c := range []struct {
		name, file  string
		cycle, days int
	}{
		{"weekly", "eu_wizzair_weekly", 7, 0},
		{"the real source, daily", "travelpayouts_daily_2025_2026", 1, 70},
	} {
		t.Run(c.name, func(t *testing.T) { compare(t, recorded(t, c.file), c.cycle, c.days) })
	}
}
