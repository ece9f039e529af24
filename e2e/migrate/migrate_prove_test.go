// Package migrate holds end-to-end tests of moving a service between stores. It also tests several
// processes that share one store.
package migrate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
)

// TestProveMoved moves a service to DynamoDB and back. In each direction it kills 5 migrating
// processes: see the function moved.
func TestProveMoved(t *testing.T) { moved(t, 5) }

// moved moves a service from a file to DynamoDB, and back to another file, while callers call
// without pause. In each direction it kills several migrating processes. At the end, the file and
// the table contain the same items, and every caller has the same remaining quota as before.
func moved(t *testing.T, kills int) {
	t.Helper()
	endpoint := dynamolocal.Endpoint(t)
	d := fixture.NewShell(t)
	d.Env, d.Lasts = overDynamoDB(endpoint), time.Hour
	stock(t, filepath.Join(d.Dir, "old.db"))
	table := dynamostore.New(dynamolocal.Client(endpoint), "moved", time.Now)
	m := mover{t: t, shell: d, kills: kills, crowd: &crowd{t: t}}

	m.move("bolt:old.db", "dynamodb:moved", 1, func() {
		// Dropping the lease of the killed process saves the minute until the lease expires.
		if err := store.DropLeases(t.Context(), table); err != nil &&
			!strings.Contains(err.Error(), "ResourceNotFound") {
			t.Fatal(err)
		}
	})
	m.same("old.db", table)
	m.move("dynamodb:moved", "bolt:new.db", 2, func() {}) // a file has no lease: it is locked
	m.same("new.db", table)

	again := d.Serve("-store", "bolt:new.db")
	m.crowd.goOn(again.URL)
	if code := again.Stop(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, again.Stderr)
	}
	if got := d.Run("migrate", "-from", "dynamodb:moved", "-to", "bolt:new.db"); got.Code != 1 ||
		!strings.Contains(got.Stderr, "holds data already") {
		t.Errorf("into a store that is in use: exit code %d\n%s", got.Code, got.Stderr)
	}
}

