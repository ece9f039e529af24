package cli

import (
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/socketstore"
)

func TestWritesWhileServed(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	serving := []string{"-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01"}
	s := d.Serve(serving...)
	if info, err := os.Stat(filepath.Join(d.Dir, "kept.db.socket")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("other users may write to the store: %v %v", info, err)
	}
	valid := func(s fixture.Server, key string, want int) {
		t.Helper()
		if w, _ := fixture.Call(t, http.DefaultClient, "GET", s.URL+"/v1/consumo", "", "X-Api-Key",
			key); w.StatusCode != want {
			t.Errorf("the key answers %s, want %d", w.Status, want)
		}
	}
	create := func() string {
		t.Helper()
		got := d.Want(0, "vd_", "key", "create", "-store", "bolt:kept.db", "-email", "ada@example.com", "-now",
			"2016-03-01")
		return strings.TrimSpace(got.Stdout)
	}
	first := create()
	valid(s, first, http.StatusOK)
	d.Write("good.csv", d.Files()["good.csv"]+"MIL,BUH,2016-02-28,2016-03-23,19.50,EUR\nROM,PAR,2016-02-28,2016-03-23,42.00,EUR\n")
	refresh := append([]string{"refresh"}, serving...)
	got := d.Want(0, "observations  2 new", refresh...)
	fixture.Has(t, "the refresh", got.Stdout, "origins       2: 2 asked", "routes        2 seen")
	if _, _, body := get(t, s.URL+"/v1/analisi?origine=MIL&destinazione=BUH"); !strings.Contains(body, `"cent":1950`) {
		t.Errorf("the service does not see the refresh: %s", body)
	}
	d.Want(1, "use another store", "refresh", "-store", "bolt:kept.db", "-upstream", "sample", "-now", "2016-03-01")
	d.Want(0, "exported to pepper.txt", "pepper", "export", "-store", "bolt:kept.db", "-to", "pepper.txt")
	d.Want(0, "belongs to", "pepper", "check", "-store", "bolt:kept.db", "-from", "pepper.txt")
	for _, args := range []string{"pepper import -store bolt:kept.db -from pepper.txt",
		"restore -from pepper.txt -store bolt:kept.db", "copy -from bolt:kept.db -to bolt:new.db",
		"serve -listen 127.0.0.1:0 -upstream csv:good.csv -now 2016-03-01 -store bolt:kept.db"} {
		d.Want(1, "stop", strings.Fields(args)...)
	}
	valid(s, first, http.StatusOK)

	s.Kill(t)
	if _, err := os.Lstat(filepath.Join(d.Dir, "kept.db.socket")); err != nil {
		t.Fatalf("the killed service left no socket: %v", err)
	}
	second := create()
	d.Want(0, "observations  0 new", refresh...)
	s = d.Serve(serving...)
	valid(s, second, http.StatusOK)
	valid(s, first, http.StatusUnauthorized)
	s.End(t)
}

type dying struct {
	at    int
	after bool
	calls int
	table http.Handler
}

func (s *dying) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.calls++
	switch {
	case s.at == 0 || s.calls < s.at:
		s.table.ServeHTTP(w, r)
		return
	case s.calls == s.at && s.after:
		s.table.ServeHTTP(httptest.NewRecorder(), r)
	}
	panic(http.ErrAbortHandler) // closes the connection without an answer
}

func served(t *testing.T, d fixture.Shell, now time.Time, s *dying, args ...string) (fixture.Result, int) {
	t.Helper()
	file := filepath.Join(d.Dir, "kept.db")
	table, err := boltstore.Open(file, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	_ = os.Remove(file + ".socket")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: file + ".socket"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	s.table = socketstore.Handler(table)
	server := &http.Server{Handler: s}
	go server.Serve(listener)
	defer server.Close()
	got := d.Run(args...)
	return got, s.calls
}

func TestServiceKilledDuringWrites(t *testing.T) {
	t.Parallel()
	now := time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC) // -now 2016-03-01 means noon
	common := []string{"-store", "bolt:kept.db", "-now", "2016-03-01"}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"refresh": {append([]string{"refresh", "-upstream", "csv:good.csv"}, common...), "run this again"},
		"key create": {append([]string{"key", "create", "-email", "ada@example.com", "-days", "30"}, common...),
			"run this again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := fixture.NewShell(t)
			d.Env = []string{"VERDETTO_PEPPER=" + strings.Repeat("own pepper ", 4)}
			fresh := func() {
				_ = os.Remove(filepath.Join(d.Dir, "kept.db"))
				table, err := boltstore.Open(filepath.Join(d.Dir, "kept.db"), func() time.Time { return now })
				if err != nil {
					t.Fatal(err)
				}
				table.Close()
			}
			fresh()
			got, calls := served(t, d, now, &dying{}, c.args...)
			if got.Code != 0 || calls < 2 {
				t.Fatalf("%d calls: %v", calls, got)
			}
			whole := slices.Sorted(maps.Keys(fixture.Items(t, filepath.Join(d.Dir, "kept.db"))))
			kills := 0
			for at := 1; at <= calls; at++ {
				for _, after := range []bool{false, true} {
					fresh()
					got, _ := served(t, d, now, &dying{at: at, after: after}, c.args...)
					if got.Code != 0 {
						kills++
						fixture.Has(t, "stderr", got.Stderr, c.says)
					}
					again := d.Want(0, "", c.args...)
					is := fixture.Items(t, filepath.Join(d.Dir, "kept.db"))
					if !slices.Equal(slices.Sorted(maps.Keys(is)), whole) {
						t.Errorf("killed at call %d (%t): %q, want %q", at, after, slices.Sorted(maps.Keys(is)), whole)
					}
					if name == "key create" {
						shown(t, d, now, strings.TrimSpace(again.Stdout))
					}
				}
			}
			t.Logf("%d calls, %d kills before or after one failed the command", calls, kills)
			if kills < calls {
				t.Errorf("only %d of %d kills were noticed", kills, 2*calls)
			}
		})
	}
}

func shown(t *testing.T, d fixture.Shell, now time.Time, text string) {
	t.Helper()
	key, ok := apikey.Parse(text)
	if !ok {
		t.Fatalf("%q is no key", text)
	}
	table, err := boltstore.Open(filepath.Join(d.Dir, "kept.db"), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	c, err := store.Customers{Table: table}.Customer(t.Context(), key.Customer)
	if err != nil || !c.Until.Equal(now.AddDate(0, 0, 30)) || len(c.Hash) == 0 || !key.Matches(apikey.Hash(c.Hash)) {
		t.Errorf("the customer is %+v, %v", c, err)
	}
}
