package edge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/template"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

// edge is the service behind an HTTP cache with the rules of our CloudFront distribution. Both use
// the clock that the test sets.
type edge struct {
	t      *testing.T
	url    string
	direct string // of the service behind it
	clock  *storetest.Clock
	began  time.Time
	file   string // the cache reads the time from it
	table  *storetest.Faulty
	keys   map[string]string // by the owner's name

	mu     sync.Mutex
	handed []*handed
}

type handed struct {
	http.ResponseWriter
	mu                  *sync.Mutex
	key, target, viewer string
	authorization       string
	status              int
	header              http.Header
	body                []byte
}

func (h *handed) WriteHeader(status int) {
	h.note(status, nil)
	h.ResponseWriter.WriteHeader(status)
}

func (h *handed) Write(b []byte) (int, error) {
	h.note(http.StatusOK, b)
	return h.ResponseWriter.Write(b)
}

func (h *handed) note(status int, body []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.status == 0 {
		h.status, h.header = status, h.Header().Clone()
	}
	h.body = append(h.body, body...)
}

const (
	edgeSecret   = "only-the-distribution-knows"
	serialHeader = "X-Test-Serial"
)

func newEdge(t *testing.T) *edge {
	t.Helper()
	nginx, faketime := edgeTools(t)
	e := &edge{t: t, clock: storetest.NewClock(), keys: map[string]string{}}
	e.began = e.clock.Now()
	e.table = storetest.NewFaulty(fixture.Bolt(t, e.clock.Now))
	e.refresh()
	for _, owner := range []string{"ada", "bob"} {
		e.issue(owner)
	}
	service := fixture.Described(t, fixture.New(t, onemachine.Options{
		Table: e.table, Now: e.clock.Now, Log: slog.New(slog.DiscardHandler), OriginSecrets: []string{edgeSecret},
	}).API)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		service.ServeHTTP(e.hand(w, r), r)
	}))
	t.Cleanup(origin.Close)
	e.direct = origin.URL
	e.start(nginx, faketime, origin.Listener.Addr().String())
	return e
}

func edgeTools(t *testing.T) (nginx, faketime string) {
	t.Helper()
	nginx = testenv.Command(t, "nginx", "apt-get install nginx-light")
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketime.so.1", "/usr/lib*/faketime/libfaketime.so.1"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return nginx, found[0]
		}
	}
	testenv.Missing(t, "faketime", "apt-get install faketime")
	return "", ""
}

func (e *edge) refresh() {
	e.t.Helper()
	o := onemachine.Options{Table: e.table, Source: sample.New(), Now: e.clock.Now, Log: slog.New(slog.DiscardHandler)}
	if _, err := o.Refresh(e.t.Context(), nil, "PSA", "VRN"); err != nil {
		e.t.Fatal(err)
	}
}

// issue makes the owner's previous key invalid.
func (e *edge) issue(owner string) {
	e.t.Helper()
	e.keys[owner] = fixture.IssueKey(e.t, e.table, owner+"@example.com", e.clock.Now(), 30*24*time.Hour)
}

// hand records a call that reached the service, and writes its number into a header of the answer.
func (e *edge) hand(w http.ResponseWriter, r *http.Request) *handed {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := &handed{
		ResponseWriter: w, mu: &e.mu,
		key: r.Header.Get(httpapi.KeyHeader), authorization: r.Header.Get("Authorization"), target: r.RequestURI,
		viewer: r.Header.Get("CloudFront-Viewer-Address"),
	}
	w.Header().Set(serialHeader, strconv.Itoa(len(e.handed)))
	e.handed = append(e.handed, h)
	return h
}

// reached counts the calls that the cache did not answer itself.
func (e *edge) reached() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.handed)
}