// overDynamoDB returns environment variables with which the command line uses DynamoDB Local.
func overDynamoDB(endpoint string) []string {
	return []string{"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint, "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_REGION=" + dynamolocal.Region}
}

// stock creates a store with typical data: keys, plans, alerts and unsubscriptions.
func stock(t *testing.T, file string) {
	t.Helper()
	table, err := boltstore.Open(file, time.Now)
	storetest.Must(t, err)
	now := time.Now()
	for n := range 100 {
		email := fmt.Sprintf("p%d@example.com", n)
		fixture.Confirmed(t, table, now, email)
		customers, alerts := store.Customers{Table: table}, store.Alerts{Table: table}
		id := apikey.CustomerIDOf([]byte(fixture.Pepper), email)
		err := customers.Put(t.Context(), store.Customer{ID: id, Until: now.AddDate(0, 1, n)})
		if err == nil {
			err = customers.LinkSubscription(t.Context(), fmt.Sprint("sub_", n), id)
		}
		if err == nil && n%5 == 0 {
			err = alerts.Stop(t.Context(), fixture.Subscriber(email), now.AddDate(0, 6, 0))
		}
		storetest.Must(t, err)
	}
	storetest.Must(t, table.Close())
}

// mover moves a service from one store to another.
type mover struct {
	t     *testing.T
	shell fixture.Shell
	kills int
	crowd *crowd
}

// move moves a store to another store, while the given number of processes serve the first store.
func (m mover) move(from, to string, processes int, afterKill func()) {
	m.t.Helper()
	var servers []fixture.Server
	var urls []string
	for range processes {
		s := m.shell.Serve("-store", from)
		servers, urls = append(servers, s), append(urls, s.URL)
	}
	m.crowd.begin(urls...)
	args := []string{"migrate", "-from", from, "-to", to, "-create"}
	takes, chance := 6*time.Second, rand.New(rand.NewPCG(uint64(processes), 9))
	// some starts migrating processes. It kills each process at a random moment within the time
	// that a complete migration takes.
	some := func(kills int, untilEnded bool, args ...string) (killed int) {
		for tries := 0; killed < kills && tries < 3*kills; tries++ {
			took, wasKilled := m.kill(time.Duration(chance.Int64N(int64(takes))), args...)
			switch {
			case wasKilled:
				killed++
				afterKill()
			case untilEnded:
				return killed
			default:
				takes = took
			}
		}
		return killed
	}
	copying := some(m.kills-m.kills/5, false, args...)
	// The service refuses to use the target store while the migration is incomplete.
	if got := m.shell.Run("key", "create", "-store", to, "-email", "ada@example.com"); got.Code != 1 ||
		!strings.Contains(got.Stderr, "finish it with verdetto migrate -from "+from) {
		m.t.Errorf("the target is used: exit code %d\n%s", got.Code, got.Stderr)
	}
	m.run(args...)
	if processes == 1 {
		if got := m.shell.Run(append(args, "-finish")...); got.Code != 1 ||
			!strings.Contains(got.Stderr, "another process has it open") {
			m.t.Errorf("finishing while it is served: exit code %d\n%s", got.Code, got.Stderr)
		}
	}
	m.crowd.end()
	stopped := time.Now()
	for _, s := range servers {
		if code := s.Stop(m.t); code != 0 {
			m.t.Errorf("exit code %d\n%s", code, s.Stderr)
		}
	}
	finishing := some(m.kills-copying, true, append(args, "-finish")...)
	last := time.Now()
	got := m.shell.Run(append(args, "-finish")...)
	// If the target holds all data already, an earlier process finished just before it was killed.
	if got.Code != 0 && !strings.Contains(got.Stderr, "holds data already") {
		m.t.Fatalf("the last pass: exit code %d\n%s", got.Code, got.Stderr)
	}
	m.t.Logf("%s to %s: killed %d times while it was served and %d times after; no service for %.1f s, of which the last pass took %.1f: %s",
		from, to, copying, finishing, time.Since(stopped).Seconds(), time.Since(last).Seconds(), strings.Split(got.Stdout, "\n")[0])
	if copying < m.kills-m.kills/5 {
		m.t.Errorf("only %d were killed", copying)
	}
}

func (m mover) run(args ...string) {
	m.t.Helper()
	if got := m.shell.Run(args...); got.Code != 0 {
		m.t.Fatalf("%v: exit code %d\n%s", args, got.Code, got.Stderr)
	}
}

// kill starts a command, kills it after a delay, and reports whether the command was still running.
func (m mover) kill(after time.Duration, args ...string) (took time.Duration, killed bool) {
	m.t.Helper()
	ctx, kill := context.WithCancel(m.t.Context())
	defer kill()
	c := m.shell.Command(ctx, args...)
	begun := time.Now()
	time.AfterFunc(after, kill)
	out, err := c.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		m.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return time.Since(begun), err != nil
}

// same fails the test unless a file store and a table contain the same items.
func (m mover) same(file string, table store.Whole) {
	m.t.Helper()
	kept, err := boltstore.Open(filepath.Join(m.shell.Dir, file), time.Now)
	if err != nil {
		m.t.Fatal(err)
	}
	defer kept.Close()
	if diff, err := storetest.Diff(m.t.Context(), kept, table); err != nil || diff != "" {
		m.t.Fatalf("the stores differ: %v\n%.3000s", err, diff)
	}
	held, err := storetest.Contents(m.t.Context(), kept)
	if err != nil {
		m.t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, i := range held {
		kind, _, _ := strings.Cut(i.Partition, "#")
		kinds[kind]++
	}
	m.t.Logf("%d items are the same: %v", len(held), kinds)
	for _, kind := range []string{
		"ROUTE", "LIMIT", "CUSTOMER", "SUBSCRIPTION", "ALERTS", "STOPPED", "PENDING", "SECRET", "FARES",
	} {
		if kinds[kind] == 0 {
			m.t.Errorf("there is no item of %s", kind)
		}
	}
	if len(m.shell.Files()) > 12 {
		m.t.Logf("%d files are left", len(m.shell.Files()))
	}
}
