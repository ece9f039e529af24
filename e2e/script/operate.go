package script

import (
	"context"
	"crypto/x509"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
)

type operator struct {
	refresh func(ctx context.Context)
	disk    float64
	ends    time.Time
	checks  *httptest.Server
	mu      sync.Mutex
	pings   map[string]int
	log     slog.Handler
	stop    func()
}

type onDisk struct {
	store.Table
	file *boltstore.Store
}

func (o onDisk) Copy(w io.Writer, size func(bytes int64)) error { return o.file.Copy(w, size) }

func (o onDisk) Path() string { return o.file.Path() }

func (o onDisk) Size() (size, free int64) { return o.file.Size() }

func (o onDisk) All(ctx context.Context, give func(store.Item) error) error {
	return o.file.All(ctx, give)
}

func newOperator(s *story) *operator {
	o := &operator{disk: 50e9, pings: map[string]int{}, stop: func() {}, log: s.options.Log.Handler()}
	o.checks = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.pings[strings.TrimPrefix(r.URL.Path, "/")]++
	}))
	s.t.Cleanup(o.checks.Close)
	s.t.Cleanup(func() { o.stop() })
	here := &s.options.OneMachine
	here.Backups, here.OperatorMail, here.Ping = filepath.Join(s.dir, "backups"), "operator@verdetto.example", o.checks.URL+"/{job}"
	s.options.DiskFree = func(string) (float64, bool) { return o.disk, true }
	s.options.Certificate = func(context.Context) (*x509.Certificate, error) {
		ends := o.ends
		if ends.IsZero() {
			ends = s.now().AddDate(0, 0, 80)
		}
		return &x509.Certificate{NotBefore: ends.AddDate(0, 0, -90), NotAfter: ends}, nil
	}
	if err := os.Mkdir(here.Backups, 0o700); err != nil {
		s.t.Error(err)
	}
	return o
}

func (o *operator) start(s *story) {
	s.options.Table = onDisk{s.options.Table, s.table}
	s.options.Monitor = monitor.New()
	s.options.Log = slog.New(s.options.Monitor.Log(o.log))
	ctx, stop := context.WithCancel(background)
	o.stop = stop
	if err := s.options.HandOutCopies(ctx, "bolt:"+s.file()); err != nil {
		s.t.Error(err)
	}
	due := s.options
	o.refresh = due.Due(onemachine.Refreshes{
		All: func(ctx context.Context) error {
			report, err := due.Refresh(ctx, nil)
			if err == nil {
				err = report.Failure()
			}
			return err
		},
		Departures: func(ctx context.Context) error {
			report, err := due.Deepen(ctx, nil)
			if err == nil {
				err = report.Failure()
			}
			return err
		},
	})
}

func pass(s *story, ts *testscript.TestScript, _ bool, args []string) {
	hours := number(ts, args, 0)
	s.up(ts)
	for range hours {
		s.unix.Add(3600)
		end := s.at.work("refresh")
		s.operated.refresh(background)
		end()
		if err := s.service.LookAfter(background); err != nil && s.faults.calm() {
			ts.Fatalf("look after the service: %v", err)
		}
		s.work(ts)
	}
}

func number(ts *testscript.TestScript, args []string, at int) int {
	if len(args) <= at {
		ts.Fatalf("want a number")
	}
	n, err := strconv.Atoi(args[at])
	ts.Check(err)
	return n
}

func status(s *story, ts *testscript.TestScript, neg bool, args []string) {
	s.up(ts)
	got, err := s.options.Status(background)
	ts.Check(err)
	var printed strings.Builder
	got.Print(&printed)
	if strings.Contains(text(strings.Fields(printed.String())), text(args)) == neg {
		ts.Fatalf("the status is\n%s", &printed)
	}
}

func logged(s *story, ts *testscript.TestScript, _ bool, args []string) {
	want, words, found := number(ts, args, 0), text(args[1:]), 0
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, words) {
			found++
		}
	}
	if found != want {
		ts.Fatalf("%d lines of the log have these words, want %d:\n%s", found, want, s.log.String())
	}
}

func metric(s *story, ts *testscript.TestScript, neg bool, args []string) {
	w := httptest.NewRecorder()
	s.options.Monitor.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	m := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(args[0]) + ` (.*)$`).FindStringSubmatch(w.Body.String())
	if neg != (m == nil) || !neg && m[1] != text(args[1:]) {
		ts.Fatalf("%s is %q", args[0], m)
	}
}

func disk(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.operated.disk = 1e6 * float64(number(ts, args, 0))
}

func certificate(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.operated.ends = s.now().AddDate(0, 0, number(ts, args, 0))
}

func backup(s *story, ts *testscript.TestScript, _ bool, _ []string) {
	s.up(ts)
	ts.Check(onemachine.Backup(background, "bolt:"+s.file(), onemachine.BackupIn(s.options.Backups, s.now())))
}

func restore(s *story, ts *testscript.TestScript, _ bool, _ []string) {
	all, err := filepath.Glob(filepath.Join(s.options.Backups, "*.db"))
	if err != nil || len(all) == 0 {
		ts.Fatalf("no backup: %v", err)
	}
	s.down()
	_, _, err = onemachine.Restore(background, all[len(all)-1], "bolt:"+s.file(), s.now)
	ts.Check(err)
	s.up(ts)
}

func pings(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.operated.mu.Lock()
	defer s.operated.mu.Unlock()
	if got := s.operated.pings[args[0]]; got != number(ts, args, 1) {
		ts.Fatalf("%d calls after a %s", got, args[0])
	}
}
