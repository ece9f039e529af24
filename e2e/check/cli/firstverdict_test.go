package cli

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/upstream/upstreamtest"
)

// Measured are the seconds from the start of serve to the page of the first verdict, and the share
// of departures with a verdict after the first refresh.
func TestFirstVerdict(t *testing.T) {
	d := fixture.NewShell(t)
	d.Env = []string{"VERDETTO_QUOTA_FREE=1000"} // for the questions below
	source := fixture.RecordedUpstream(t)
	o := &operator{t: t, shell: d, source: source}
	fixture.Executable(t, "cmd/verdetto") // building it is not part of the measurement
	began := time.Now()
	o.begin()
	o.open()
	o.send("", "token", "token", upstreamtest.Token)
	chosen := time.Now()
	o.send("", "start", "city", "NYC, DXB, PAR, SYD, TYO")
	o.ends()
	t.Logf("%.1f s from serve to the page of the first verdict, %.1f s of them after the last choice",
		time.Since(began).Seconds(), time.Since(chosen).Seconds())
	if since := time.Since(began); since > time.Minute {
		t.Errorf("the first verdict took %v", since)
	}
	routes, answered, all := 0, 0, 0
	for _, origin := range []string{"NYC", "DXB", "PAR", "SYD", "TYO"} {
		var covered struct {
			Rotte []struct{ Destinazione struct{ Codice string } }
		}
		decode(t, o.server.URL+"/v1/rotte?origine="+origin, &covered)
		for _, r := range covered.Rotte {
			var calendar struct{ Giorni []struct{ Percentile *int } }
			decode(t, o.server.URL+"/v1/calendario?origine="+origin+"&destinazione="+r.Destinazione.Codice, &calendar)
			routes++
			for _, day := range calendar.Giorni {
				if all++; day.Percentile != nil {
					answered++
				}
			}
		}
	}
	t.Logf("%d routes, %d of %d departures with a fare have a verdict (%.1f %%) after %d calls", routes, answered, all,
		100*float64(answered)/float64(all), len(source.Calls()))
	if routes < 30 || answered*2 < all {
		t.Error("fewer than half of the departures are answered")
	}
	o.server.End(t)
}

func decode(t *testing.T, address string, to any) {
	t.Helper()
	status, _, text := call(t, "GET", address, "", "Accept", "application/json")
	if err := json.Unmarshal([]byte(text), to); err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %v %s", address, status, err, text)
	}
}
