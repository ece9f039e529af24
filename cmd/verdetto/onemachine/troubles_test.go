package onemachine

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
)

func TestFailedRefreshIsRetried(t *testing.T) {
	clock := storetest.NewClock()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "kept.db"), clock.Now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	o := process(table, &counted{}, clock)
	o.Monitor = monitor.New()
	report := refresh.DeepReport{Answered: 8, Failed: 2, Faults: []string{"MIL-BUH: status 500"}}
	fault := report.Failure()
	begun, tried := clock.Now(), []int{}
	r := Refreshes{
		All: func(context.Context) error { return nil },
		Departures: func(context.Context) error {
			tried = append(tried, int(clock.Now().Sub(begun).Minutes()))
			return fault
		},
	}
	due := o.Due(r)
	for range 12 * 24 {
		due(t.Context())
		clock.Add(lookEvery)
	}
	if want := []int{0, 10, 30, 70, 150, 310, 550, 790, 1030, 1270}; !slices.Equal(tried, want) {
		t.Errorf("tried after %v minutes, want %v", tried, want)
	}
	health := NewHealth(table, clock.Now)
	health.troubles = o.Monitor.Troubles
	if err := (store.Fares{Table: table}).SetLastAnswer(t.Context(), "MIL", clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := table.Write(t.Context(), store.Op{Item: store.Item{Key: store.Key{Partition: "COVERED", Sort: "MIL"}}}); err != nil {
		t.Fatal(err)
	}
	ready := func() string {
		w := httptest.NewRecorder()
		health.Handler(http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
		return w.Body.String()
	}
	if got := ready(); !strings.Contains(got, "fails since "+begun.UTC().Format(time.RFC3339)) {
		t.Error(got)
	}
	fault = nil
	clock.Add(refresh.Waits.Longest)
	due(t.Context())
	if got := ready(); strings.Contains(got, "avviso") {
		t.Errorf("after a success: %s", got)
	}
}

type failing struct {
	counted
	fails  map[fare.City]bool
	future bool
}

func (f *failing) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	answer, err := f.counted.Fares(ctx, origin, since, until)
	if f.fails[origin] {
		return upstream.Answer{}, upstream.ErrUnavailable
	}
	if f.future {
		return upstream.Answer{Dropped: map[upstream.Reason]int{upstream.FromFuture: 12}}, nil
	}
	return answer, err
}

func TestOriginsThatFailAreAskedAgain(t *testing.T) {
	table, clock := openStore(t)
	source := &failing{counted: counted{asked: map[fare.City]int{}}, fails: map[fare.City]bool{"ROM": true}}
	o := process(table, source, clock)
	o.Monitor = monitor.New()
	discover := o.Discovery(nil)
	r := Refreshes{
		All:        func(ctx context.Context) error { _, err := discover(ctx); return err },
		Departures: func(context.Context) error { return nil },
	}
	due := o.Due(r)
	for range 12 {
		due(t.Context())
		clock.Add(lookEvery)
	}
	if diff := cmp.Diff(map[fare.City]int{"MIL": 1, "PAR": 1, "ROM": 3}, source.asked); diff != "" {
		t.Error(diff)
	}
	troubles := o.Monitor.Troubles()
	if len(troubles) != 1 || !strings.Contains(troubles[0].Error, "1 of 1 cities failed, at first ROM: ") {
		t.Errorf("%+v", troubles)
	}
	source.fails = nil
	clock.Add(refresh.Waits.Longest)
	due(t.Context())
	last, _, err := (store.Fares{Table: table}).LastRun(t.Context(), store.Discovery)
	if err != nil || last.IsZero() || len(o.Monitor.Troubles()) != 0 || source.asked["MIL"] != 1 {
		t.Errorf("after a success: last run %v %v, %+v, asked %v", last, err, o.Monitor.Troubles(), source.asked)
	}
	source.future = true
	clock.Add(Cycle * 24 * time.Hour)
	due(t.Context())
	if got := o.Monitor.Troubles(); len(got) != 1 || !strings.Contains(got[0].Error, "set the clock right") {
		t.Errorf("the clock is behind: %+v", got)
	}
}

type full struct {
	store.Table
	is     bool
	failed time.Time
}

func (f *full) Path() string           { return "kept.db" }
func (f *full) WriteFailed() time.Time { return f.failed }

func (f *full) Write(ctx context.Context, ops ...store.Op) error {
	if f.is && strings.HasPrefix(ops[0].Item.Partition, "ROUTE#") {
		f.failed = time.Now()
		return store.ErrUnavailable
	}
	return f.Table.Write(ctx, ops...)
}

func TestFullDiskDuringARefresh(t *testing.T) {
	kept, clock := openStore(t)
	table, free := &full{Table: kept}, 3e6
	o := process(table, &counted{asked: map[fare.City]int{}}, clock)
	o.DiskFree = func(string) (float64, bool) { return free, true }
	o.Monitor = monitor.New()
	r := Refreshes{
		All: func(ctx context.Context) error {
			report, err := o.Refresh(ctx, nil)
			return errors.Join(err, report.Failure())
		},
		Departures: func(context.Context) error { return nil },
	}
	due := o.Due(r)
	look := func() string {
		health := NewHealth(table, clock.Now)
		health.troubles, health.system = o.Monitor.Troubles, func() time.Time { return time.Now().Add(2 * failedFor) }
		return health.Look(t.Context()).Reason
	}
	due(t.Context())
	if got := look(); got != "" {
		t.Fatal(got)
	}
	table.is = true
	clock.Add(Cycle * 24 * time.Hour)
	due(t.Context())
	if got := look(); !strings.Contains(got, "disk of the store is full") {
		t.Errorf("a refresh filled the disk: %q", got)
	}
	free += 2 << 20
	if got := look(); got != "" {
		t.Errorf("with room again: %q", got)
	}
	table.is = false
	due(t.Context())
	if got := o.Monitor.Troubles(); len(got) > 0 {
		t.Errorf("after the next refresh: %+v", got)
	}
}
