package onemachine

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
)

func TestDashboard(t *testing.T) {
	table, clock := openStore(t)
	backups := t.TempDir()
	if err := os.WriteFile(BackupIn(backups, clock.Now()), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Table: table, Now: clock.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Monitor: monitor.New(), OneMachine: config.OneMachine{Backups: backups}}
	o.Log = slog.New(o.Monitor.Log(o.Log.Handler()))
	if err := o.Watch(t.Context(), "bolt:"+table.(file).Path(), "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join((store.Fares{Table: table}).SetLastAnswer(t.Context(), "MIL", clock.Now()),
		table.Write(t.Context(), store.Op{Item: store.Item{Key: store.Key{Partition: "COVERED", Sort: "MIL"}}})); err != nil {
		t.Fatal(err)
	}
	o.Monitor.Ends.Store(1)
	o.Monitor.Request("analisi", "GET", 200, time.Second)
	o.Monitor.Refreshed("routes", 1, 1, 1, 1, nil)
	o.troubled(monitor.Trouble{Of: "the disk", Error: "it is full", Todo: "Free some space"})
	folder, err := maildir.Open(filepath.Join(t.TempDir(), "mail"), clock.Now)
	if err == nil {
		err = o.Monitor.Mail(folder, o.mailed).Send(t.Context(), mail.Message{To: "ada@example.com", Subject: "x", Text: "x", Tag: "key"})
	}
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	o.Monitor.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	published := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z_0-9]+)[ {]`).FindAllStringSubmatch(w.Body.String(), -1) {
		published[m[1]] = true
	}
	data, err := os.ReadFile("../../../infra/onemachine/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr, RefID string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	taken := map[[2]int]string{}
	for _, p := range dashboard.Panels {
		at := [2]int{p.GridPos.X, p.GridPos.Y}
		if other := taken[at]; other != "" || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("%s lies on %q or beyond the edge", p.Title, other)
		}
		taken[at] = p.Title
		for _, target := range p.Targets {
			names := regexp.MustCompile(`\b(?:verdetto|process|go)_[a-z_0-9]+`).FindAllString(target.Expr, -1)
			if len(names) == 0 {
				t.Errorf("%s: no metric in %s", p.Title, target.Expr)
			}
			for _, name := range names {
				if shown[name] = true; !published[name] {
					t.Errorf("%s: nothing publishes %s", p.Title, name)
				}
			}
		}
	}
	for name := range published {
		family := regexp.MustCompile(`_(sum|count|bucket)$`).ReplaceAllString(name, "_bucket")
		if len(name) > 9 && name[:9] == "verdetto_" && !shown[name] && !shown[family] {
			t.Errorf("no panel shows %s", name)
		}
	}
	if len(dashboard.Panels) < 10 {
		t.Errorf("only %d panels", len(dashboard.Panels))
	}
}
