package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/store/dynamostore/dynamolocal"
	"verdetto/shared/store/storetest"
)

type wire struct {
	mu     sync.Mutex
	faults []fault
	sent   int
}

type fault func(*http.Request) (*http.Response, error)

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.sent++
	var f fault
	if len(w.faults) > 0 {
		f, w.faults = w.faults[0], w.faults[1:]
	}
	w.mu.Unlock()
	if f == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	return f(r)
}

func answer(status int, body string) fault {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{
				"Content-Type": {"application/x-amz-json-1.0"},
			}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

var (
	throttled = answer(
		400, `{"__type":"com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException","message":"slow down"}`,
	)
	broken   = answer(500, `{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError","message":"oops"}`)
	conflict = answer(
		400,
		`{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"cancelled","CancellationReasons":[{"Code":"None"},{"Code":"TransactionConflict","Message":"in use"}]}`,
	)
	contended = answer(
		400, `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionConflictException","message":"in use"}`,
	)
)

func resetBefore(*http.Request) (*http.Response, error) { return nil, syscall.ECONNRESET }

func resetAfter(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	return nil, syscall.ECONNRESET
}

func landsThen(other func()) fault {
	return func(r *http.Request) (*http.Response, error) {
		_, err := resetAfter(r)
		other()
		return nil, err
	}
}

func overFaultyWire(t *testing.T) (sound store.Table, faulty store.Table, w *wire, clock *storetest.Clock) {
	t.Helper()
	w, clock = &wire{}, storetest.NewClock()
	endpoint := dynamolocal.Endpoint(t)
	name := strings.NewReplacer("/", ".", " ", "-", ",", "").Replace(t.Name())
	storetest.Must(t, dynamostore.Create(t.Context(), dynamolocal.Client(endpoint), name))
	sound = dynamostore.New(dynamolocal.Client(endpoint), name, clock.Now)
	client := dynamolocal.Client(endpoint, func(o *dynamodb.Options) {
		o.HTTPClient = &http.Client{Transport: w}
		o.Retryer = retry.NewStandard(func(r *retry.StandardOptions) {
			r.MaxAttempts = 3
			r.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
		})
	})
	return sound, dynamostore.New(client, name, clock.Now), w, clock
}

var at = store.Key{Partition: "P", Sort: "s"}

func TestWritesLandOnce(t *testing.T) {
	once := map[string]fault{
		"throttled": throttled, "a 500": broken, "reset before": resetBefore, "reset after": resetAfter,
	}
	with := func(m store.Mode, version int64) store.Op {
		return store.Op{Mode: m, Item: store.Item{Key: at, Version: version, Data: []byte("new")}}
	}
	side := store.Op{Mode: store.Set, Item: store.Item{Key: store.Key{Partition: "P", Sort: "side"}}}
	for _, c := range []struct {
		name    string
		before  bool
		ops     []store.Op
		version int64
		also    map[string]fault
	}{
		{"create", false, []store.Op{with(store.Create, 0)}, 1, map[string]fault{"contended": contended}},
		{"set on nothing", false, []store.Op{with(store.Set, 0)}, 1, nil},
		{"set on an item", true, []store.Op{with(store.Set, 0)}, 2, nil},
		{"replace", true, []store.Op{with(store.Replace, 1)}, 2, nil},
		{"delete", true, []store.Op{with(store.Delete, 0)}, 0, nil},
		{"transaction", true, []store.Op{with(store.Replace, 1), side}, 2, map[string]fault{"conflict": conflict}},
	} {
		faults := map[string]fault{}
		for _, m := range []map[string]fault{once, c.also} {
			for name, f := range m {
				faults[name] = f
			}
		}
		for name, f := range faults {
			t.Run(c.name+", "+name, func(t *testing.T) {
				sound, faulty, w, _ := overFaultyWire(t)
				if c.before {
					storetest.Must(
						t, sound.Write(
							t.Context(),
							store.Op{Mode: store.Create, Item: store.Item{Key: at, Data: []byte("old")}},
						),
					)
				}
				w.faults = []fault{f}
				storetest.Must(t, faulty.Write(t.Context(), c.ops...))
				if w.sent != 2 {
					t.Errorf("%d requests were sent, want the failed one and its repetition", w.sent)
				}
				got, err := sound.Get(t.Context(), at, store.Strong)
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Fatal(err)
				}
				if got.Version != c.version || (c.version > 0 && string(got.Data) != "new") {
					t.Errorf("the item is %+v, want version %d", got, c.version)
				}
			})
		}
	}
}

