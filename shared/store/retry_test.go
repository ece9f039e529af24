package store_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict/trends"
)

type contended struct {
	store.Table
	refusal   error
	partition string
	writes    int
}

func (c *contended) Write(ctx context.Context, ops ...store.Op) error {
	if c.partition != "" && (len(ops) == 0 || ops[0].Item.Partition != c.partition) {
		return c.Table.Write(ctx, ops...)
	}
	c.writes++
	return fmt.Errorf("write items: %w", c.refusal)
}

var ada = apikey.CustomerIDOf([]byte("pepper"), "ada@example.com")

func issueOnce(ctx context.Context, customers store.Customers, what string) (string, error) {
	text, _, err := customers.IssueOnce(
		ctx, rand.Reader, ada, noon, store.Once{What: what, Keep: func(store.Customer) bool { return false }},
	)
	return text, err
}

func TestAlwaysConflicting(t *testing.T) {
	once := store.Once{What: "payment/1", Keep: func(store.Customer) bool { return false }}
	coverage := map[fare.City]store.Coverage{"BUH": {Observations: 1}}
	for _, c := range []struct {
		name      string
		refusal   error
		partition string
		call      func(store.Table) call
	}{
		{"confirm", store.ErrConflict, "", func(table store.Table) call {
			return call{store.Alerts{Table: table}, "Confirm", args{"pending"}}
		}},
		{"remove", store.ErrConflict, "", func(table store.Table) call {
			return call{store.Alerts{Table: table}, "Remove", args{"ada"}}
		}},
		{"mark notified", store.ErrConflict, "", func(table store.Table) call {
			alerts := store.Alerts{Table: table}
			one := read(func() (store.Alert, error) { return alerts.One(t.Context(), store.Ref{Route: milBuh}, "ada") })
			return call{alerts, "MarkNotified", args{one, 20500, 0}}
		}},
		{"change", store.ErrExists, "", func(table store.Table) call {
			return call{store.Customers{Table: table}, "Change", args{ada, func(*store.Customer) error { return nil }}}
		}},
		{"issue", store.ErrExists, "", func(table store.Table) call {
			return call{store.Customers{Table: table}, "Issue", args{rand.Reader, ada, noon, nil}}
		}},
		{"issue once", store.ErrConflict, "", func(table store.Table) call {
			return call{store.Customers{Table: table}, "IssueOnce", args{rand.Reader, ada, noon, once}}
		}},
		{"source", store.ErrExists, "", func(table store.Table) call {
			return call{store.Fares{Table: table}, "Claim", args{"sample", noon}}
		}},
		{"coverage", store.ErrExists, "INTO#BUH", func(table store.Table) call {
			return call{store.Fares{Table: table}, "PutTrends", args{"MIL", trends.Origin{}, 0, coverage}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := openAlerts(t)
				d.confirmed(t, "x", alertOf("ada", "BUH", 0))
				d.pending(t, "pending", alertOf("ada", "LON", 0))
				table := &contended{Table: d.Table, refusal: c.refusal, partition: c.partition}
				err := c.call(table).do(t.Context())
				if !errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrConflict) ||
					errors.Is(err, store.ErrExists) {
					t.Errorf("error %v, want ErrUnavailable alone", err)
				}
				if table.writes != 20 {
					t.Errorf("written %d times, want 20", table.writes)
				}
			})
		})
	}
}

func TestRetryEnds(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		ends  []error
		tries int
		want  error
	}{
		{"at once", []error{nil}, 1, nil},
		{"after conflicts", []error{store.ErrConflict, store.ErrExists, store.ErrConflict, nil}, 4, nil},
		{"by another error", []error{store.ErrConflict, broken}, 2, broken},
		{"by an unknown outcome", []error{store.ErrUnavailable}, 1, store.ErrUnavailable},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				err := store.RetryConflicts(t.Context(), func() error { tries++; return c.ends[tries-1] })
				if !errors.Is(err, c.want) || tries != c.tries {
					t.Errorf("error %v after %d tries, want %v after %d", err, tries, c.want, c.tries)
				}
			})
		})
	}
	t.Run("by its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := store.RetryConflicts(ctx, func() error { return store.ErrConflict })
			if !errors.Is(err, store.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want ErrUnavailable and DeadlineExceeded", err)
			}
		})
	})
}

type slow struct {
	store.Table
	wait func()
}

func (s slow) Get(ctx context.Context, key store.Key, read store.Consistency) (store.Item, error) {
	s.wait()
	return s.Table.Get(ctx, key, read)
}

func (s slow) Write(ctx context.Context, ops ...store.Op) error {
	s.wait()
	return s.Table.Write(ctx, ops...)
}

func TestFiftyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table := slow{openAlerts(t).Table, func() { time.Sleep(10 * time.Millisecond) }}
		customers := store.Customers{Table: table}
		texts := make([]string, 50)
		var wg sync.WaitGroup
		for n := range texts {
			wg.Go(func() {
				var err error
				if n%2 == 0 {
					texts[n], err = customers.Issue(t.Context(), rand.Reader, ada, noon, nil)
				} else {
					texts[n], err = issueOnce(t.Context(), customers, fmt.Sprint("payment/", n))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		c, err := customers.Customer(t.Context(), ada)
		if err != nil || c.Version != 50 {
			t.Fatalf("version %d, %v; want 50", c.Version, err)
		}
		valid := 0
		for _, text := range texts {
			if key, ok := apikey.Parse(text); ok && c.HasKey(key) {
				valid++
			}
		}
		if valid != 1 {
			t.Errorf("%d keys are valid, want the last one issued", valid)
		}
	})
}
