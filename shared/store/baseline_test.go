package store_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"testing"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/storetest"
)

// TestRewriteBaseline: stored origins and new origins are rewritten, and unchanged data are not
// written. A write that another process makes meanwhile is not lost.
func TestRewriteBaseline(t *testing.T) {
	table, err := boltstore.Open(filepath.Join(t.TempDir(), "test.db"), storetest.NewClock().Now, boltstore.Scratch)
	storetest.Must(t, err)
	defer table.Close()
	fares := store.Fares{Table: table}
	add := func(text string) func(fare.City, []byte) ([]byte, error) {
		return func(of fare.City, had []byte) ([]byte, error) {
			if bytes.HasSuffix(had, []byte(text)) {
				return had, nil
			}
			return append(bytes.Clone(had), text...), nil
		}
	}
	for _, step := range []struct {
		origins []fare.City
		text    string
		written int
		sao     string
	}{{[]fare.City{"SAO", "RIO"}, "a", 2, "a"}, {nil, "a", 0, "a"}, {[]fare.City{"BSB", "SAO"}, "b", 3, "ab"}} {
		written, err := fares.RewriteBaseline(t.Context(), step.origins, add(step.text))
		storetest.Must(t, err)
		data, err := fares.Baseline(t.Context(), "SAO")
		if err != nil || written != step.written || string(data) != step.sao {
			t.Errorf("%+v: %d written, %q, %v", step, written, data, err)
		}
	}
	raced := false
	_, err = fares.RewriteBaseline(t.Context(), nil, func(of fare.City, had []byte) ([]byte, error) {
		if !raced {
			raced = true
			_, err := fares.RewriteBaseline(t.Context(), nil, add("c"))
			storetest.Must(t, err)
		}
		return append(bytes.Clone(had), 'd'), nil
	})
	storetest.Must(t, err)
	if data, err := fares.Baseline(t.Context(), "BSB"); err != nil || string(data) != "bcd" {
		t.Errorf("after a concurrent write: %q, %v", data, err)
	}
	if _, err := fares.Baseline(t.Context(), "POA"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("of an origin without a record: %v", err)
	}
}
