package scorecard

import "testing"

// TestProveLiveIsReplayed: refreshes over recorded fares have the score of the replay. They run
// weekly for half a year, and daily for ten weeks.
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
