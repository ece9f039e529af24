package boltstore

import (
	"errors"
	"runtime"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// mostTogether limits how many changes one transaction commits, because the callers wait for all
// of them.
const mostTogether = 1000

// change is the change of one caller. It must check all conditions before it writes, so a refused
// change has written nothing. If bolt fails during its writes, it must return errHalfWritten.
type change func(*bolt.Bucket) error

// errHalfWritten means that the transaction cannot be committed.
var errHalfWritten = errors.New("half written")

// group commits the changes of many callers together. While one transaction is written to disk, the
// slow part, new changes queue up for the next transaction. A single change is committed at once. A
// caller gets its answer when its change is on disk.
type group struct {
	db   *bolt.DB
	most int // changes in one transaction

	mu      sync.Mutex
	waiting []*waiter
	busy    bool // commitAll is running and will see all waiting changes
}

type waiter struct {
	change change
	err    error
	done   chan struct{}
}

// run carries out a change, together with the changes of other callers. It returns the error of
// the change or of the transaction.
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

// commitAll commits until no change is waiting.
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
		runtime.Gosched() // lets the answered callers add changes to the next transaction
	}
}

// errNothingWritten means that all changes were refused, so the disk write is skipped.
var errNothingWritten = errors.New("nothing written")

// commit carries out changes in order, so that each sees the earlier ones, and commits them in one
// transaction.
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
		// If the transaction failed, no change took effect. A change that was refused may have
		// been refused because of another change that is now rolled back. So it fails with the
		// transaction too.
		if err != nil && !errors.Is(err, errNothingWritten) {
			w.err = err
		}
		close(w.done)
	}
}
