package dynamodb

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
)

func TestCopyToFile(t *testing.T) {
	endpoint := dynamolocal.Endpoint(t)
	client, d := dynamolocal.Client(endpoint), fixture.NewShell(t)
	d.Env = overDynamoDB(endpoint)
	storetest.Must(t, dynamostore.Create(t.Context(), client, "exported"))
	table := dynamostore.New(client, "exported", time.Now)
	const items = 300
	for n := range items {
		key := store.Key{Partition: fmt.Sprint("P", n%7), Sort: fmt.Sprint(n)}
		item := store.Item{Key: key, Data: bytes.Repeat([]byte{byte(n)}, n*n%9000)}
		if n == 1 {
			item.Data = bytes.Repeat([]byte("large"), 60_000)
		}
		if n%3 == 0 {
			item.Expires = time.Now().Add(time.Duration(n+1) * time.Hour).Truncate(time.Second)
		}
		var err error
		if n%4 == 0 {
			_, err = table.Take(t.Context(), key, int64(1+n), 1<<40, time.Now().Add(time.Hour))
		}
		for range n % 4 {
			err = errors.Join(err, table.Write(t.Context(), store.Op{Item: item}))
		}
		storetest.Must(t, err)
	}
	run := func(says string, args ...string) {
		t.Helper()
		if got := d.Run(args...); got.Code != 0 || !strings.Contains(got.Stdout, says) {
			t.Fatalf("%q: exit code %d\n%s%s", args, got.Code, got.Stdout, got.Stderr)
		}
	}
	same := func(other store.Whole) {
		t.Helper()
		diff, err := storetest.Diff(t.Context(), table, other)
		if err != nil || diff != "" {
			t.Errorf("%v\n%.3000s", err, diff)
		}
		if held, err := storetest.Contents(t.Context(), other); err != nil || len(held) != items {
			t.Errorf("%d items: %v", len(held), err)
		}
	}
	file := func(name string) {
		t.Helper()
		s, err := boltstore.Open(filepath.Join(d.Dir, name), time.Now)
		storetest.Must(t, err)
		defer s.Close()
		same(s)
	}
	run("300 items copied and compared", "copy", "-from", "dynamodb:exported", "-to", "bolt:copy.db")
	run("every page and item can be read", "verify", "-store", "bolt:copy.db")
	run("restored from copy.db", "restore", "-from", "copy.db", "-store", "bolt:kept.db")
	file("kept.db")
	run("300 items copied and compared", "copy", "-from", "bolt:copy.db", "-to", "dynamodb:again")
	same(dynamostore.New(client, "again", time.Now))
	file("copy.db")

	for _, c := range []struct{ from, to, says string }{
		{"dynamodb:exported", "bolt:kept.db", "exported"},
		{"dynamodb:nothing", "bolt:third.db", "ResourceNotFound"},
	} {
		if got := d.Run("copy", "-from", c.from, "-to", c.to); got.Code != 1 ||
			!strings.Contains(got.Stderr, c.says) {
			t.Errorf("%s: exit code %d\n%s", c.from, got.Code, got.Stderr)
		}
	}
}
