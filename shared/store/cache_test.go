package store_test

import (
	"errors"
	"testing"
	"time"

	"verdetto/shared/store"
)

func TestMemo(t *testing.T) {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	failure := errors.New("no answer")
	var m store.Memo[int]
	for _, c := range []struct {
		name     string
		after    time.Duration
		value    int
		err      error
		want     int
		wantErr  error
		wantRead bool
	}{
		{"the first read fails", 0, 0, failure, 0, failure, true},
		{"the next call reads again", time.Second, 1, nil, 1, nil, true},
		{"a fresh value is not read again", time.Hour, 2, nil, 1, nil, false},
		{"an old value is", time.Hour + time.Second, 2, nil, 2, nil, true},
		{"an old value serves where a read fails", 3 * time.Hour, 0, failure, 2, nil, true},
		{"and is read again", 3*time.Hour + time.Second, 3, nil, 3, nil, true},
		{"a clock that went back makes it old", 0, 4, nil, 4, nil, true},
	} {
		read := false
		got, err := m.Get(start.Add(c.after), func() (int, time.Duration, error) {
			read = true
			return c.value, store.MemoTime, c.err
		})
		if got != c.want || !errors.Is(err, c.wantErr) || read != c.wantRead {
			t.Errorf("%s: got %d, %v, read %v; want %d, %v, %v", c.name, got, err, read, c.want, c.wantErr, c.wantRead)
		}
	}
}
