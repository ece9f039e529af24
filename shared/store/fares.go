package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
)

// Fares stores the observations of routes and what is made of them: the summary
// that a verdict needs, the price trends of an origin, which routes are covered
// (keys: ROUTE, ORIGIN, COVERED, INTO, FARES, WANTED, DEMANDED, LEFT).
type Fares struct{ Table Table }

func routePartition(s fare.Series) string { return "ROUTE#" + s.String() }

const blockPrefix = "BLOCK#"

func blockKey(s fare.Series, b fare.Block) Key {
	return Key{routePartition(s), fmt.Sprintf("%s%05d#%02d", blockPrefix, b.Cycle, b.Part)}
}

func summaryKey(s fare.Series) Key { return Key{routePartition(s), "SHEET"} }

// StoredBlock is a block and the version it was read at; 0 is a block not stored yet.
type StoredBlock struct {
	fare.Block
	Version int64
}

// Blocks gives all stored blocks of a series, by cycle and part.
func (f Fares) Blocks(ctx context.Context, s fare.Series, read Consistency) ([]StoredBlock, error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: blockPrefix, Read: read})
	if err != nil {
		return nil, fmt.Errorf("read blocks of %s: %w", s, err)
	}
	blocks := make([]StoredBlock, len(items))
	for i, item := range items {
		b := StoredBlock{Version: item.Version, Block: fare.Block{Data: item.Data}}
		if _, err := fmt.Sscanf(item.Sort, blockPrefix+"%05d#%02d", &b.Cycle, &b.Part); err != nil {
			return nil, fmt.Errorf("read blocks of %s: key %q: %w", s, item.Sort, err)
		}
		blocks[i] = b
	}
	return blocks, nil
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
func (f Fares) PutBlocks(ctx context.Context, s fare.Series, blocks []StoredBlock, expires func(fare.Cycle) time.Time) error {
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
			op := Op{Mode: Replace, Item: Item{Key: blockKey(s, b.Block), Version: b.Version, Data: b.Data, Expires: expires(b.Cycle)}}
			if b.Version == 0 {
				op.Mode = Create
			}
			ops = append(ops, op)
		}
		if err := f.Table.Write(ctx, ops...); err != nil {
			return fmt.Errorf("write %d blocks of %s: %w", len(ops), s, err)
		}
		blocks = blocks[len(ops):]
	}
	return nil
}

// Summary gives the encoded summary of a series and its version, or ErrNotFound.
func (f Fares) Summary(ctx context.Context, s fare.Series, read Consistency) ([]byte, int64, error) {
	item, err := f.Table.Get(ctx, summaryKey(s), read)
	if err != nil {
		return nil, 0, fmt.Errorf("read summary of %s: %w", s, err)
	}
	return item.Data, item.Version, nil
}

// PutSummary writes a summary over the version it was made from; 0 where there was none.
func (f Fares) PutSummary(ctx context.Context, s fare.Series, data []byte, version int64) error {
	op := Op{Mode: Replace, Item: Item{Key: summaryKey(s), Version: version, Data: data}}
	if version == 0 {
		op.Mode = Create
	}
	if err := f.Table.Write(ctx, op); err != nil {
		return fmt.Errorf("write summary of %s: %w", s, err)
	}
	return nil
}

// asked is the stored form of an origin's state.
type asked struct {
	At time.Time `json:"at"`
}

func askedKey(origin fare.City) Key { return Key{"ORIGIN#" + string(origin), "ASKED"} }

// Asked says when the source last answered for an origin; the zero time is never.
func (f Fares) Asked(ctx context.Context, origin fare.City) (time.Time, error) {
	item, err := f.Table.Get(ctx, askedKey(origin), Eventual)
	if errors.Is(err, ErrNotFound) {
		return time.Time{}, nil
	}
	var a asked
	if err == nil {
		err = json.Unmarshal(item.Data, &a)
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("read when %s was asked: %w", origin, err)
	}
	return a.At, nil
}

// SetAsked records that the source has answered for an origin and all of the answer is stored.
func (f Fares) SetAsked(ctx context.Context, origin fare.City, at time.Time) error {
	data, err := json.Marshal(asked{at.UTC().Truncate(time.Second)})
	if err == nil {
		err = f.Table.Write(ctx, Op{Mode: Set, Item: Item{Key: askedKey(origin), Data: data}})
	}
	if err != nil {
		return fmt.Errorf("record that %s was asked: %w", origin, err)
	}
	return nil
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
