package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
)

var ErrOtherSource = errors.New("the store holds fares of another source")

var sourceKey = Key{"FARES", "SOURCE"}

const (
	Invented = "sample"
	// imported is stored as the source while the store holds only imported fares.
	imported = "imported"
)

// Claim fails with ErrOtherSource if the store has another source. A store that holds only imported fares accepts any
// source but Invented.
func (f Fares) Claim(ctx context.Context, source string, at time.Time) error {
	began, err := runItem(Began, at)
	if err != nil {
		return err
	}
	claimed, err := createOrGet(ctx, f.Table, Item{Key: sourceKey, Data: []byte(source)}, began)
	if err != nil {
		return fmt.Errorf("mark store with its source: %w", err)
	}
	if string(claimed) == imported && source != Invented {
		return wrap(f.Table.Write(ctx, set(Item{Key: sourceKey, Data: []byte(source)})), "mark store with its source")
	}
	return otherSource(string(claimed), source)
}

func otherSource(claimed, source string) error {
	if claimed == source || claimed == imported && source != Invented {
		return nil
	}
	return fmt.Errorf("%w: it was filled from %q, not %q; use another store (VERDETTO_STORE)", ErrOtherSource, claimed,
		source)
}

func (f Fares) CheckSource(ctx context.Context, source string) error {
	claimed, err := f.Table.Get(ctx, sourceKey, Strong)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return wrap(err, "read the source of the fares")
	}
	return otherSource(string(claimed.Data), source)
}

// Source returns an empty string if no source is recorded, or if all fares were imported.
func (f Fares) Source(ctx context.Context) (string, error) {
	claimed, err := f.Table.Get(ctx, sourceKey, Strong)
	if string(claimed.Data) == imported {
		claimed = Item{}
	}
	return string(claimed.Data), wrap(unless(err, ErrNotFound), "read the source of the fares")
}

// ClaimImported records that the store holds imported fares, unless the store has a source.
func (f Fares) ClaimImported(ctx context.Context) error {
	claimed, err := createOrGet(ctx, f.Table, Item{Key: sourceKey, Data: []byte(imported)})
	if err == nil && string(claimed) == Invented {
		err = fmt.Errorf("%w: invented ones; recorded fares need another store", ErrOtherSource)
	}
	return wrap(err, "mark store with its source")
}

type lastAnswer struct {
	At time.Time `json:"at"`
}

func lastAnswerKey(origin fare.City) Key { return originKey(origin, "ASKED") }

func (f Fares) LastAnswer(ctx context.Context, origin fare.City) (time.Time, error) {
	a, _, err := get[lastAnswer](ctx, f.Table, lastAnswerKey(origin), Eventual)
	return a.At, wrap(unless(err, ErrNotFound), "read when %s was asked", origin)
}

// SetLastAnswer must be called after the answer is stored.
func (f Fares) SetLastAnswer(ctx context.Context, origin fare.City, at time.Time) error {
	err := write(ctx, f.Table, set(Item{Key: lastAnswerKey(origin)}), lastAnswer{at.UTC().Truncate(time.Second)})
	return wrap(err, "record that %s was asked", origin)
}

var ratesKey = Key{"FARES", "RATES"}

func (f Fares) Rates(ctx context.Context) (fare.Rates, error) {
	r, _, err := get[fare.Rates](ctx, f.Table, ratesKey, Eventual)
	return r, wrap(err, "read rates")
}

func (f Fares) SetRates(ctx context.Context, r fare.Rates) error {
	return wrap(write(ctx, f.Table, set(Item{Key: ratesKey}), r), "write rates")
}

// Run is a kind of recurring work of a service on one machine.
type Run string

const (
	Discovery Run = "DISCOVERED"
	Depth     Run = "DEEPENED"

	// Began is not recurring work, but the time of the first Claim. Stores of imported fares or of earlier versions may
	// lack Began.
	Began Run = "BEGAN"
)

// LastRun returns when the last completed run began, or zero, and a version for SetRun.
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

// SetRun fails with ErrConflict if another process has completed a run since LastRun returned version.
func (f Fares) SetRun(ctx context.Context, r Run, began time.Time, version int64) error {
	item, err := runItem(r, began)
	if item.Version = version; err == nil {
		err = f.Table.Write(ctx, replace(item))
	}
	if errors.Is(err, ErrExists) {
		err = ErrConflict
	}
	return wrap(err, "say that fares were refreshed")
}

func runItem(r Run, at time.Time) (Item, error) {
	data, err := at.UTC().Truncate(time.Second).MarshalText()
	return Item{Key: Key{"FARES", string(r)}, Data: data}, wrap(err, "write the time of a run")
}
