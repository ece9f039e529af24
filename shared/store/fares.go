package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
)

// Fares stores the observations of routes and what is made of them: the summary
// that a verdict needs, the price trends of an origin, which routes are covered
// (keys: ROUTE, ORIGIN, COVERED, INTO, FARES, WANTED, DEMANDED, LEFT).
type Fares struct{ Table Table }

// get reads what an item holds and its version, or ErrNotFound.
func (f Fares) get(ctx context.Context, key Key, read Consistency, what string, of ...any) ([]byte, int64, error) {
	item, err := f.Table.Get(ctx, key, read)
	if err != nil {
		return nil, 0, wrap(err, "read "+what, of...)
	}
	return item.Data, item.Version, nil
}

// put writes data over the version they were made from; 0 where there were none.
func (f Fares) put(ctx context.Context, key Key, data []byte, version int64, what string, of ...any) error {
	err := f.Table.Write(ctx, over(Item{Key: key, Version: version, Data: data}))
	return wrap(err, "write "+what, of...)
}

func routePartition(s fare.Series) string { return "ROUTE#" + s.String() }

const blockPrefix = "BLOCK#"

func blockKey(s fare.Series, b fare.Block) Key {
	return Key{routePartition(s), fmt.Sprintf("%s%05d#%02d", blockPrefix, b.Cycle, b.Part)}
}

// summaryKey is the key of the summary of a route, or of a kind of trip on it.
func summaryKey(s fare.Series) Key { return Key{routePartition(s), "SHEET"} }

// StoredBlock is a block and the version it was read at; 0 is a block not stored yet.
type StoredBlock struct {
	fare.Block
	Version int64
}

// Blocks returns all stored blocks of a series, by cycle and part.
func (f Fares) Blocks(ctx context.Context, s fare.Series, read Consistency) ([]StoredBlock, error) {
	r := Range{Partition: routePartition(s), Prefix: blockPrefix, Read: read}
	blocks, err := list(ctx, f.Table, r, func(item Item) (StoredBlock, error) {
		b := StoredBlock{Version: item.Version, Block: fare.Block{Data: item.Data}}
		_, err := fmt.Sscanf(item.Sort, blockPrefix+"%05d#%02d", &b.Cycle, &b.Part)
		return b, wrap(err, "key %q", item.Sort)
	})
	return blocks, wrap(err, "read blocks of %s", s)
}

// A bulk of blocks is written in transactions of this many blocks and bytes at
// most. They cost twice, but a year of history then takes a few calls, not one
// for each week.
const (
	plainBlocks = 2 // up to this many are written one by one, which is what a weekly refresh needs
	bulkBlocks  = 25
	bulkBytes   = 2 << 20
)

// PutBlocks writes blocks in their order, each over the version it was read at,
// to expire when expires says. Where it fails, a leading part of them may be written.
func (f Fares) PutBlocks(
	ctx context.Context, s fare.Series, blocks []StoredBlock, expires func(fare.Cycle) time.Time,
) error {
	atOnce := 1
	if len(blocks) > plainBlocks {
		atOnce = bulkBlocks
	}
	for len(blocks) > 0 {
		var ops []Op
		size := 0
		for _, b := range blocks {
			size += len(b.Data)
			if len(ops) == atOnce || len(ops) > 0 && size > bulkBytes {
				break
			}
			ops = append(
				ops,
				over(Item{Key: blockKey(s, b.Block), Version: b.Version, Data: b.Data, Expires: expires(b.Cycle)}),
			)
		}
		if err := f.Table.Write(ctx, ops...); err != nil {
			return fmt.Errorf("write %d blocks of %s: %w", len(ops), s, err)
		}
		blocks = blocks[len(ops):]
	}
	return nil
}

// Summary returns the encoded summary of a series and its version, or ErrNotFound.
func (f Fares) Summary(ctx context.Context, s fare.Series, read Consistency) ([]byte, int64, error) {
	return f.get(ctx, summaryKey(s), read, "summary of %s", s)
}

// PutSummary writes a summary over the version it was made from; 0 where there was none.
func (f Fares) PutSummary(ctx context.Context, s fare.Series, data []byte, version int64) error {
	return f.put(ctx, summaryKey(s), data, version, "summary of %s", s)
}

// asked is the stored form of an origin's state.
type asked struct {
	At time.Time `json:"at"`
}

func originKey(origin fare.City, sort string) Key { return Key{"ORIGIN#" + string(origin), sort} }

func askedKey(origin fare.City) Key { return originKey(origin, "ASKED") }

// Asked returns when the source last answered for an origin; the zero time is never.
func (f Fares) Asked(ctx context.Context, origin fare.City) (time.Time, error) {
	a, _, err := get[asked](ctx, f.Table, askedKey(origin), Eventual)
	return a.At, wrap(unless(err, ErrNotFound), "read when %s was asked", origin)
}

// SetAsked records that the source has answered for an origin and all of the answer is stored.
func (f Fares) SetAsked(ctx context.Context, origin fare.City, at time.Time) error {
	err := write(ctx, f.Table, set(Item{Key: askedKey(origin)}), asked{at.UTC().Truncate(time.Second)})
	return wrap(err, "record that %s was asked", origin)
}

// ErrOtherSource: the store holds fares of another source.
var ErrOtherSource = errors.New("the store holds fares of another source")

// Claim marks the store with the source of its fares, once. Invented fares and
// recorded ones never mix: a store of another source is ErrOtherSource.
func (f Fares) Claim(ctx context.Context, source string) error {
	claimed, err := createOrGet(ctx, f.Table, Item{Key: Key{"FARES", "SOURCE"}, Data: []byte(source)})
	if err != nil {
		return fmt.Errorf("mark store with its source: %w", err)
	}
	if string(claimed) != source {
		return fmt.Errorf("%w: it was filled from %q, not %q; use another store", ErrOtherSource, claimed, source)
	}
	return nil
}

var ratesKey = Key{"FARES", "RATES"}

// Rates returns the reference rates of the last refresh, or ErrNotFound.
func (f Fares) Rates(ctx context.Context) (fare.Rates, error) {
	r, _, err := get[fare.Rates](ctx, f.Table, ratesKey, Eventual)
	return r, wrap(err, "read rates")
}

// SetRates stores reference rates for those who convert what is stored.
func (f Fares) SetRates(ctx context.Context, r fare.Rates) error {
	return wrap(write(ctx, f.Table, set(Item{Key: ratesKey}), r), "write rates")
}

// Run is work on all fares that recurs. Where several processes share a table, one
// of them does it, under RefreshLease, and all go by when it was done last (keys: FARES).
type Run string

// The runs.
const (
	Discovery Run = "DISCOVERED" // which routes there are, and some fares of each
	Depth     Run = "DEEPENED"   // the departures that were due
)

// LastRun returns when the last completed run began, and the version to say so over; zero where none was.
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

// SetRun records that a run was done which began at a time, over the version that was
// read before it. ErrConflict: another process has done it since.
func (f Fares) SetRun(ctx context.Context, r Run, began time.Time, version int64) error {
	data, err := began.UTC().Truncate(time.Second).MarshalText()
	if err == nil {
		err = f.Table.Write(ctx, over(Item{Key: Key{"FARES", string(r)}, Version: version, Data: data}))
	}
	if errors.Is(err, ErrExists) {
		err = ErrConflict
	}
	return wrap(err, "say that fares were refreshed")
}
