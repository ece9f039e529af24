package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Fares stores the observations of routes and what is computed from them: the summaries behind
// verdicts, the price trends of origins, and the covered routes (partitions: ROUTE, ORIGIN,
// COVERED, INTO, FARES, WANTED, DEMANDED, LEFT).
type Fares struct{ Table Table }

func routePartition(s fare.Series) string { return "ROUTE#" + s.String() }

const blockPrefix = "BLOCK#"

func blockKey(s fare.Series, b fare.Block) Key {
	return Key{routePartition(s), fmt.Sprintf("%s%05d#%02d", blockPrefix, b.Cycle, b.Part)}
}

func summaryKey(s fare.Series) Key { return Key{routePartition(s), "SHEET"} }

// StoredBlock is a block and the version that was read; 0 means that it is not stored yet.
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

// More than plainBlocks blocks are written in transactions of at most bulkBlocks blocks and
// bulkBytes bytes. A transaction costs twice as much, but a year of history then takes a few calls
// instead of one per week.
const (
	plainBlocks = 2 // up to this many are written one by one: enough for a weekly refresh
	bulkBlocks  = 25
	bulkBytes   = 2 << 20
)

// PutBlocks writes blocks in order, with the expiry that expires returns. It fails if the stored
// version of a block is not the version that was read; earlier blocks may then be written.
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

// Summaries are what verdicts on routes are computed from.
var Summaries = &record[verdict.RouteSummary]{"summary", verdict.Decode, verdict.RouteSummary.Encode}

// Summary returns the summary of a series, or ErrNotFound.
func (f Fares) Summary(ctx context.Context, s fare.Series) (verdict.RouteSummary, error) {
	summary, _, err := Summaries.value(ctx, f.Table, summaryKey(s), Eventual)
	return summary, err
}

// StoredSummary reads the summary of a series for PutSummary.
func (f Fares) StoredSummary(
	ctx context.Context, s fare.Series, read Consistency,
) (Stored[verdict.RouteSummary], error) {
	return Summaries.read(ctx, f.Table, summaryKey(s), read)
}

// PutSummary writes the summary of a series, unless it is equal to the stored one. It fails if the
// stored version is not the one that was read.
func (f Fares) PutSummary(
	ctx context.Context, s fare.Series, was, now Stored[verdict.RouteSummary],
) (changed bool, err error) {
	return Summaries.put(ctx, f.Table, summaryKey(s), was, now)
}

type lastAnswer struct {
	At time.Time `json:"at"`
}

func originKey(origin fare.City, sort string) Key { return Key{"ORIGIN#" + string(origin), sort} }

func lastAnswerKey(origin fare.City) Key { return originKey(origin, "ASKED") }

// LastAnswer returns when the fare source last answered for an origin; zero means never.
func (f Fares) LastAnswer(ctx context.Context, origin fare.City) (time.Time, error) {
	a, _, err := get[lastAnswer](ctx, f.Table, lastAnswerKey(origin), Eventual)
	return a.At, wrap(unless(err, ErrNotFound), "read when %s was asked", origin)
}

// SetLastAnswer records that the fare source answered for an origin, after the answer was stored.
func (f Fares) SetLastAnswer(ctx context.Context, origin fare.City, at time.Time) error {
	err := write(ctx, f.Table, set(Item{Key: lastAnswerKey(origin)}), lastAnswer{at.UTC().Truncate(time.Second)})
	return wrap(err, "record that %s was asked", origin)
}

// ErrOtherSource means that the store holds fares of another fare source.
var ErrOtherSource = errors.New("the store holds fares of another source")

var sourceKey = Key{"FARES", "SOURCE"}

const (
	// Invented is the name of the source of invented fares.
	Invented = "sample"
	// imported stands for the source while the store holds only imported fares. Any source of real
	// fares may later replace it by its own name.
	imported = "imported"
)

// Claim records, once, the source of the fares in the store, and when the service began to ask it.
// It fails with ErrOtherSource if another source is recorded: simulated and recorded fares must
// never be mixed.
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

// CheckSource fails with ErrOtherSource if the store holds fares of another source. It writes
// nothing.
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

var ratesKey = Key{"FARES", "RATES"}

// Rates returns the exchange rates of the last refresh, or ErrNotFound.
func (f Fares) Rates(ctx context.Context) (fare.Rates, error) {
	r, _, err := get[fare.Rates](ctx, f.Table, ratesKey, Eventual)
	return r, wrap(err, "read rates")
}

// SetRates stores exchange rates for the conversion of stored amounts.
func (f Fares) SetRates(ctx context.Context, r fare.Rates) error {
	return wrap(write(ctx, f.Table, set(Item{Key: ratesKey}), r), "write rates")
}

// Run is a kind of recurring work on all fares, done only by the holder of RefreshLease. All
// processes read when it was last done (partition: FARES).
type Run string

// The kinds of recurring work, with what each requests from the fare source.
const (
	Discovery Run = "DISCOVERED" // which routes exist, and some fares of each
	Depth     Run = "DEEPENED"   // the departures that were due

	// Began is not recurring work but the time of the first Claim; stores of earlier versions lack
	// it.
	Began Run = "BEGAN"
)

// LastRun returns when the last completed run began (zero if there was none) and a version for
// SetRun.
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

// SetRun records when a completed run began. It fails with ErrConflict if another process has
// completed a run since LastRun returned version.
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
