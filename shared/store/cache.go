package store

import (
	"sync"
	"time"
)

// MemoTime is the time for which a process reuses a value that only a refresh changes.
const MemoTime = time.Hour

// Memo caches a value that may be slightly old. It is safe for concurrent use.
type Memo[T any] struct {
	mu    sync.Mutex
	value T
	read  time.Time // time of the last successful read; zero before the first
	until time.Time
}

// Get returns the cached value. If it is too old, Get calls read, which also returns for how long the
// new value may be reused. If read fails, Get returns the old value, if any, and the next call of Get
// tries again.
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
