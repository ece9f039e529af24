package departures

import "testing"

// TestProveFoldOfRecordedFares replays half a year of recorded fares through the service's
// refreshes, week by week.
func TestProveFoldOfRecordedFares(t *testing.T) { foldRecorded(t, "eu_wizzair_weekly") }

func foldRecorded(t *testing.T, file string) {
	t.Helper()
	panel := recorded(t, file)
	compareFold(t, panel, foldReplay(t, panel, 0), 0)
}
