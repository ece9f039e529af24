package csvfile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFlights(t *testing.T) {
	p := read(t, strings.TrimSpace(header)+",origin_airport,destination_airport,airline,duration_minutes\n"+
		"MIL,LON,2016-01-01,2016-03-01,20,EUR,BGY,STN,FR,125\n"+
		"MIL,LON,2016-01-01,2016-03-02,21,EUR,,,U2,\n"+
		"MIL,LON,2016-01-01,2016-03-03,22,EUR,bgy, stn ,fr,125\n"+
		"MIL,LON,2016-01-01,2016-03-04,23,EUR,Bergamo,ST,Ryanair,2:05\n"+
		"MIL,LON,2016-01-01,2016-03-05,24,EUR,BGY,STN,FR,-5\n"+
		"MIL,LON,2016-01-01,2016-03-06,25,EUR\n")
	answer, err := p.Fares(t.Context(), "MIL", time.Time{}, time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range answer.Fares {
		got = append(got, fmt.Sprintf("%d %s-%s %s %d", f.Price, f.Flight.From, f.Flight.To, f.Flight.Airline,
			f.Flight.Minutes))
	}
	want := []string{"2000 BGY-STN FR 125", "2100 - U2 0", "2200 BGY-STN FR 125", "2300 -  0", "2400 BGY-STN FR 0",
		"2500 -  0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
