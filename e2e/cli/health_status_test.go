package cli

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

func get(t *testing.T, url string) (int, http.Header, string) {
	t.Helper()
	response, body := fixture.Call(t, http.DefaultClient, "GET", url, "")
	return response.StatusCode, response.Header, body
}

func TestOperated(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01", "-log", "json", "-metrics", "127.0.0.1:0")
	status, header, body := get(t, s.URL+"/healthz")
	if status != 200 || header.Get("Cache-Control") != "no-store" || !strings.Contains(body, `"stato":"attivo"`) {
		t.Errorf("/healthz: %d %v %s", status, header, body)
	}
	if status, _, body = get(t, s.URL+"/readyz"); status != 200 || !strings.Contains(body, `"etaTariffeGiorni":3.5`) {
		t.Errorf("/readyz: %d %s", status, body)
	}
	response, err := http.Post(s.URL+"/readyz", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 405 {
		t.Errorf("POST /readyz: %s", response.Status)
	}
	_, header, _ = get(t, s.URL+fixture.Question)
	id := header.Get("X-Request-Id")
	get(t, s.URL+fixture.Question)
	get(t, s.URL+"/v1/analisi?origine=Milano")
	get(t, s.URL+"/v1/nothing")
	if status, _, _ := get(t, s.URL+"/metrics"); status != 404 {
		t.Errorf("callers see the metrics: %d", status)
	}
	got := d.Want(0, "", "status", "-store", "bolt:kept.db")
	fixture.Has(t, "status", got.Stdout, "well          yes, since ", "next refresh  ", "1 routes, the newest fares are 3.5 days old", "alerts        0", "keys          0 in force", "GB are free", "MB")

	var address string
	for address == "" {
		if m := regexp.MustCompile(`"metrics are answered","address":"([^"]*)"`).FindStringSubmatch(s.Log()); m != nil {
			address = m[1]
		}
	}
	_, _, metrics := get(t, "http://"+address+"/metrics")
	fixture.Has(t, "metrics", metrics,
		`verdetto_http_requests_total{method="GET",route="analisi",status="200"} 2`,
		`verdetto_http_requests_total{method="GET",route="analisi",status="400"} 1`,
		`verdetto_http_requests_total{method="GET",route="unknown",status="404"} 2`,
		`verdetto_http_request_duration_seconds_count{route="analisi"} 3`,
		`verdetto_refreshes_total{kind="discovery",outcome="ok"} 1`,
		`verdetto_refresh_asked_total{kind="discovery",outcome="asked"} 1`,
		`verdetto_observations_total 2`, `verdetto_ready 1`, "verdetto_fares_age_seconds ", "verdetto_store_bytes ", "verdetto_store_free_bytes ", "verdetto_disk_free_bytes ", "go_goroutines ", "process_resident_memory_bytes ",
	)
	if status, _, _ := get(t, "http://"+address+"/readyz"); status != 200 {
		t.Errorf("/readyz beside the metrics: %d", status)
	}
	s.End(t)
	named := false
	for lines := bufio.NewScanner(strings.NewReader(s.Log())); lines.Scan(); {
		var line struct{ Msg, RequestID, Path string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Errorf("no JSON in the log: %s", lines.Text())
		}
		named = named || line.Msg == "request" && line.RequestID == id && line.Path == "/v1/analisi"
	}
	if !named || id == "" {
		t.Errorf("no line of the log names request %q", id)
	}
	fixture.Has(t, "status of what does not run", d.Run("status", "-store", "bolt:kept.db").Stdout, "it is not running", "1 routes")
}

func TestNotReady(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	// No fare provider listens at 127.0.0.1:1, so every refresh fails.
	c := []string{"-upstream", "travelpayouts"}
	environment := []string{"TRAVELPAYOUTS_TOKEN=unknown", "TRAVELPAYOUTS_URL=http://127.0.0.1:1"}
	s := d.ServeWith(environment, append(c, "-listen", "127.0.0.1:0", "-store", "bolt:empty.db")...)
	status, header, body := get(t, s.URL+"/readyz")
	if status != 503 || header.Get("Retry-After") == "" || header.Get("Content-Type") != "application/problem+json" || !strings.Contains(body, "There are no fares yet") {
		t.Errorf("/readyz: %d %v %s", status, header, body)
	}
	if status, _, _ = get(t, s.URL+"/healthz"); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	got := d.Run("status", "-store", "bolt:empty.db")
	fixture.Has(t, "status", got.Stdout, "not ready     There are no fares yet")
	d.Want(1, "not ready: There are no fares yet", "status", "-url", s.URL)
	s.Stop(t)
}

func TestStatusOfOldFares(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Want(0, "", "refresh", "-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	got := d.Run("status", "-store", "bolt:kept.db", "-o", "json")
	var health struct {
		Ready     bool
		Reason    string
		FaresDays float64
		Routes    int
	}
	if err := json.Unmarshal([]byte(got.Stdout), &health); err != nil || health.Ready || health.FaresDays < 3000 || health.Routes != 1 || !strings.Contains(health.Reason, "should be at most 9") {
		t.Errorf("%v %+v", err, health)
	}
}

func TestRestore(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	d.Want(0, "", "refresh", "-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	d.Want(0, "", "backup", "-store", "bolt:kept.db", "-to", "copy.db")
	kept := fixture.Items(t, filepath.Join(d.Dir, "copy.db"))
	whole := d.Files()["copy.db"]
	d.Write("cut.db", whole[:len(whole)/2])
	run := func(code int, says string, args ...string) {
		t.Helper()
		d.Want(code, says, args...)
	}
	same := func(file string) {
		t.Helper()
		if is := fixture.Items(t, filepath.Join(d.Dir, file)); len(is) != len(kept) {
			t.Errorf("%s holds %d items of %d", file, len(is), len(kept))
		}
	}
	run(0, "the backup is unchanged", "verify", "-store", "bolt:copy.db")
	d.Write("earlier.db", whole[:len(whole)-len(whole)%512]) // the format of earlier versions, without a checksum
	run(0, "This file has no checksum", "verify", "-store", "bolt:earlier.db")
	run(0, "restored", "restore", "-from", "earlier.db", "-store", "bolt:later.db")
	run(1, "damaged", "verify", "-store", "bolt:cut.db")
	run(1, "no such file", "verify", "-store", "bolt:gone.db")
	run(1, "nothing was changed", "restore", "-from", "cut.db", "-store", "bolt:kept.db")
	run(1, "no such file", "restore", "-from", "gone.db", "-store", "bolt:kept.db")
	same("kept.db")

	s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	run(1, "stop the service first", "restore", "-from", "copy.db", "-store", "bolt:kept.db")
	run(1, "take a backup and verify that", "verify", "-store", "bolt:kept.db")
	s.Stop(t)

	run(0, "kept.db.before-", "restore", "-from", "copy.db", "-store", "bolt:kept.db")
	same("kept.db")
	run(0, "restored", "restore", "-from", "copy.db", "-store", "bolt:second.db")
	same("second.db")
	d.Write("kept.db", whole[:len(whole)/2])
	run(0, "restored", "restore", "-from", "copy.db", "-store", "bolt:kept.db")
	same("kept.db")
	run(0, "1 routes", "verify", "-store", "bolt:kept.db")
	again := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
	answerOf(t, again.URL)
	again.Stop(t)
	entries, err := os.ReadDir(d.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), ".part-") || strings.HasSuffix(e.Name(), ".socket") {
			t.Errorf("left: %s", e.Name())
		}
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), "kept.db") && info.Mode().Perm() != 0o600 {
			t.Errorf("others may read %s", e.Name())
		}
	}
}
