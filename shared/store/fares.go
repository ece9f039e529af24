package store

import (
	"context"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

type Fares struct{ Table Table }

func routePartition(s fare.Series) string { return "ROUTE#" + s.String() }

const blockPrefix = "BLOCK#"

func blockKey(s fare.Series, b fare.Block) Key {
	return Key{routePartition(s), fmt.Sprintf("%s%05d#%02d", blockPrefix, b.Cycle, b.Part)}
}

func summaryKey(s fare.Series) Key { return Key{routePartition(s), "SHEET"} }

type StoredBlock struct {
	fare.Block
	Version int64
}

func (f Fares) Blocks(ctx context.Context, s fare.Series, read Consistency) ([]StoredBlock, error) {
	r := Range{Partition: routePartition(s), Prefix: blockPrefix, Read: read}
	blocks, err := list(ctx, f.Table, r, func(item Item) (StoredBlock, error) {
		b := StoredBlock{Version: item.Version, Block: fare.Block{Data: item.Data}}
		_, err := fmt.Sscanf(item.Sort, blockPrefix+"%05d#%02d", &b.Cycle, &b.Part)
		return b, wrap(err, "key %q", item.Sort)
	})
	return blocks, wrap(err, "read blocks of %s", s)
}

// More than plainBlocks blocks are written in transactions, which cost twice as much but need few calls.
const (
	plainBlocks = 2
	bulkBlocks  = 25
	bulkBytes   = 2 << 20
)

// If PutBlocks fails, some blocks may be written.
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
				replace(Item{Key: blockKey(s, b.Block), Version: b.Version, Data: b.Data, Expires: expires(b.Cycle)}),
			)
		}
		if err := f.Table.Write(ctx, ops...); err != nil {
			return fmt.Errorf("write %d blocks of %s: %w", len(ops), s, err)
		}
		blocks = blocks[len(ops):]
	}
	return nil
}

var Summaries = &record[verdict.RouteSummary]{"summary", verdict.Decode, verdict.RouteSummary.Encode}

func (f Fares) Summary(ctx context.Context, s fare.Series) (verdict.RouteSummary, error) {
	summary, _, err := Summaries.value(ctx, f.Table, summaryKey(s), Eventual)
	return summary, err
}

func (f Fares) StoredSummary(
	ctx context.Context, s fare.Series, read Consistency,
) (Stored[verdict.RouteSummary], error) {
	return Summaries.read(ctx, f.Table, summaryKey(s), read)
}

// If the summary changes, PutSummary fails unless the stored version is was.Version.
func (f Fares) PutSummary(
	ctx context.Context, s fare.Series, was, now Stored[verdict.RouteSummary],
) (changed bool, err error) {
	return Summaries.put(ctx, f.Table, summaryKey(s), was, now)
}

func originKey(origin fare.City, sort string) Key { return Key{"ORIGIN#" + string(origin), sort} }
