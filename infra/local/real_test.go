package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"verdetto/functions/refresh"
	"verdetto/infra/local/runtimeapi"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
	"verdetto/shared/verdict"
)

// These tests judge recorded fares on 1 March 2016 along every way that fares
// and questions can take, and want the same answers.

var asked = map[string]string{
	"Milano to Bucarest": "/v1/analisi?origine=Milano&destinazione=Bucarest",
	"London to Prague":   "/v1/analisi?origine=London&destinazione=Prague",
}

const recordedDay = "2016-03-01"

// recorded is the panel of recorded fares and the choices to serve it.
func recorded(t *testing.T) (choices, upstream.Source) {
	t.Helper()
	data := os.Getenv("VERDETTO_DATA")
	if data == "" {
		t.Skip("needs VERDETTO_DATA, a folder of recorded fares")
	}
	c := choices{upstream: "csv:" + filepath.Join(data, "fares", "eu_wizzair_weekly.csv.gz"), at: recordedDay}
	if err := c.settle(); err != nil {
		t.Fatal(err)
	}
	c.log = slog.New(slog.DiscardHandler)
	at := c.now()
	c.now = func() time.Time { return at }
	source, partly, err := c.openUpstream(t.Context(), io.Discard)
	if err != nil || partly {
		t.Fatal(partly, err)
	}
	return c, source
}

func bolt(t *testing.T, now func() time.Time) store.Table {
	t.Helper()
	s, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func answers(t *testing.T, h http.Handler) map[string]verdict.Analysis {
	t.Helper()
	got := map[string]verdict.Analysis{}
	for name, target := range asked {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, w.Code, w.Body)
		}
		var a verdict.Analysis
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
			t.Fatal(err)
		}
		got[name] = a
	}
	return got
}

func filled(t *testing.T, c choices, table store.Table, source upstream.Source, now func() time.Time) refresh.Report {
	t.Helper()
	r := refresh.Refresher{Source: source, Fares: store.Fares{Table: table}, Now: now}
	report, err := r.Run(t.Context())
	if err != nil || report.Failed > 0 {
		t.Fatalf("%+v %v", report, err)
	}
	return report
}

// fromPanel is the answers of the plain way: panel, embedded store, one process.
func fromPanel(t *testing.T, c choices, source upstream.Source) map[string]verdict.Analysis {
	t.Helper()
	table := bolt(t, c.now)
	filled(t, c, table, source, c.now)
	return answers(t, handler(&c, table, source, []byte("pepper")))
}

func TestRecordedFaresGiveEveryField(t *testing.T) {
	c, source := recorded(t)
	for name, a := range fromPanel(t, c, source) {
		t.Run(name, func(t *testing.T) {
			out, err := json.MarshalIndent(a, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", out)
			v := a.Verdetto
			if v.Percentile == nil || v.MedianaCent == nil || v.MinimoCent == nil || v.ScartoMedianaCent == nil || v.Stagionale == nil ||
				v.Livello == "" || v.Affidabilita == "" || v.Campione < verdict.MinSample ||
				len(a.MesiPerConvenienza) == 0 || a.AnticipoConsigliato == nil || a.Osservazioni == 0 ||
				!a.AggiornatoIl.Equal(time.Date(2016, 2, 29, 0, 0, 0, 0, time.UTC)) {
				t.Error("a field is missing")
			}
		})
	}
}

// TestWeekByWeekThroughTheRealClient serves the same fares on Travelpayouts'
// wire, seven days at a time, to the real client, a refresh a week.
func TestWeekByWeekThroughTheRealClient(t *testing.T) {
	c, source := recorded(t)
	want := fromPanel(t, c, source)
	rows, err := rowsOf(t.Context(), source, c.now())
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
		Comparable: comparable(func(fare.Day) fare.Rates { return fare.Rates{} }), // it answers in euro
	})
	if err != nil {
		t.Fatal(err)
	}
	table := bolt(t, now)
	added, refreshes := 0, 0
	for ; at.Before(c.now()); at = at.Add(7 * 24 * time.Hour) {
		added += filled(t, c, table, client, now).New
		refreshes++
	}
	at = c.now()
	added += filled(t, c, table, client, now).New
	t.Logf("%d refreshes, %d observations, %d calls", refreshes+1, added, len(standIn.Calls()))
	if diff := cmp.Diff(want, answers(t, handler(&c, table, client, []byte("pepper")))); diff != "" {
		t.Error(diff)
	}
}

// executable builds a Lambda executable for this machine.
func executable(t *testing.T, function string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bootstrap")
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", path, "verdetto/functions/"+function+"/bootstrap")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// event is a committed event, asking for a path and a query.
func event(t *testing.T, target string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "events", "analisi.json"))
	if err != nil {
		t.Fatal(err)
	}
	var e events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	e.RawPath, e.RawQueryString, _ = strings.Cut(target, "?")
	e.RequestContext.HTTP.Path = e.RawPath
	data, err = json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestExecutablesOverDynamoDB runs both built executables as Lambda would, over
// DynamoDB Local: refresh fills the table from the stand-in, analisi answers.
func TestExecutablesOverDynamoDB(t *testing.T) {
	c, source := recorded(t)
	want := fromPanel(t, c, source)
	endpoint := dynamolocal.Endpoint(t)
	for _, fill := range []bool{true, false} {
		environment, done, err := c.furnish(t.Context(), endpoint, fill)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		var logs bytes.Buffer
		if !fill {
			// The stand-in remembers 7 days; so does an API that is asked for the first time.
			process, err := runtimeapi.Start(t.Context(), executable(t, "refresh"), environment, &logs)
			if err != nil {
				t.Fatal(err, logs.String())
			}
			defer process.Close()
			answer, err := process.Invoke(t.Context(), []byte(`{"origins":["MIL","LON"]}`))
			var report refresh.Report
			if err == nil {
				err = json.Unmarshal(answer.Payload, &report)
			}
			if err != nil || answer.Error != "" || report.Asked != 2 || report.New == 0 {
				t.Fatalf("%v %s %s\n%s", err, answer.Error, answer.Payload, logs.String())
			}
		}
		process, err := runtimeapi.Start(t.Context(), executable(t, "analisi"), environment, &logs)
		if err != nil {
			t.Fatal(err, logs.String())
		}
		defer process.Close()
		for name, target := range asked {
			answer, err := process.Invoke(t.Context(), event(t, target))
			if err != nil || answer.Error != "" {
				t.Fatal(err, answer.Error, logs.String())
			}
			var response events.APIGatewayV2HTTPResponse
			if err := json.Unmarshal(answer.Payload, &response); err != nil {
				t.Fatal(err)
			}
			var a verdict.Analysis
			if err := json.Unmarshal([]byte(response.Body), &a); err != nil || response.StatusCode != http.StatusOK {
				t.Fatalf("%s: %d %s", name, response.StatusCode, response.Body)
			}
			if fill {
				if diff := cmp.Diff(want[name], a); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			} else if a.Verdetto.Livello != verdict.Insufficient || !a.AggiornatoIl.Equal(want[name].AggiornatoIl) {
				t.Errorf("after one week %s is judged %+v", name, a.Verdetto)
			}
		}
	}
}
