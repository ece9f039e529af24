package places

import (
	"testing"
	"time"
)

func TestZone(t *testing.T) {
	for code, want := range map[string]string{"NYC": "America/New_York", "JFK": "America/New_York", "MIL": "Europe/Rome",
		"SYD": "Australia/Sydney", "KIV": "Europe/Chisinau", "MLH": "Europe/Paris", "TYO": "Asia/Tokyo", "QQQ": "UTC"} {
		if got := Zone(code); got.String() != want {
			t.Errorf("Zone(%q) = %s, want %s", code, got, want)
		}
	}
	for i := 0; i < len(codesTable); i += codeLine {
		code := codesTable[i : i+3]
		if _, err := time.LoadLocation(regionOf(code).zone); err != nil || regionOf(code).zone == "" {
			t.Errorf("%s lies in the zone %q: %v", code, regionOf(code).zone, err)
		}
	}
}
