package departures

import (
	"path/filepath"
	"testing"

	"verdetto/shared/architecture/testenv"
)

// TestProveFoldOfRecordedFares replays half a year of recorded fares through refreshes, week by week.
func TestProveFoldOfRecordedFares(t *testing.T) { foldRecorded(t, "eu_wizzair_weekly") }

func foldRecorded(t *testing.T, file string) {
	t.Helper()
	panel, err := OpenTrips(filepath.Join(testenv.Data(t), "fares", file+".csv.gz"), TripOptions{})
	if err != nil {
		t.Fatal(err)
	}
	compareFold(t, panel, foldReplay(t, panel, 0), 0)
}
