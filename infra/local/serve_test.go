package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// server is a running serve.
type server struct {
	url     string
	process *exec.Cmd
	stdout  *bufio.Scanner
	stderr  *bytes.Buffer
}

// serve runs the command until it says where it answers.
func (d shell) serve(args ...string) server {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	d.t.Cleanup(cancel)
	s := server{process: d.command(ctx, append([]string{"serve", "-listen", "127.0.0.1:0"}, args...)...), stderr: &bytes.Buffer{}}
	s.process.Stderr = s.stderr
	out, err := s.process.StdoutPipe()
	if err == nil {
		err = s.process.Start()
	}
	if err != nil {
		d.t.Fatal(err)
	}
	s.stdout = bufio.NewScanner(out)
	for s.stdout.Scan() {
		if _, at, ok := strings.Cut(s.stdout.Text(), "answering on "); ok {
			s.url = strings.TrimRight(strings.Fields(at)[0], ";")
			return s
		}
	}
	d.t.Fatalf("it ends without answering: %v\n%s", s.process.Wait(), s.stderr)
	return s
}

// stop asks the process to end and waits for it.
func (s server) stop(t *testing.T) (code int, took time.Duration) {
	t.Helper()
	begun := time.Now()
	if err := s.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for s.stdout.Scan() { // Wait wants all to be read
	}
	_ = s.process.Wait() // the code says it
	return s.process.ProcessState.ExitCode(), time.Since(begun)
}

// patience is how long stopping may take while nothing is being answered.
const patience = 5 * time.Second

// TestServe asks the running process whatever can be asked, in good form and
// bad; invented fares are marked as such on every single answer.
func TestServe(t *testing.T) {
	d := newShell(t)
	s := d.serve("-now", "2016-03-01T12:00:00Z")
	if left, err := os.ReadDir(d.tmp); err != nil || len(left) != 1 {
		t.Errorf("want the store's temporary folder while it serves: %v %v", left, err)
	}
	for _, c := range []struct {
		name, method, target, key string
		status                    int
	}{
		{"verdict", "GET", question, "", 200},
		{"verdict under the alias", "GET", "/api" + question, "", 200},
		{"head", "HEAD", question, "", 200},
		{"preflight", "OPTIONS", question, "", 204},
		{"missing parameter", "GET", "/v1/analisi?origine=Milano", "", 400},
		{"unknown key", "GET", question, "vd_nobodys", 401},
		{"unknown city", "GET", "/v1/analisi?origine=Milano&destinazione=Bukarestt", "", 404},
		{"route not covered", "GET", "/v1/analisi?origine=London&destinazione=Prague", "", 404},
		{"unknown path", "GET", "/v1/nothing", "", 404},
		{"wrong method", "POST", question, "", 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), c.method, s.url+c.target, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.key != "" {
				r.Header.Set("X-Api-Key", c.key)
			}
			if c.method == "OPTIONS" {
				r.Header.Set("Origin", "https://example.com")
				r.Header.Set("Access-Control-Request-Method", "GET")
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if fault := described().wrong(c.method, r.URL.Path, response.StatusCode, response.Header, body); fault != "" {
				t.Errorf("not as functions/analisi/openapi.json describes it: %s", fault)
			}
			if response.StatusCode != c.status || response.Header.Get("X-Data") != "sample" {
				t.Errorf("%s, X-Data %q", response.Status, response.Header.Get("X-Data"))
			}
		})
	}

	// Connections that are kept alive do not hold it up.
	if code, took := s.stop(t); code != 0 || took > patience {
		t.Errorf("exit code %d after %s\n%s", code, took, s.stderr)
	}
	d.leftNothing()
}

// TestServeKeepsItsStore: recorded fares bear no mark, and what is served from a
// file is there when it is served again.
func TestServeKeepsItsStore(t *testing.T) {
	d := newShell(t)
	for range 2 {
		s := d.serve("-store", "bolt:kept.db", "-upstream", "csv:good.csv", "-now", "2016-03-01")
		response, err := http.Get(s.url + question)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if _, marked := response.Header["X-Data"]; response.StatusCode != http.StatusOK || marked {
			t.Errorf("%s %v", response.Status, response.Header)
		}
		if code, took := s.stop(t); code != 0 || took > patience {
			t.Errorf("exit code %d after %s\n%s", code, took, s.stderr)
		}
		d.leftNothing()
	}
	if _, err := os.Stat(filepath.Join(d.dir, "kept.db")); err != nil {
		t.Error(err)
	}
}

func TestServeOnABusyPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	d := newShell(t)
	got := d.run("serve", "-store", "bolt:new.db", "-listen", taken.Addr().String())
	if got.code != 1 {
		t.Errorf("exit code %d", got.code)
	}
	has(t, "stderr", got.stderr, taken.Addr().String(), "address already in use", "choose another with -listen")
	if _, made := d.files()["new.db"]; made {
		t.Error("a store was made")
	}
}

// TestServeStoppedBeforeItBegan: a process that is asked to end while it fills its store has not failed.
func TestServeStoppedBeforeItBegan(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := serve(stopped, []string{"-listen", "127.0.0.1:0"}); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("a temporary folder is left behind: %v %v", left, err)
	}
}
