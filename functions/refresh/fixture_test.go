package refresh_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// openAt must be called inside the synctest bubble, if the test has one.
func openAt(t testing.TB, now func() time.Time) *boltstore.Store {
	t.Helper()
	return openFile(t, filepath.Join(t.TempDir(), "test.db"), now)
}

func openFile(t testing.TB, path string, now func() time.Time) *boltstore.Store {
	t.Helper()
	table, err := boltstore.Open(path, now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

func refresher(s upstream.Source, table store.Table, now func() time.Time) refresh.Refresher {
	return refresh.Refresher{Source: s, Fares: store.Fares{Table: table}, Now: now, Workers: 1}
}

func function(r refresh.Refresher, q queue.Queue) *refresh.Function {
	return &refresh.Function{Refresher: r, Queue: q, Log: slog.New(slog.DiscardHandler)}
}

func mustRun(t testing.TB, r refresh.Refresher, origins ...fare.City) refresh.Report {
	t.Helper()
	report, err := r.Run(t.Context(), origins...)
	if err != nil || report.Failed > 0 {
		t.Fatal(report, err)
	}
	return report
}

// dump omits versions, because a retry may write more often.
func dump(t testing.TB, table store.Table, partitions ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, p := range partitions {
		items, err := table.Query(t.Context(), store.Range{Partition: p, Read: store.Strong})
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range items {
			all[p+" "+i.Sort] = fmt.Sprintf("%x until %v", i.Data, i.Expires)
		}
	}
	return all
}

func seriesOf(name string) fare.Series {
	s, err := fare.ParseSeries(name)
	if err != nil {
		panic(err)
	}
	return s
}

func summaryOf(t testing.TB, table store.Table, series fare.Series) verdict.RouteSummary {
	t.Helper()
	summary, err := store.Fares{Table: table}.Summary(t.Context(), series)
	storetest.Must(t, err)
	return summary
}

func pooledOf(t testing.TB, table store.Table) departure.Cycle {
	t.Helper()
	c, err := store.Fares{Table: table}.Pooled(t.Context())
	storetest.Must(t, err)
	return c
}

func sheetOf(t testing.TB, table store.Table, series fare.Series, nonStop bool) *departure.State {
	t.Helper()
	state, err := store.Fares{Table: table}.Sheet(t.Context(), series, nonStop)
	storetest.Must(t, err)
	return state
}
