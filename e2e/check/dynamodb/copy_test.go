package dynamodb

import (
	"context"
	"fmt"
	"net/http"
	"os"
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

func TestCopy(t *testing.T) {
	endpoint := dynamolocal.Endpoint(t)
	d := fixture.NewShell(t)
	d.Env = overDynamoDB(endpoint)
	stock(t, filepath.Join(d.Dir, "old.db"))
	s := d.Serve("-store", "bolt:old.db")
	ask(t, s.URL, "29")
	if got := d.Run("copy", "-from", "bolt:old.db", "-to", "dynamodb:copied"); got.Code != 1 ||
		!strings.Contains(got.Stderr, "another process has it open; stop that process first") {
		t.Errorf("while it is served: exit code %d\n%s", got.Code, got.Stderr)
	}
	s.Stop(t)
	copyKilled(t, d, "bolt:old.db", "dynamodb:copied")
	table := dynamostore.New(dynamolocal.Client(endpoint), "copied", time.Now)
	same(t, filepath.Join(d.Dir, "old.db"), table)

	s = d.Serve("-store", "dynamodb:copied")
	ask(t, s.URL, "28")
	s.Stop(t)
	copyKilled(t, d, "dynamodb:copied", "bolt:new.db")
	same(t, filepath.Join(d.Dir, "new.db"), table)
	s = d.Serve("-store", "bolt:new.db")
	ask(t, s.URL, "27")
	s.Stop(t)
	if got := d.Run("copy", "-from", "dynamodb:copied", "-to", "bolt:new.db"); got.Code != 1 ||
		!strings.Contains(got.Stderr, store.ErrNotEmpty.Error()) {
		t.Errorf("into a store that is in use: exit code %d\n%s", got.Code, got.Stderr)
	}
}

func ask(t *testing.T, url, left string) {
	t.Helper()
	response, body := fixture.Call(t, http.DefaultClient, "GET", url+"/v1/analisi?origine=Milano&destinazione=Lisbona", "")
	if got := response.Header.Get("X-RateLimit-Remaining"); got != left {
		t.Errorf("%s: %q calls are left, want %s\n%.300s", response.Status, got, left, body)
	}
}

func copyKilled(t *testing.T, d fixture.Shell, from, to string) {
	t.Helper()
	args, amid, late := []string{"copy", "-from", from, "-to", to}, 0, true
	for after := 50 * time.Millisecond; amid < 3; after += after / 4 {
		ctx, kill := context.WithTimeout(t.Context(), after)
		out, err := d.Command(ctx, args...).CombinedOutput()
		ended := ctx.Err() == nil
		kill()
		if ended && err == nil && amid > 0 {
			return
		} else if ended && amid == 0 && late && strings.Contains(string(out), "already") {
			late = false // a write of the killed process arrived after the next process had begun
		} else if ended {
			t.Fatalf("%v ended after %d others were killed amid their work: %v\n%s", args, amid, err, out)
		}
		if !begun(t, d.Dir, to) {
			continue
		}
		amid++
		if got := d.Run("key", "create", "-store", to, "-email", "ada@example.com"); !strings.Contains(got.Stderr,
			"complete it with verdetto copy -from "+from) {
			t.Fatalf("an incomplete copy is used: exit code %d\n%s%s", got.Code, got.Stdout, got.Stderr)
		}
	}
	if got := d.Run(args...); got.Code != 0 {
		t.Fatalf("%v: exit code %d\n%s", args, got.Code, got.Stderr)
	}
}

func begun(t *testing.T, dir, to string) bool {
	t.Helper()
	name, inFile := strings.CutPrefix(to, "bolt:")
	if !inFile {
		table := dynamostore.New(dynamolocal.Client(dynamolocal.Endpoint(t)), strings.TrimPrefix(to, "dynamodb:"), time.Now)
		from, err := store.IncompleteCopyOf(t.Context(), table)
		return err == nil && from != ""
	}
	if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
		return false
	}
	file, err := boltstore.Open(filepath.Join(dir, name), time.Now)
	storetest.Must(t, err)
	defer file.Close()
	from, err := store.IncompleteCopyOf(t.Context(), file)
	storetest.Must(t, err)
	return from != ""
}

func same(t *testing.T, file string, table store.Whole) {
	t.Helper()
	kept, err := boltstore.Open(file, time.Now)
	storetest.Must(t, err)
	defer kept.Close()
	if diff, err := storetest.Diff(t.Context(), kept, table); err != nil || diff != "" {
		t.Fatalf("the stores differ: %v\n%.3000s", err, diff)
	}
	held, err := storetest.Contents(t.Context(), kept)
	storetest.Must(t, err)
	kinds := map[string]int{}
	for _, i := range held {
		kind, _, _ := strings.Cut(i.Partition, "#")
		kinds[kind]++
	}
	t.Logf("%d items are the same: %v", len(held), kinds)
	for _, kind := range []string{"ROUTE", "LIMIT", "CUSTOMER", "SUBSCRIPTION", "ALERTS", "STOPPED", "SECRET", "FARES"} {
		if kinds[kind] == 0 {
			t.Errorf("there is no item of %s", kind)
		}
	}
}

func overDynamoDB(endpoint string) []string {
	return []string{"AWS_ENDPOINT_URL_DYNAMODB=" + endpoint, "AWS_ACCESS_KEY_ID=local", "AWS_SECRET_ACCESS_KEY=local",
		"AWS_EC2_METADATA_DISABLED=true", "AWS_REGION=" + dynamolocal.Region}
}

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
