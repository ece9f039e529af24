package cli

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"verdetto/e2e/fixture"
)

func TestServe(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	s := d.Serve("-now", "2016-03-01T12:00:00Z")
	if left, err := os.ReadDir(d.Tmp); err != nil || len(left) != 1 {
		t.Errorf("want the store's temporary folder while it serves: %v %v", left, err)
	}
	for _, c := range []struct {
		name, target, key string
		status            int
	}{
		{"verdict", fixture.Question, "", 200},
		{"unknown key", fixture.Question, "vd_nobodys", 401},
		{"unknown path", "/v1/nothing", "", 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			var headers []string
			if c.key != "" {
				headers = append(headers, "X-Api-Key", c.key)
			}
			response, body := fixture.Call(t, http.DefaultClient, "GET", s.URL+c.target, "", headers...)
			if fault := fixture.ReadDescription(t).Fault("GET", response.Request.URL.Path, response.StatusCode, response.Header,
				[]byte(body)); fault != "" {
				t.Errorf("not as functions/analisi/reference/openapi.json describes it: %s", fault)
			}
			if response.StatusCode != c.status || response.Header.Get("X-Data") != "sample" {
				t.Errorf("%s, X-Data %q", response.Status, response.Header.Get("X-Data"))
			}
		})
	}

	s.End(t)
	d.LeftNothing()
}

func TestServeKeepsItsStore(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	for range 2 {
		s := d.Serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
		status, header, _ := get(t, s.URL+fixture.Question)
		if _, marked := header["X-Data"]; status != http.StatusOK || marked {
			t.Errorf("%d %v", status, header)
		}
		s.End(t)
		d.LeftNothing()
	}
	if _, err := os.Stat(filepath.Join(d.Dir, "kept.db")); err != nil {
		t.Error(err)
	}
}

func TestServeOnABusyPort(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	d := fixture.NewShell(t)
	got := d.Want(1, "address already in use", "serve", "-store", "bolt:new.db", "-listen", taken.Addr().String())
	fixture.Has(t, "stderr", got.Stderr, taken.Addr().String(), "choose another with -listen")
	if _, made := d.Files()["new.db"]; made {
		t.Error("a store was made")
	}
}
