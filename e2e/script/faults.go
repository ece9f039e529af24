package script

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/maildir"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
)

// Kind is store, mail, ntfy, stripe, chain or source.
type Fault struct {
	Kind  string
	Call  int
	After bool // the call takes effect before it fails
	Kill  bool // the failure also ends the process
}

func (f Fault) String() string {
	side, how := "before", "fails"
	if f.After {
		side = "after"
	}
	if f.Kill {
		how = "kills"
	}
	return fmt.Sprintf("%s %d %s %s its effect", f.Kind, f.Call, how, side)
}

type side int

const (
	never side = iota
	before
	after
)

type faults struct {
	planned *Fault
	mu      sync.Mutex
	calls   map[string]int
	down    string // the kind of calls that all fail, or empty if none fails
	lost    bool   // a call that fails takes effect first
	hit     bool
	dead    bool
}

func (f *faults) next(kind string) side {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.calls == nil {
		f.calls = map[string]int{}
	}
	n := f.calls[kind]
	f.calls[kind]++
	if f.dead || f.down == kind && !f.lost {
		return before
	}
	if f.down == kind {
		return after
	}
	if p := f.planned; p != nil && p.Kind == kind && p.Call == n {
		f.hit, f.dead = true, p.Kill
		if p.After {
			return after
		}
		return before
	}
	return never
}

func (f *faults) struck() (hit, killed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	hit, killed = f.hit, f.dead
	f.hit, f.dead = false, false
	return hit, killed
}

func (f *faults) calm() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.hit && f.down == ""
}

func (f *faults) isDown(kind string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.down == kind
}

func (f *faults) around(kind string, unsent, unknown error, call func() error) error {
	switch f.next(kind) {
	case before:
		return unsent
	case after:
		if err := call(); err != nil {
			return err
		}
		return unknown
	}
	return call()
}

func (f *faults) wire(kind string) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch f.next(kind) {
			case before:
				panic(http.ErrAbortHandler)
			case after:
				h.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler)
			}
			h.ServeHTTP(w, r)
		})
	}
}

type sender struct {
	mail.Sender
	faults *faults
}

func (s sender) Send(ctx context.Context, m mail.Message) error {
	return s.faults.around("mail", mail.ErrThrottled, mail.ErrUnavailable, func() error { return s.Sender.Send(ctx, m) })
}

func fault(s *story, ts *testscript.TestScript, _ bool, args []string) {
	s.up(ts)
	s.unfaulted = "the script has its own failures"
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.planned, s.faults.down, s.faults.lost, s.faults.hit = nil, "", false, false
	switch {
	case len(args) == 1 && args[0] == "none":
	case len(args) == 2 && (args[1] == "down" || args[1] == "lost"):
		s.faults.down, s.faults.lost = args[0], args[1] == "lost"
	case len(args) == 2 && (args[1] == "before" || args[1] == "after"):
		s.faults.planned = &Fault{Kind: args[0], Call: s.faults.calls[args[0]], After: args[1] == "after"}
	default:
		ts.Fatalf("want none, or a kind with before, after, down or lost")
	}
}

// Faults runs each script without a failure, and then once for each of at most n random failures.
// If n is 0, all failures are tried. A script with the verb unfaulted or fault runs only once.
func Faults(t *testing.T, n int, random *rand.Rand, files ...string) {
	for _, file := range files {
		t.Run(strings.TrimSuffix(file, ".txtar"), func(t *testing.T) {
			var calls map[string]int
			var end []string
			var unfaulted string
			t.Run("whole", func(t *testing.T) {
				run(t, testscript.Params{Files: []string{file}}, func(*story) {}, func(s *story) {
					calls, end, unfaulted = maps.Clone(s.faults.calls), s.end(), s.unfaulted
				})
			})
			if unfaulted != "" {
				t.Skip(unfaulted)
			}
			var all []Fault
			for _, kind := range slices.Sorted(maps.Keys(calls)) {
				for call := range calls[kind] {
					for _, side := range []bool{false, true} {
						all = append(all, Fault{kind, call, side, false}, Fault{kind, call, side, true})
					}
				}
			}
			random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			if n > 0 {
				all = all[:min(n, len(all))]
			}
			for _, f := range all {
				t.Run(f.String(), func(t *testing.T) {
					run(t, testscript.Params{Files: []string{file}}, func(s *story) { s.faults.planned = &f }, func(s *story) {
						want, got := end, s.end()
						if s.retried { // a step that was retried may have stored something twice
							want, got = slices.Compact(slices.Clone(want)), slices.Compact(got)
						}
						if diff := cmp.Diff(want, got); diff != "" && !s.cut && !t.Failed() {
							t.Errorf("the end differs: %s", diff)
						}
					})
				})
			}
		})
	}
}

// passing holds the beginnings of the keys of items that may differ after a failure.
var passing = []string{"LIMIT#", "LEASE#", "NOTE#", "MAILBOX#", "PENDING#", "OUTBOX#", "FEES#", "NETWORKS", "DEMANDED", "WANTED", "SERVICE"}

// fromFares holds the families of items that refreshes compute only from fares.
var fromFares = []string{"ROUTE", "ORIGIN", "INTO", "LEFT", "FARES POOLED", "SCORE SUM", "SCORE WEEK", "SEEN"}

func (s *story) end() (all []string) {
	mails, err := maildir.Read(s.options.Mail)
	if err != nil {
		s.t.Error(err)
	}
	all = subjects(mails)
	if s.perCall != nil {
		all = append(all, fmt.Sprint(s.perCall.Chain.Got, " units by x402"))
	}
	if s.table == nil {
		return all
	}
	_, more := s.options.Source.(upstream.Deep)
	err = s.table.All(background, func(item store.Item) error {
		key := item.Key.Partition + " " + item.Key.Sort
		ended := !item.Expires.IsZero() && !item.Expires.After(s.now()) // the store may remove an expired item at any time
		if !ended && !slices.ContainsFunc(passing, func(p string) bool { return strings.HasPrefix(key, p) }) {
			if family, _, _ := strings.Cut(key, "#"); slices.Contains(fromFares, family) && !more {
				key = fmt.Sprintf("%s %x", key, sha256.Sum256(item.Data))
			}
			all = append(all, string(normal([]byte(key))))
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
	slices.Sort(all)
	return all
}
