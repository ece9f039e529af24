package socketstore_test

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/store/boltstore"
	"verdetto/shared/store/socketstore"
	"verdetto/shared/store/storetest"
)

func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: h}}
	server.Start()
	t.Cleanup(server.Close)
	return path
}

func TestTable(t *testing.T) {
	storetest.Run(t, func(t *testing.T, now func() time.Time) store.Table {
		table, err := boltstore.Open(filepath.Join(t.TempDir(), "verdetto.db"), now, boltstore.Scratch)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return socketstore.Dial(listen(t, socketstore.Handler(table)))
	})
}

func TestNoTable(t *testing.T) {
	for name, c := range map[string]struct{ socket, says string }{
		"no service": {filepath.Join(t.TempDir(), "s"), "ask the running service"},
		"another version": {listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("a copy of the store"))
		})), "another version"},
		"an answer that breaks off": {listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/vnd.verdetto.table")
			_, _ = w.Write([]byte{3})
		})), "read the answer"},
	} {
		_, err := socketstore.Dial(c.socket).Get(t.Context(), store.Key{Partition: "p", Sort: "s"}, store.Strong)
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
