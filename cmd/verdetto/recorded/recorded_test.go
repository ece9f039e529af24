package recorded_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/recorded"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
)

// The panels begin in 2066, because DynamoDB deletes expired items by the real time.
var first = fare.DayOf(time.Date(2066, 1, 4, 0, 0, 0, 0, time.UTC))

const days = 24

func now() time.Time { return (first + days).Time().Add(-time.Second) }

func lines(from, to int) (all []string) {
	for n := from; n < to; n++ {
		day := first + fare.Day(n)
		random := rand.New(rand.NewPCG(7, uint64(n)))
		for ahead := 5; ahead < 40; ahead += 7 {
			depart := day + fare.Day(ahead) + fare.Day(n%7)
			row := func(route, currency, back string, stops int) {
				all = append(all, fmt.Sprintf("%s,%s,%s,%d.00,%s,%s,%d", route, day, depart, 40+random.IntN(80),
					currency, back, stops))
			}
			row("MIL,BUH", "EUR", "", 0)
			row("MIL,BUH", "EUR", "", 1)
			row("MIL,BUH", "EUR", (depart + 5).String(), 0)
			if n%3 > 0 {
				row("LON,ROM", "GBP", "", 0)
			}
		}
		if n > 10 {
			all = append(all, fmt.Sprintf("MIL,LIS,%sT09:30:00Z,%s,%d.50,EUR,,", day, day+20, 50+random.IntN(9)))
		}
	}
	return all
}

func panelOf(t *testing.T, rows []string) *csvfile.Panel {
	t.Helper()
	text := "origin,destination,observed_date,depart_date,price,currency,return_date,stops\n" + strings.Join(rows, "\n")
	p, err := csvfile.Read(strings.NewReader(text),
		upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}, "")
	if err != nil || p.Report().Partly() {
		t.Fatal(err, p.Report().Bad)
	}
	return p
}

func open(t *testing.T) *boltstore.Store {
	t.Helper()
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "verdetto.db"), now, boltstore.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

func see(t *testing.T, table store.Table, p *csvfile.Panel, from, to int) {
	t.Helper()
	for n := from; n < to; n++ {
		at := (first + fare.Day(n+1)).Time().Add(-time.Second)
		r := refresh.Refresher{Source: p, Fares: store.Fares{Table: table}, Now: func() time.Time { return at },
			Rates: ecb.Table().RatesOn(fare.DayOf(at))}
		if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
			t.Fatal(report.Faults, err)
		}
	}
}

func into(ctx context.Context, table store.Table, p *csvfile.Panel, folder string) (recorded.Report, error) {
	return recorded.Import{Target: table, Panel: p, Folder: folder, Now: now, Rates: ecb.Table().RatesOn}.Run(ctx)
}

func mustImport(t *testing.T, table store.Table, p *csvfile.Panel) recorded.Report {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "import")
	report, err := into(t.Context(), table, p, folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work folder is left: %v", err)
	}
	return report
}

func contents(t *testing.T, table store.Whole, versions bool) map[string]string {
	t.Helper()
	all := map[string]string{}
	items, err := storetest.Contents(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		if i.Partition == "FARES" && (i.Sort == "SOURCE" || i.Sort == "BEGAN") {
			continue
		}
		if !versions {
			i.Version = 0
		}
		all[i.Partition+"/"+i.Sort] = fmt.Sprintf("%d %s %x", i.Version, i.Expires, i.Data)
	}
	return all
}

func wantEqual(t *testing.T, want, got map[string]string) {
	t.Helper()
	if len(want) < 20 {
		t.Errorf("only %d items", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-seen day by day +imported):\n%s", diff)
	}
}

func TestEqualsDayByDay(t *testing.T) {
	t.Parallel()
	rows := lines(0, days)
	seen, imported := open(t), open(t)
	see(t, seen, panelOf(t, rows), 0, days)
	shuffled := append(append([]string{}, rows...), rows[:50]...)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) {
		shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
	})
	report := mustImport(t, imported, panelOf(t, shuffled))
	wantEqual(t, contents(t, seen, false), contents(t, imported, false))
	if report.New != len(rows) || report.Stored != 0 || report.Series != 4 || len(report.Dropped) > 0 {
		t.Errorf("%+v, want %d new fares", report, len(rows))
	}
	before := contents(t, imported, true)
	report = mustImport(t, imported, panelOf(t, rows))
	diff := cmp.Diff(before, contents(t, imported, true))
	if diff != "" || report.New != 0 || report.Stored != len(rows) {
		t.Errorf("the second time %+v\n%s", report, diff)
	}
}

