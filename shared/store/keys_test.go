package store_test

import (
	"context"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/storetest"
)

type keyRow struct {
	name            string
	partition, sort *regexp.Regexp
	expires         bool
}

func documentedKeys(t *testing.T) []keyRow {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "store.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	storetest.Must(t, err)
	_, table, found := strings.Cut(file.Doc.Text(), "\tpartition ")
	if !found {
		t.Fatal("the package comment has no table of keys")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var rows []keyRow
	for _, line := range strings.Split(strings.TrimRight(table, "\n"), "\n")[1:] {
		cells := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(line), -1)
		if len(cells) != 4 {
			t.Fatalf("a row of the table of keys has %d columns: %q", len(cells), line)
		}
		rows = append(
			rows, keyRow{cells[0] + " " + cells[1], pattern(cells[0]), pattern(cells[1]), cells[3] != "never"},
		)
	}
	return rows
}

func pattern(documented string) *regexp.Regexp {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(documented), "<series>", "[^#]+(#[^#]+)?")
	return regexp.MustCompile("^" + regexp.MustCompile(`<[a-z]+>`).ReplaceAllString(quoted, "[^#@]+") + "$")
}

type recorder struct {
	store.Table
	mu      sync.Mutex
	read    []store.Key
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

func TestKeysAreDocumented(t *testing.T) {
	rows := documentedKeys(t)
	table := &recorder{Table: openAlerts(t).Table}
	driveRecords(t, table)

	rowOf := func(key store.Key) (keyRow, bool) {
		var matching []keyRow
		for _, row := range rows {
			if row.partition.MatchString(key.Partition) && (key.Sort == "" || row.sort.MatchString(key.Sort)) {
				matching = append(matching, row)
			}
		}
		if len(matching) == 0 || len(matching) > 1 && key.Sort != "" {
			t.Errorf("%s %s is in %d rows of the table of keys, want one", key.Partition, key.Sort, len(matching))
			return keyRow{}, false
		}
		return matching[0], true
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
