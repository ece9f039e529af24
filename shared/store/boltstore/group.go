package boltstore

import (
	"errors"
	"runtime"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// mostTogether limits the changes in one transaction, because every caller waits until all of them
// are on disk.
const mostTogether = 1000

// change is what one caller requests. It must check all conditions before it writes, so that a
// refused change has written nothing. If bolt fails during a write, it must return errHalfWritten.
type change func(*bolt.Bucket) error

// errHalfWritten means that the transaction must not be committed.
var errHalfWritten = errors.New("half written")

// group commits the changes of many callers in one transaction. Writing a transaction to disk is
// slow; changes that arrive meanwhile form the next one. A change that finds no transaction running
// is committed at once.
type group struct {
	db   *bolt.DB
	most int // changes in one transaction

	mu      sync.Mutex
	waiting []*waiter
	busy    bool // commitAll is running and will commit all waiting changes
}

type waiter struct {
	change change
	err    error
	done   chan struct{}
}

// run carries out a change and returns when it is on disk. It returns the error of the transaction,
// or else of the change.
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

// errNothingWritten means that every change was refused, so nothing needs to be written to disk.
var errNothingWritten = errors.New("nothing written")

// commit carries out the changes in one transaction. Each sees the writes of those before it.
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
		// If the transaction failed, even a refused change gets its error, because another change
		// that is now undone may have been the reason for the refusal.
		if err != nil && !errors.Is(err, errNothingWritten) {
			w.err = err
		}
		close(w.done)
	}
}
