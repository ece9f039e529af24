package boltstore

import (
	"errors"
	"runtime"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// mostTogether is how many changes one transaction holds at most: a long one holds its callers up.
const mostTogether = 1000

// change is what one caller wants changed. It tests all its conditions before it
// writes anything: where it refuses, it has written nothing, so there is nothing to
// be undone. Where bolt fails it in the midst of writing, it says errHalfWritten.
type change func(*bolt.Bucket) error

// errHalfWritten: the transaction cannot be committed.
var errHalfWritten = errors.New("half written")

// group commits the changes of many callers together. While one transaction is
// written to the disk, which is what takes time, the next callers gather; they are
// the next transaction. Nobody waits for company: a caller who is alone is
// committed at once. Each is answered when what it wrote is on the disk.
type group struct {
	db   *bolt.DB
	most int // changes in one transaction

	mu      sync.Mutex
	waiting []*waiter
	busy    bool // somebody is committing, and looks for who is waiting afterwards
}

type waiter struct {
	change change
	err    error
	done   chan struct{}
}

// run carries a change out, with those of others, and gives its error, or that of the transaction.
func (g *group) run(c change) error {
	w := &waiter{change: c, done: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, w)
	if !g.busy {
		g.busy = true
		go g.commitAll()
	}
	g.mu.Unlock()
	<-w.done
	return w.err
}

// commitAll commits until nobody is waiting.
func (g *group) commitAll() {
	for {
		g.mu.Lock()
		n := min(len(g.waiting), g.most)
		if n == 0 {
			g.busy = false
			g.waiting = nil
			g.mu.Unlock()
			return
		}
		together := g.waiting[:n:n]
		g.waiting = g.waiting[n:]
		g.mu.Unlock()
		g.commit(together)
		runtime.Gosched() // those who were answered may be back already, and come along
	}
}

// errNothingWritten: all changes were refused, so there is nothing to be written to the disk.
var errNothingWritten = errors.New("nothing written")

// commit carries changes out one after the other, so that each sees those before
// it, and writes them together.
func (g *group) commit(together []*waiter) {
	err := g.db.Update(func(tx *bolt.Tx) error {
		b, written := tx.Bucket(bucket), false
		for _, w := range together {
			w.err = w.change(b)
			if errors.Is(w.err, errHalfWritten) {
				return w.err
			}
			written = written || w.err == nil
		}
		if !written {
			return errNothingWritten
		}
		return nil
	})
	for _, w := range together {
		// Of a transaction that failed nobody has anything, and a refusal may rest on what another had written in it.
		if err != nil && !errors.Is(err, errNothingWritten) {
			w.err = err
		}
		close(w.done)
	}
}
