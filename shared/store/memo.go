package store

import (
	"sync"
	"time"
)

// MemoTime is how long a process uses a value that changes at most with a refresh.
const MemoTime = time.Hour

// Memo holds a value that many requests need and that may be a while old. It is
// safe for concurrent use; its zero value is empty.
type Memo[T any] struct {
	mu    sync.Mutex
	value T
	read  time.Time // zero before the first success
	until time.Time
}

// Get returns the value, and calls read if its time is over. read returns the value and
// how long to use it. If read fails, an older value still serves, and the next call tries again.
func (m *Memo[T]) Get(now time.Time, read func() (T, time.Duration, error)) (T, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.read.IsZero() && !now.Before(m.read) && now.Before(m.until) {
		return m.value, nil
	}
	value, use, err := read()
	if err != nil && m.read.IsZero() {
		return value, err
	}
	if err == nil {
		m.value, m.read, m.until = value, now, now.Add(use)
	}
	return m.value, nil
}
