// Package socketstore shares the table of one process with other processes of the same user. Handler serves the
// table of its process, and Dial returns the table of another process. The permissions of a Unix socket decide who may
// connect.
package socketstore

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"time"

	"verdetto/shared/store"
)

const Path = "/table"

// mediaType must change when the type call or the type answer changes.
const mediaType = "application/vnd.verdetto.table"

type method int

const (
	get method = iota
	query
	write
	take
)

type call struct {
	Method   method
	Key      store.Key
	Read     store.Consistency
	Range    store.Range
	Ops      []store.Op
	N, Limit int64
	Expires  time.Time
}

type answer struct {
	Items []store.Item
	Count int64
	Fault int // 0 for success, otherwise 1 + the index in faults
	Text  string
}

// Answers contain indexes of faults, so the order must not change.
var faults = []error{store.ErrUnavailable, store.ErrNotFound, store.ErrExists, store.ErrConflict, store.ErrLimit,
	store.ErrTooLarge, store.ErrInvalid}

type fault struct {
	text string
	kind error
}

func (f fault) Error() string { return f.text }
func (f fault) Unwrap() error { return f.kind }

func Handler(table store.Table) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c call
		if err := gob.NewDecoder(r.Body).Decode(&c); err != nil {
			http.Error(w, "want a call of a table", http.StatusBadRequest)
			return
		}
		var a answer
		if err := c.on(r.Context(), table, &a); err != nil {
			a.Fault, a.Text = 1, err.Error()
			for i, kind := range faults {
				if errors.Is(err, kind) {
					a.Fault = i + 1
				}
			}
		}
		w.Header().Set("Content-Type", mediaType)
		_ = gob.NewEncoder(w).Encode(a) // the caller may have hung up
	})
}

func (c call) on(ctx context.Context, table store.Table, a *answer) (err error) {
	switch c.Method {
	case get:
		a.Items = make([]store.Item, 1)
		a.Items[0], err = table.Get(ctx, c.Key, c.Read)
	case query:
		a.Items, err = table.Query(ctx, c.Range)
	case write:
		err = table.Write(ctx, c.Ops...)
	case take:
		a.Count, err = table.Take(ctx, c.Key, c.N, c.Limit, c.Expires)
	default:
		err = fmt.Errorf("%w: method %d", store.ErrInvalid, c.Method)
	}
	return err
}

type Table struct{ client http.Client }

var _ store.Table = (*Table)(nil)

func Dial(socket string) *Table {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}
	return &Table{http.Client{Transport: &http.Transport{DialContext: dial}}}
}

// A call without an answer may have taken effect, so the error is ErrUnavailable.
func (t *Table) do(ctx context.Context, c call) (a answer, err error) {
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(c); err != nil {
		return a, fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://store"+Path, &body)
	if err != nil {
		return a, err
	}
	request.Header.Set("Content-Type", mediaType)
	response, err := t.client.Do(request)
	if err != nil {
		return a, fmt.Errorf("%w: ask the running service: %w", store.ErrUnavailable, err)
	}
	defer response.Body.Close()
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != mediaType {
		return a, fmt.Errorf("%w: the running service is of another version; restart it", store.ErrUnavailable)
	}
	if err := gob.NewDecoder(response.Body).Decode(&a); err != nil {
		return a, fmt.Errorf("%w: read the answer of the running service: %w", store.ErrUnavailable, err)
	}
	_, _ = io.Copy(io.Discard, response.Body) // so that the connection can be reused
	if a.Fault > 0 && a.Fault <= len(faults) {
		return a, fault{a.Text, faults[a.Fault-1]}
	}
	return a, nil
}

func (t *Table) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	a, err := t.do(ctx, call{Method: get, Key: key, Read: read})
	if err != nil {
		return store.Item{}, err
	}
	if len(a.Items) != 1 {
		return store.Item{}, fmt.Errorf("%w: %d items for one key", store.ErrUnavailable, len(a.Items))
	}
	return a.Items[0], nil
}

func (t *Table) Query(ctx context.Context, r store.Range) ([]store.Item, error) {
	a, err := t.do(ctx, call{Method: query, Range: r})
	if err != nil {
		return nil, err
	}
	return a.Items, nil
}

func (t *Table) Write(ctx context.Context, ops ...store.Op) error {
	if err := store.Validate(ops); err != nil {
		return err
	}
	_, err := t.do(ctx, call{Method: write, Ops: ops})
	return err
}

func (t *Table) Take(ctx context.Context, key store.Key, n, limit int64, expires time.Time) (int64, error) {
	a, err := t.do(ctx, call{Method: take, Key: key, N: n, Limit: limit, Expires: expires})
	if err != nil {
		return 0, err
	}
	return a.Count, nil
}

// Close leaves the table of the other process open.
func (t *Table) Close() error {
	t.client.CloseIdleConnections()
	return nil
}
