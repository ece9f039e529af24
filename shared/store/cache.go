package store

import (
	"sync"
	"time"
)

// MemoTime is how long a process caches a value that a refresh may change.
const MemoTime = time.Hour

// Memo is safe for concurrent use.
type Memo[T any] struct {
	mu    sync.Mutex
	value T
	read  time.Time
	until time.Time
}

// read returns a value and how long the value may be reused. If read fails, Get returns the previous value, if any.
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
