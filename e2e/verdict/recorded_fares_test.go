package verdict

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
	"verdetto/shared/verdict"
)

var asked = map[string]string{
	"Milano to Bucarest": "/v1/analisi?origine=Milano&destinazione=Bucarest",
	"London to Prague":   "/v1/analisi?origine=London&destinazione=Prague",
}

func recorded(t *testing.T) localcloud.Setup {
	t.Helper()
	data := testenv.Data(t)
	file := filepath.Join(data, "fares", "eu_wizzair_weekly.csv.gz")
	source, partly, err := onemachine.OpenSource(t.Context(), "csv:"+file, "",
		&onemachine.Options{Log: slog.New(slog.DiscardHandler)}, io.Discard)
	if err != nil || partly {
		t.Fatal(partly, err)
	}
	return localcloud.Setup{Source: source, Now: func() time.Time { return fixture.Today }, Log: slog.New(slog.DiscardHandler)}
}

func answers(t *testing.T, h http.Handler) map[string]published.Analysis {
	t.Helper()
	got := map[string]published.Analysis{}
	for name, target := range asked {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
		var a published.Analysis
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		got[name] = a
	}
	return got
}

func fromPanel(t *testing.T, o localcloud.Setup) map[string]published.Analysis {
	t.Helper()
	table := fixture.Bolt(t, o.Now)
	fixture.Refreshed(t, table, o.Source, o.Now)
	return answers(t, fixture.Instance(t, table, o.Source, o.Now))
}

func TestWeekByWeekThroughTheRealClient(t *testing.T) {
	t.Parallel()
	o := recorded(t)
	want := fromPanel(t, o)
	rows, err := localcloud.Rows(t.Context(), o.Source, o.Now())
	if err != nil {
		t.Fatal(err)
	}
	first, err := fare.ParseDay("2015-11-09")
	if err != nil {
		t.Fatal(err)
	}
	at := first.Time().Add(12 * time.Hour)
	now := func() time.Time { return at }
	standIn := upstreamtest.New(rows, now)
	defer standIn.Close()
	client, err := travelpayouts.New(travelpayouts.Config{
		Token: standIn.Token, BaseURL: standIn.URL, PerMinute: 1 << 30, Now: now,
		Comparable: upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn},
		CurrencyOf: func(origin fare.City) string {
			place, _ := places.Get(origin)
			return travelpayouts.CurrencyOfCountry(place.Country)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	table := fixture.Bolt(t, now)
	added, refreshes := 0, 0
	for ; at.Before(o.Now()); at = at.Add(7 * 24 * time.Hour) {
		added += fixture.Refreshed(t, table, client, now).New
		refreshes++
	}
	at = o.Now()
	added += fixture.Refreshed(t, table, client, now).New
	t.Logf("%d refreshes, %d observations, %d calls", refreshes+1, added, len(standIn.Calls()))
	for name, a := range want {
		a.Prezzo.Precisione = "istante" // the panel has the day on which a fare was found, Travelpayouts the time
		if a.Ambito == string(verdict.OfRoute) {
			up := func(c fare.Cents) fare.Cents { return (c + 99) / 100 * 100 }
			q := *a.Quartili // quartiles of Travelpayouts are rounded to hide single past fares
			q.Q1, q.Q3, q.Maximum = q.Q1/100*100, up(q.Q3), up(q.Maximum)
			q.HalfLow, q.HalfHigh = q.HalfLow/100*100, q.HalfHigh/100*100
			a.Quartili = &q
		}
		want[name] = a
	}
	if diff := cmp.Diff(want, answers(t, fixture.Instance(t, table, client, now))); diff != "" {
		t.Error(diff)
	}
}