func TestOwnDays(t *testing.T) {
	t.Parallel()
	rows, fewer := lines(0, days), lines(18, days)
	seen, imported := open(t), open(t)
	see(t, seen, panelOf(t, rows), 0, days)
	see(t, imported, panelOf(t, fewer), 18, days)
	day := (first + 20).String()
	later := (first + days).String()
	others := append(lines(0, 19), "MIL,BUH,"+day+","+later+",33.00,EUR,,0", "LON,ROM,"+later+","+later+",40.00,GBP,,0")
	report := mustImport(t, imported, panelOf(t, others))
	want := recorded.Report{New: len(lines(0, 18)), Stored: len(lines(18, 19)), Series: 4, First: first,
		Last: first + days - 1, Written: report.Written,
		Dropped: map[upstream.Reason]int{recorded.OtherFares: 1, upstream.FromFuture: 1}}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Error(diff)
	}
	got, all := contents(t, imported, false), contents(t, seen, false)
	for key := range all { // an import does not add to the score of the service's own answers
		if strings.HasPrefix(key, "SCORE/") {
			delete(all, key)
			delete(got, key)
		}
	}
	wantEqual(t, all, got)
}

func TestOldRecord(t *testing.T) {
	t.Parallel()
	table := open(t)
	var old []string
	for n := range 30 {
		day := first - 420 + fare.Day(n)
		old = append(old, fmt.Sprintf("MIL,LIS,%s,%s,%d.00,EUR,,0", day, day+20, 60+n%7))
	}
	mustImport(t, table, panelOf(t, old))
	before := contents(t, table, false)
	report := mustImport(t, table, panelOf(t, append(lines(0, days), old...)))
	if report.Dropped[recorded.OldRecord] == 0 || report.New != len(lines(0, days))-13 {
		t.Errorf("%+v", report)
	}
	after := contents(t, table, false)
	for key, was := range before {
		if is := after[key]; is != was && !strings.HasPrefix(key, "ORIGIN#MIL/") {
			t.Errorf("%s was changed", key)
		}
	}
	if _, is := after["ROUTE#LON-ROM/SHEET"]; !is {
		t.Error("no other route was imported")
	}
	fares := store.Fares{Table: table}
	if err := fares.Claim(t.Context(), store.Invented, now()); !errors.Is(err, store.ErrOtherSource) {
		t.Errorf("invented fares mix with imported ones: %v", err)
	}
	if err := fares.Claim(t.Context(), "travelpayouts", now()); err != nil {
		t.Error(err)
	}
	if err := fares.Claim(t.Context(), "csv", now()); !errors.Is(err, store.ErrOtherSource) {
		t.Errorf("the source of a service was replaced: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	p, table := panelOf(t, lines(0, days)), open(t)
	if err := (store.Fares{Table: table}).Claim(t.Context(), store.Invented, now()); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "import")
	if _, err := into(t.Context(), table, p, folder); !errors.Is(err, store.ErrOtherSource) {
		t.Error(err)
	}
	table = open(t)
	i := recorded.Import{Target: table, Panel: p, Folder: folder, Now: now, Rates: ecb.Table().RatesOn}
	i.Progress = func(_, _ int, day fare.Day) {
		if day == first+9 { // a refresh on AWS, which does not take the lease
			see(t, table, panelOf(t, lines(days-1, days)), days-1, days)
		}
	}
	if _, err := i.Run(t.Context()); !errors.Is(err, recorded.ErrChanged) {
		t.Error(err)
	}
	if report := mustImport(t, table, p); report.New != len(lines(0, days-1)) {
		t.Errorf("%+v", report)
	}
}

func TestWaits(t *testing.T) {
	t.Parallel()
	table := open(t)
	lease := store.Lease{Table: table, Name: store.RefreshLease, Holder: "service", Duration: time.Hour, Now: now}
	if err := lease.Hold(t.Context()); err != nil {
		t.Fatal(err)
	}
	waits := 0
	i := recorded.Import{Target: table, Panel: panelOf(t, lines(0, 3)), Folder: filepath.Join(t.TempDir(), "import"),
		Now: now, Rates: ecb.Table().RatesOn}
	i.Waiting = func() {
		waits++
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if report, err := i.Run(t.Context()); err != nil || waits != 1 || report.New == 0 {
		t.Errorf("%+v %v, waited %d times", report, err, waits)
	}
}

func TestStepsFail(t *testing.T) {
	t.Parallel()
	failSteps(t, 10)
}

func failSteps(t *testing.T, every int) {
	p := panelOf(t, lines(0, 6))
	undisturbed := open(t)
	counted := storetest.NewFaulty(undisturbed)
	if _, err := into(t.Context(), counted, p, filepath.Join(t.TempDir(), "import")); err != nil {
		t.Fatal(err)
	}
	want, calls := contents(t, undisturbed, true), counted.Calls()
	for call := 0; call < calls; call += every {
		for _, side := range []storetest.Side{storetest.Before, storetest.After} {
			table := open(t)
			faulty, folder := storetest.NewFaulty(table), filepath.Join(t.TempDir(), "import")
			faulty.DieAt(call, side)
			_, failed := into(t.Context(), faulty, p, folder)
			faulty.Heal()
			if _, err := into(t.Context(), faulty, p, folder); err != nil {
				t.Fatalf("call %d %s: %v, then %v", call, side, failed, err)
			}
			if diff := cmp.Diff(want, contents(t, table, true)); diff != "" {
				t.Fatalf("call %d %s (-undisturbed +again):\n%s", call, side, diff)
			}
		}
	}
	t.Logf("%d calls", calls)
	if calls < 50 {
		t.Errorf("only %d calls", calls)
	}
}

func TestAnotherPanel(t *testing.T) {
	t.Parallel()
	one, both := panelOf(t, lines(0, 6)), panelOf(t, lines(0, 9))
	counted := storetest.NewFaulty(open(t))
	if _, err := into(t.Context(), counted, one, filepath.Join(t.TempDir(), "import")); err != nil {
		t.Fatal(err)
	}
	want, table := open(t), open(t)
	mustImport(t, want, both)
	faulty, folder := storetest.NewFaulty(table), filepath.Join(t.TempDir(), "import")
	faulty.DieAt(counted.Calls()-10, storetest.After)
	if _, err := into(t.Context(), faulty, one, folder); err == nil {
		t.Fatal("it was not cut off")
	}
	faulty.Heal()
	report, err := into(t.Context(), faulty, both, folder)
	if err != nil || report.Stored != len(lines(0, 6)) || report.New != len(lines(6, 9)) {
		t.Fatalf("%+v %v", report, err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work folder is left: %v", err)
	}
	wantEqual(t, contents(t, want, false), contents(t, table, false))
}

func TestKilledAndResumed(t *testing.T) {
	t.Parallel()
	p := panelOf(t, lines(0, days))
	undisturbed, table := open(t), open(t)
	mustImport(t, undisturbed, p)
	folder := filepath.Join(t.TempDir(), "import")
	for _, until := range []fare.Day{first + 1, first + 12} {
		ctx, kill := context.WithCancel(t.Context())
		i := recorded.Import{Target: table, Panel: p, Folder: folder, Every: 1, Now: now, Rates: ecb.Table().RatesOn}
		i.Progress = func(_, _ int, day fare.Day) {
			if day == until {
				kill()
			}
		}
		if _, err := i.Run(ctx); err == nil {
			t.Fatal("it was not killed")
		}
	}
	report, err := into(t.Context(), table, p, folder)
	if err != nil || report.Resumed != first+13 {
		t.Errorf("resumed at %s, want %s: %v", report.Resumed, first+13, err)
	}
	if diff := cmp.Diff(contents(t, undisturbed, true), contents(t, table, true)); diff != "" {
		t.Errorf("(-undisturbed +resumed):\n%s", diff)
	}
}
