package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Run is work on all fares that recurs. Where several processes share a table, one
// of them does it, under RefreshLease, and all go by when it was done last (keys: FARES).
type Run string

// The runs.
const (
	Discovery Run = "DISCOVERED" // which routes there are, and some fares of each
	Depth     Run = "DEEPENED"   // the departures that were due
)

// LastRun gives when a run began that was done, and the version to say so over; zero where none was.
func (f Fares) LastRun(ctx context.Context, r Run) (time.Time, int64, error) {
	item, err := f.Table.Get(ctx, Key{"FARES", string(r)}, Strong)
	if errors.Is(err, ErrNotFound) {
		return time.Time{}, 0, nil
	}
	var at time.Time
	if err == nil {
		err = at.UnmarshalText(item.Data)
	}
	if err != nil {
		return time.Time{}, 0, fmt.Errorf("read when fares were refreshed: %w", err)
	}
	return at, item.Version, nil
}

// SetRun says that a run was done which began at a time, over the version that was
// read before it: whoever was late, and finds that another has done it since, changes nothing (ErrConflict).
func (f Fares) SetRun(ctx context.Context, r Run, began time.Time, version int64) error {
	data, err := began.UTC().Truncate(time.Second).MarshalText()
	if err == nil {
		op := Op{Mode: Replace, Item: Item{Key: Key{"FARES", string(r)}, Version: version, Data: data}}
		if version == 0 {
			op.Mode = Create
		}
		err = f.Table.Write(ctx, op)
	}
	if errors.Is(err, ErrExists) {
		err = ErrConflict
	}
	if err != nil {
		return fmt.Errorf("say that fares were refreshed: %w", err)
	}
	return nil
}
