package boltstore

import (
	"errors"
	"runtime"
	"sync"

	bolt "go.etcd.io/bbolt"
)

// mostTogether limits the changes in one transaction, because every caller waits until the transaction is on disk.
const mostTogether = 1000

// A change must check all conditions before it writes. If bolt fails during a write, a change must return
// errHalfWritten.
type change func(*bolt.Bucket) error

var errHalfWritten = errors.New("half written")

// group commits the changes of many callers in one transaction, because each write to disk is slow.
type group struct {
	db   *bolt.DB
	most int

	mu      sync.Mutex
	waiting []*waiter
	busy    bool // commitAll is running and will commit all waiting changes
}

type waiter struct {
	change change
	err    error
	done   chan struct{}
}

// Except with the option Scratch, the change is on disk when run returns nil.
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

var errNothingWritten = errors.New("nothing written")

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
		// If the transaction failed, even a refused change gets the error of the transaction, because an undone change may
		// have caused the refusal.
		if err != nil && !errors.Is(err, errNothingWritten) {
			w.err = err
		}
		close(w.done)
	}
}
