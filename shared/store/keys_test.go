package store_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/limit"
	"verdetto/shared/store"
)

// keyRow is one row of the table of keys in the package comment.
type keyRow struct {
	name            string // partition and sort as documented
	partition, sort *regexp.Regexp
	expires         bool
}

// documentedKeys reads the table of keys from the package comment.
func documentedKeys(t *testing.T) []keyRow {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "store.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(file.Doc.Text(), "\tpartition ")
	if !found {
		t.Fatal("the package comment has no table of keys")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []keyRow
	for _, line := range strings.Split(table, "\n")[1:] {
		cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
		if len(cells) != 5 {
			t.Fatalf("a row of the table of keys has %d columns: %q", len(cells), line)
		}
		rows = append(rows, keyRow{cells[0] + " " + cells[1], pattern(cells[0]), pattern(cells[1]), cells[4] != "never"})
	}
	return rows
}

// pattern matches keys of a documented form, in which names in angle brackets
// stand for anything without a #; a series may have one.
func pattern(documented string) *regexp.Regexp {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(documented), "<series>", "[^#]+(#[^#]+)?")
	return regexp.MustCompile("^" + regexp.MustCompile(`<[a-z]+>`).ReplaceAllString(quoted, "[^#]+") + "$")
}

// recorder is a table that records the keys it is asked for and the items it is given.
type recorder struct {
	store.Table
	mu      sync.Mutex
	read    []store.Key // a query leaves Sort empty
	written []store.Item
}

func (r *recorder) record(reads []store.Key, writes ...store.Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.read, r.written = append(r.read, reads...), append(r.written, writes...)
}

func (r *recorder) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	r.record([]store.Key{key})
	return r.Table.Get(ctx, key, read)
}

func (r *recorder) Query(ctx context.Context, q store.Range) ([]store.Item, error) {
	r.record([]store.Key{{Partition: q.Partition}})
	return r.Table.Query(ctx, q)
}

func (r *recorder) Write(ctx context.Context, ops ...store.Op) error {
	for _, op := range ops {
		switch op.Mode {
		case store.Set, store.Create, store.Replace:
			r.record(nil, op.Item)
		default:
			r.record([]store.Key{op.Item.Key})
		}
	}
	return r.Table.Write(ctx, ops...)
}

func (r *recorder) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	r.record(nil, store.Item{Key: key, Expires: expires})
	return r.Table.Take(ctx, key, n, limit, expires)
}

// TestKeysAreDocumented drives every method of every record and holds the keys
// that they use to the table in the package comment: each key is of exactly one
// row, each row is written by something, and it expires if the row says so.
func TestKeysAreDocumented(t *testing.T) {
	rows := documentedKeys(t)
	table := &recorder{Table: openAlerts(t).Table}
	driveRecords(t, table)

	rowOf := func(key store.Key) (keyRow, bool) {
		var of []keyRow
		for _, row := range rows {
			if row.partition.MatchString(key.Partition) && (key.Sort == "" || row.sort.MatchString(key.Sort)) {
				of = append(of, row)
			}
		}
		if len(of) == 0 || len(of) > 1 && key.Sort != "" {
			t.Errorf("%s %s is in %d rows of the table of keys, want one", key.Partition, key.Sort, len(of))
			return keyRow{}, false
		}
		return of[0], true
	}
	for _, key := range table.read {
		rowOf(key)
	}
	var written []string
	for _, item := range table.written {
		row, ok := rowOf(item.Key)
		if ok && row.expires == item.Expires.IsZero() {
			t.Errorf("%s expires at %v; its row says that it does: %v", row.name, item.Expires, row.expires)
		}
		written = append(written, row.name)
	}
	for _, row := range rows {
		if !slices.Contains(written, row.name) {
			t.Errorf("nothing writes %s", row.name)
		}
	}
}