// ErrConflict would mean that nothing was written, but the write may have taken effect.
func TestAmbiguityIsNotHidden(t *testing.T) {
	for _, c := range []struct {
		name string
		op   store.Op
	}{
		{"replace", store.Op{Mode: store.Replace, Item: store.Item{Key: at, Version: 1, Data: []byte("new")}}},
		{"remove", store.Op{Mode: store.Remove, Item: store.Item{Key: at, Version: 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sound, faulty, w, _ := overFaultyWire(t)
			set := func() {
				if err := sound.Write(
					context.Background(), store.Op{Item: store.Item{Key: at, Data: []byte("other")}},
				); err != nil {
					t.Error(err)
				}
			}
			set()
			w.faults = []fault{landsThen(func() {
				if c.op.Mode == store.Replace {
					set()
				}
			})}
			if err := faulty.Write(t.Context(), c.op); !errors.Is(err, store.ErrUnavailable) ||
				errors.Is(err, store.ErrConflict) {
				t.Errorf("error %v, want ErrUnavailable", err)
			}
		})
	}
	t.Run("a refusal with every try answered stays one", func(t *testing.T) {
		_, faulty, w, _ := overFaultyWire(t)
		w.faults = []fault{throttled}
		op := store.Op{Mode: store.Replace, Item: store.Item{Key: at, Version: 1}}
		if err := faulty.Write(t.Context(), op); !errors.Is(err, store.ErrConflict) {
			t.Errorf("error %v, want ErrConflict", err)
		}
	})
}

func TestExhaustedTriesAreUnavailable(t *testing.T) {
	for name, f := range map[string]fault{
		"throttled": throttled, "a 500": broken, "reset": resetBefore, "conflict": conflict,
	} {
		t.Run(name, func(t *testing.T) {
			_, faulty, w, clock := overFaultyWire(t)
			always := func() { w.faults, w.sent = []fault{f, f, f, f, f}, 0 }
			one := store.Op{Item: store.Item{Key: at}}
			two := store.Op{Item: store.Item{Key: store.Key{Partition: "P", Sort: "t"}}}
			calls := map[string]func() error{"transaction": func() error { return faulty.Write(t.Context(), one, two) }}
			if name != "conflict" {
				calls["get"] = func() error { _, err := faulty.Get(t.Context(), at, store.Strong); return err }
				calls["query"] = func() error {
					_, err := faulty.Query(t.Context(), store.Range{Partition: "P"})
					return err
				}
				calls["write"] = func() error { return faulty.Write(t.Context(), one) }
				calls["take"] = func() error {
					_, err := faulty.Take(t.Context(), at, 1, 1, clock.Now().Add(time.Hour))
					return err
				}
			}
			for call, do := range calls {
				always()
				if err := do(); !errors.Is(err, store.ErrUnavailable) {
					t.Errorf("%s: error %v, want ErrUnavailable", call, err)
				}
				if w.sent != 3 {
					t.Errorf("%s: %d requests, want 3", call, w.sent)
				}
			}
		})
	}
}

func TestTakeCountsOnce(t *testing.T) {
	for name, f := range map[string]fault{
		"throttled": throttled, "a 500": broken, "reset before": resetBefore, "reset after": resetAfter,
	} {
		t.Run(name, func(t *testing.T) {
			_, faulty, w, clock := overFaultyWire(t)
			for round := range 2 {
				for want := int64(1); want <= 2; want++ {
					w.faults = []fault{f}
					got, err := faulty.Take(t.Context(), at, 1, 2, clock.Now().Add(time.Minute))
					if err != nil || got != want {
						t.Fatalf("round %d: took %d, %v; want %d", round, got, err, want)
					}
				}
				clock.Add(time.Hour)
			}
		})
	}
}

func TestCapacity(t *testing.T) {
	clock := storetest.NewClock()
	var ops []string
	var read, write float64
	table := dynamolocal.Table(t, clock.Now, dynamolocal.OnCapacity(func(op string, r, w float64) {
		ops, read, write = append(ops, op), read+r, write+w
	}))
	put := func(sort string, size int) error {
		return table.Write(
			t.Context(),
			store.Op{
				Mode: store.Create,
				Item: store.Item{Key: store.Key{Partition: "P", Sort: sort}, Data: make([]byte, size)},
			},
		)
	}
	query := func(r store.Consistency) error {
		_, err := table.Query(t.Context(), store.Range{Partition: "P", Prefix: "B", Read: r})
		return err
	}
	get := func(r store.Consistency) error {
		_, err := table.Get(t.Context(), store.Key{Partition: "P", Sort: "summary"}, r)
		return err
	}
	for n := range 35 {
		storetest.Must(t, put(fmt.Sprintf("B%02d", n), 940))
	}
	storetest.Must(t, put("summary", 3900))
	for _, c := range []struct {
		name        string
		call        func() error
		ops         string
		read, write float64
	}{
		{"get of 3.9 KB, eventual", func() error { return get(store.Eventual) }, "GetItem", 0.5, 0},
		{"get of 3.9 KB, strong", func() error { return get(store.Strong) }, "GetItem", 1, 0},
		{"create of 900 bytes", func() error { return put("small", 900) }, "PutItem", 0, 1},
		{
			"take, first",
			func() error { _, err := table.Take(t.Context(), at, 1, 9, clock.Now().Add(time.Hour)); return err },
			"UpdateItem", 0, 1,
		},
		{
			"take, next",
			func() error { _, err := table.Take(t.Context(), at, 1, 9, clock.Now().Add(time.Hour)); return err },
			"UpdateItem", 0, 1,
		},
		{"query of 35 KB, eventual", func() error { return query(store.Eventual) }, "Query", 4.5, 0},
		{"query of 35 KB, strong", func() error { return query(store.Strong) }, "Query", 9, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			ops, read, write = nil, 0, 0
			storetest.Must(t, c.call())
			t.Logf("%v: %.1f read, %.1f write units", ops, read, write)
			if got := strings.Join(ops, " "); got != c.ops || read != c.read || write != c.write {
				t.Errorf(
					"%s costs %.1f read and %.1f write, want %s, %.1f and %.1f", got, read, write, c.ops, c.read,
					c.write,
				)
			}
		})
	}
}
