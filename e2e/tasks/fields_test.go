package tasks

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/upstream/sample"
)

// The largest answers with campi are at most a third of their size.
func TestChosenFields(t *testing.T) {
	t.Parallel()
	o := onemachine.Options{Source: sample.New(), Now: func() time.Time { return fixture.Today },
		Log: slog.New(slog.DiscardHandler)}
	o.Table = fixture.Bolt(t, o.Now)
	if report, err := o.Refresh(t.Context(), nil, "MIL"); err != nil || report.Failed > 0 {
		t.Fatal(report, err)
	}
	api := fixture.New(t, o).API
	size := func(target string) int {
		t.Helper()
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != 200 {
			t.Fatalf("%s: %d %.300s", target, w.Code, w.Body)
		}
		return w.Body.Len()
	}
	for path, fields := range map[string]string{
		"/v1/calendario?origine=Milano&destinazione=Londra": "giorni.partenza,giorni.cent,giorni.livello",
		"/v1/price-trends?origin=MIL":                       "destinations.destination,destinations.level",
		"/v1/confronto?origine=Milano&destinazioni=Londra,Parigi,Madrid,Bucarest,Lisbona,Berlino": "viaggi.analisi." +
			"destinazione,viaggi.analisi.prezzo.cent,viaggi.analisi.verdetto.livello",
	} {
		whole, chosen := size(path), size(path+"&campi="+fields)
		t.Logf("%s: %d bytes, with campi %d", path, whole, chosen)
		if whole < 4000 || chosen < 100 || chosen > whole/3 {
			t.Errorf("%s: %d bytes, with campi %d", path, whole, chosen)
		}
	}
}
