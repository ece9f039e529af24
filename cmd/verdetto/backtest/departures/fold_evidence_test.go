package departures

import "testing"

// TestEvidenceFoldOfRecordedFares replays whole recorded panels through the service's refreshes,
// day by day.
func TestEvidenceFoldOfRecordedFares(t *testing.T) {
	for _, file := range []string{"google2026", "travelpayouts_daily_2025_2026"} {
		t.Run(file, func(t *testing.T) { foldRecorded(t, file) })
	}
}