// start gives nginx a socket that is already open, so the test need not choose a free port. Calls
// that come before nginx is ready wait in the socket's queue.
func (e *edge) start(nginx, faketime, origin string) {
	e.t.Helper()
	dir := e.t.TempDir()
	e.file = filepath.Join(dir, "clock")
	e.at(0)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	defer listener.Close() // nginx has its own copy: once that closes, callers are refused
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		e.t.Fatal(err)
	}
	defer socket.Close()
	e.url = "http://" + listener.Addr().String()

	clock := []string{
		"FAKETIME_TIMESTAMP_FILE=" + e.file, "FAKETIME_FMT=%s", "FAKETIME_NO_CACHE=1", "TZ=UTC",
		"FAKETIME_DONT_FAKE_MONOTONIC=1", // real time for its timeouts
		"NO_FAKE_STAT=1",
	}
	configuration := filepath.Join(dir, "nginx.conf")
	if err := writeConfiguration(configuration, origin, listener.Addr().String(), clock); err != nil {
		e.t.Fatal(err)
	}
	log := filepath.Join(dir, "error.log")
	process := exec.CommandContext(e.t.Context(), nginx, "-p", dir, "-e", log, "-c", configuration)
	// SIGTERM makes nginx end its worker process too.
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	process.WaitDelay = 5 * time.Second
	process.Env = append(clock, "LD_PRELOAD="+faketime, "NGINX=3;")
	process.ExtraFiles = []*os.File{socket}
	out, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		e.t.Fatal(err)
	}
	defer out.Close()
	process.Stdout, process.Stderr = out, out
	if err := process.Start(); err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { // the end of the context has stopped the process
		_ = process.Wait()
		if e.t.Failed() {
			for _, file := range []string{log, out.Name()} {
				said, _ := os.ReadFile(file)
				e.t.Logf("%s:\n%s", filepath.Base(file), said)
			}
		}
	})
}

// writeConfiguration makes nginx cache exactly the answers that CloudFront may cache according to
// routes.Table.
func writeConfiguration(path, origin, listen string, clock []string) error {
	text, err := template.ParseFiles("testdata/nginx.conf.tmpl")
	if err != nil {
		return err
	}
	var cached []string
	for _, r := range routes.Table {
		if r.Edge == (routes.Edge{}) {
			continue
		}
		for _, path := range r.Paths() {
			place, folder := strings.CutSuffix(path, "{file}")
			if !folder {
				place = "= " + path
			}
			if !slices.Contains(cached, place) {
				cached = append(cached, place)
			}
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(text.Execute(file, map[string]any{
		"Origin": origin, "Listen": listen, "Secret": edgeSecret, "Clock": clock, "Cached": cached,
	}), file.Close())
}

// at sets the clocks to a time after the start of the test.
func (e *edge) at(since time.Duration) {
	e.t.Helper()
	e.clock.Add(since - e.clock.Now().Sub(e.began))
	// The cache may be reading the file.
	err := os.WriteFile(e.file+".new", fmt.Append(nil, e.clock.Now().Unix(), "\n"), 0o600)
	if err == nil {
		err = os.Rename(e.file+".new", e.file)
	}
	if err != nil {
		e.t.Fatal(err)
	}
}

type answer struct {
	status int
	header http.Header
	body   []byte
	from   *handed // the call that it was made for
}

// call sends a request from 127.0.0.from.
func (e *edge) call(r *http.Request, from byte) (answer, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, from)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true}
	ctx, cancel := context.WithTimeout(e.t.Context(), 10*time.Second)
	defer cancel()
	w, err := transport.RoundTrip(r.WithContext(ctx))
	if err != nil {
		return answer{}, err
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		return answer{}, err
	}
	serial, err := strconv.Atoi(w.Header.Get(serialHeader))
	if err != nil {
		return answer{}, fmt.Errorf("no answer of the service: %d %s", w.StatusCode, body)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return answer{w.StatusCode, w.Header, body, e.handed[serial]}, nil
}

// ends returns a time since the start of the test.
func ends(hours, minutes, seconds int) time.Duration {
	return time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second
}