// driveRecords calls every exported method of the records, so that each finds something to do.
func driveRecords(t *testing.T, table store.Table) {
	t.Helper()
	ctx, later := t.Context(), noon.Add(time.Hour)
	customer := apikey.Of([]byte("pepper"), "ada@example.com")
	outbox := store.Outbox{Table: table, Name: "alerts"}
	fares, alerts := store.Fares{Table: table}, store.Alerts{Table: table, Outbox: outbox}
	customers, notifications := store.Customers{Table: table}, store.Notifications{Table: table}
	notes, migration := store.Notes{Table: table}, store.Migration{Table: table}
	lease := &store.Lease{Table: table, Name: "mail", Holder: "a", For: time.Hour, Now: func() time.Time { return noon }}
	news := store.Notification{Route: milBuh, Day: 20500, News: []byte("n"), Expires: later}
	limiter := limit.New(table, func() time.Time { return noon })
	ignore := func(_ any, err error) error { return err }
	ignoreNothing := func(err error) error {
		if errors.Is(err, store.ErrNothingToUndo) {
			return nil
		}
		return err
	}

	type call struct {
		record any
		method string
		do     func() error
	}
	calls := []call{
		{fares, "PutBlocks", func() error {
			block := store.StoredBlock{Block: fare.Block{Cycle: 2928, Data: []byte("b")}}
			return fares.PutBlocks(ctx, fare.Series{Route: milBuh}, []store.StoredBlock{block}, func(fare.Cycle) time.Time { return later })
		}},
		{fares, "Blocks", func() error { return ignore(fares.Blocks(ctx, fare.Series{Route: milBuh}, store.Strong)) }},
		{fares, "PutSummary", func() error { return fares.PutSummary(ctx, fare.Series{Route: milBuh}, []byte("s"), 0) }},
		{fares, "Summary", func() error { _, _, err := fares.Summary(ctx, fare.Series{Route: milBuh}, store.Strong); return err }},
		{fares, "PutDepartures", func() error {
			one := store.Versioned{Data: []byte("d")}
			return fares.PutDepartures(ctx, fare.Series{Route: milBuh}, store.Departures{Any: one, NonStop: one, Learning: one}, store.Left{Cycle: 20500, Data: []byte("l"), Expires: later})
		}},
		{fares, "Departures", func() error { return ignore(fares.Departures(ctx, fare.Series{Route: milBuh})) }},
		{fares, "Sheet", func() error { return ignore(fares.Sheet(ctx, fare.Series{Route: milBuh}, true)) }},
		{fares, "Left", func() error { return ignore(fares.Left(ctx, 20500)) }},
		{fares, "LeftBy", func() error { return ignore(fares.LeftBy(ctx, fare.Series{Route: milBuh}, 20500)) }},
		{fares, "PutPooled", func() error {
			return fares.PutPooled(ctx, []byte("p"), 0, store.Score{Sum: []byte("s"), Weeks: map[fare.Day][]byte{20500: []byte("w")}})
		}},
		{fares, "ScoreSum", func() error { return ignore(fares.ScoreSum(ctx, store.Strong)) }},
		{fares, "ScoreOfWeek", func() error { return ignore(fares.ScoreOfWeek(ctx, 20500)) }},
		{fares, "ScoreWeeks", func() error { return ignore(fares.ScoreWeeks(ctx, 20500, store.Strong)) }},
		{fares, "Pooled", func() error { _, _, err := fares.Pooled(ctx, store.Strong); return err }},
		{fares, "SetAsked", func() error { return fares.SetAsked(ctx, "MIL", noon) }},
		{fares, "Asked", func() error { return ignore(fares.Asked(ctx, "MIL")) }},
		{fares, "Claim", func() error { return fares.Claim(ctx, "sample") }},
		{fares, "PutTrends", func() error {
			return fares.PutTrends(ctx, "MIL", []byte("t"), 0, map[fare.City]store.Coverage{"BUH": {Observations: 1}})
		}},
		{fares, "PutDeals", func() error { return fares.PutDeals(ctx, "MIL", []byte("d"), 0) }},
		{fares, "Deals", func() error { _, _, err := fares.Deals(ctx, "MIL"); return err }},
		{fares, "Trends", func() error { _, _, err := fares.Trends(ctx, "MIL"); return err }},
		{fares, "Covered", func() error { return ignore(fares.Covered(ctx, "", 0)) }},
		{fares, "Into", func() error { return ignore(fares.Into(ctx, "BUH", "", 0)) }},
		{fares, "SetRates", func() error { return fares.SetRates(ctx, fare.Rates{}) }},
		{fares, "Rates", func() error { return ignore(fares.Rates(ctx)) }},
		{fares, "NoteDemand", func() error { return fares.NoteDemand(ctx, fare.Series{Route: milBuh, Trip: fare.Return4to7}, later) }},
		{fares, "Demanded", func() error { return ignore(fares.Demanded(ctx)) }},
		{fares, "RequestOrigin", func() error { return fares.RequestOrigin(ctx, "ROM", later) }},
		{fares, "RequestedOrigins", func() error { return ignore(fares.RequestedOrigins(ctx)) }},

		{fares, "SetRun", func() error {
			return errors.Join(fares.SetRun(ctx, store.Discovery, noon, 0), fares.SetRun(ctx, store.Depth, noon, 0))
		}},
		{fares, "LastRun", func() error { _, _, err := fares.LastRun(ctx, store.Discovery); return err }},

		{alerts, "AddPending", func() error {
			return alerts.AddPending(ctx, "x", alertOf("ada", "BUH", 0), later, store.Job{At: noon})
		}},
		{alerts, "Pending", func() error { return ignore(alerts.Pending(ctx, "x")) }},
		{alerts, "Confirm", func() error { return ignore(alerts.Confirm(ctx, "x")) }},
		{alerts, "One", func() error { return ignore(alerts.One(ctx, milBuh, "ada")) }},
		{alerts, "Of", func() error { return ignore(alerts.Of(ctx, "ada")) }},
		{alerts, "Page", func() error { return ignore(alerts.Page(ctx, milBuh, "", 10)) }},
		{alerts, "MarkNotified", func() error {
			one, err := alerts.One(ctx, milBuh, "ada")
			if err != nil {
				return err
			}
			return alerts.MarkNotified(ctx, one, 20500)
		}},
		{alerts, "Watched", func() error { return ignore(alerts.Watched(ctx, "MIL")) }},
		{alerts, "Remove", func() error { return ignore(alerts.Remove(ctx, "ada")) }},
		{alerts, "Unwatch", func() error { return ignore(alerts.Unwatch(ctx, milBuh)) }},
		{alerts, "Stop", func() error { return alerts.Stop(ctx, "ada", later) }},
		{alerts, "Stopped", func() error { return ignore(alerts.Stopped(ctx, "ada")) }},

		{customers, "Put", func() error { return customers.Put(ctx, store.Customer{ID: customer}) }},
		{customers, "Customer", func() error { return ignore(customers.Customer(ctx, customer)) }},
		{customers, "Change", func() error { return customers.Change(ctx, customer, func(*store.Customer) error { return nil }) }},
		{customers, "Issue", func() error { return ignore(customers.Issue(ctx, rand.Reader, customer, noon, nil)) }},
		{customers, "IssueOnce", func() error {
			_, _, err := customers.IssueOnce(ctx, rand.Reader, customer, noon, store.Once{What: "payment/1", Keep: func(store.Customer) bool { return false }})
			return err
		}},
		{customers, "Activate", func() error { return customers.Activate(ctx, customer, apikey.Hash{1}, noon) }},
		{customers, "Cancel", func() error { return customers.Cancel(ctx, customer, apikey.Hash{1}) }},
		{customers, "Undo", func() error { return ignoreNothing(customers.Undo(ctx, customer, []byte{1}, later)) }},
		{customers, "Undoable", func() error { return ignoreNothing(customers.Undoable(ctx, customer, []byte{1})) }},
		{customers, "Rotate", func() error {
			text, err := customers.Issue(ctx, rand.Reader, customer, noon, nil)
			if err != nil {
				return err
			}
			key, _ := apikey.Parse(text)
			return ignore(customers.Rotate(ctx, key, apikey.Hash{1}, noon))
		}},
		{customers, "CheckoutKey", func() error { return ignore(customers.CheckoutKey(ctx, customer, "ip 192.0.2.1", later)) }},
		{customers, "LinkSubscription", func() error { return customers.LinkSubscription(ctx, "sub_1", customer) }},
		{customers, "SubscriptionOwner", func() error { return ignore(customers.SubscriptionOwner(ctx, "sub_1")) }},
		{customers, "Move", func() error {
			other := apikey.Of([]byte("pepper"), "bob@example.com")
			_, err := customers.Move(ctx, customer, other, noon, func(store.Customer) []store.LeftJob {
				return []store.LeftJob{{Outbox: outbox, Job: store.Job{At: noon}}}
			})
			return err
		}},
		{customers, "Erase", func() error {
			return customers.Erase(ctx, customer, func(store.Job) bool { return false }, outbox)
		}},

		{notes, "Put", func() error { return notes.Put(ctx, store.Note{Name: "x", Data: []byte("n"), Until: later}) }},
		{notes, "Get", func() error { return ignore(notes.Get(ctx, "x")) }},
		{notes, "Drop", func() error { return notes.Drop(ctx, "x") }},

		{notifications, "Leave", func() error { return notifications.Leave(ctx, store.Past{}, news, []byte("d"), later) }},
		{notifications, "Past", func() error { return ignore(notifications.Past(ctx, milBuh)) }},
		{notifications, "Next", func() (err error) { news, err = notifications.Next(ctx, fare.Route{}); return err }},
		{notifications, "Advance", func() error { return notifications.Advance(ctx, &news, "ada") }},
		{notifications, "Done", func() error { return notifications.Done(ctx, news) }},
		{notifications, "TakeBack", func() error { return notifications.TakeBack(ctx, milBuh, 20500) }},

		{outbox, "Offer", func() error { return outbox.Offer(ctx, "x", store.Job{At: noon}, later) }},
		{outbox, "Offered", func() error { return outbox.Offered(ctx, "x") }},
		{outbox, "Accept", func() error { return outbox.Accept(ctx, "x", noon) }},
		{outbox, "Put", func() error { return outbox.Put(ctx, store.Job{At: noon}) }},
		{outbox, "Take", func() error { return ignore(outbox.Take(ctx, 10, noon, time.Minute)) }},
		{outbox, "Done", func() error {
			jobs, err := outbox.Take(ctx, 1, noon.Add(time.Hour), time.Minute)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("%d jobs, %v", len(jobs), err)
			}
			return outbox.Done(ctx, jobs[0])
		}},

		{migration, "Begin", func() error { return migration.Begin(ctx, "bolt:old.db") }},
		{migration, "Unfinished", func() error { _, _, err := migration.Unfinished(ctx); return err }},
		{migration, "Finish", func() error { return migration.Finish(ctx) }},
		{migration, "Lease", func() error { migration.Lease("a"); return nil }},
		{migration, "Own", func() error { migration.Own(store.Key{}); return nil }},

		{lease, "Hold", func() error { return lease.Hold(ctx) }},
		{lease, "Left", func() error { lease.Left(); return nil }},
		{lease, "While", func() error { return lease.While(ctx, func(context.Context) error { return nil }) }},
		{lease, "Release", func() error { return lease.Release(ctx) }},

		{limiter, "Take", func() error {
			return ignore(limiter.Take(ctx, limit.Limit{Name: "daily", Calls: 1, Window: time.Hour}, "ip 192.0.2.1"))
		}},
		{limiter, "TakeSeveral", func() error {
			return ignore(limiter.TakeSeveral(ctx, limit.Limit{Name: "daily", Calls: 9, Window: time.Hour}, "ip 192.0.2.1", 3))
		}},
		{limiter, "Join", func() error {
			var faults []error
			for range 20 { // several are written together
				_, err := limiter.Join(ctx, limit.Limit{Name: "joined", Calls: 100, Window: time.Hour}, "network")
				faults = append(faults, err)
			}
			return errors.Join(faults...)
		}},
		{limiter, "Full", func() error {
			limiter.Full(limit.Limit{Name: "joined", Calls: 100, Window: time.Hour}, "network")
			return nil
		}},
		{limiter, "Used", func() error {
			_, _, err := limiter.Used(ctx, limit.Limit{Name: "daily", Calls: 1, Window: time.Hour}, "ip 192.0.2.1")
			return err
		}},
	}
	if err := store.DropLeases(ctx, table); err != nil {
		t.Error(err)
	}
	if _, err := (store.Calls{Table: table}).Count(ctx, "travelpayouts", 20500, 1); err != nil {
		t.Error(err)
	}
	if _, err := store.Pepper(ctx, table, []byte("p")); err != nil {
		t.Error(err)
	}
	if _, err := store.StoredPepper(ctx, table); err != nil {
		t.Error(err)
	}
	driven := map[reflect.Type][]string{}
	for _, c := range calls {
		if err := c.do(); err != nil {
			t.Errorf("%T.%s: %v", c.record, c.method, err)
		}
		driven[reflect.TypeOf(c.record)] = append(driven[reflect.TypeOf(c.record)], c.method)
	}
	for record, methods := range driven {
		for i := range record.NumMethod() {
			if name := record.Method(i).Name; !slices.Contains(methods, name) {
				t.Errorf("%v.%s is not driven here, so its keys are not held to the table", record, name)
			}
		}
	}
}

// TestKeysAreMadeHere: no package but this one, the adapters, limit and fixtures of tests makes
// keys, so that the records driven above are all there are.
func TestKeysAreMadeHere(t *testing.T) {
	root := filepath.Join("..", "..")
	allowed := []string{filepath.Join(root, "shared", "store"), filepath.Join(root, "shared", "limit"), filepath.Join(root, "shared", "notify", "notifytest"), filepath.Join(root, "e2e")}
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		forTests := strings.HasSuffix(entry.Name(), "test")
		if entry.IsDir() && path != root && (slices.Contains(allowed, path) || forTests || strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files++
		source, err := os.ReadFile(path)
		if bytes.Contains(source, []byte("store.Key{")) {
			t.Errorf("%s makes keys", path)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files were read: %v", files, err)
	}
}
