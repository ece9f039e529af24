package store

import (
	"context"
	"time"

	"verdetto/shared/fare"
)

// The departure states of a series are adjacent items, non-stop fares first, so that reading the
// first item answers a question about non-stop flights. Without a state of non-stop fares, the
// first item is the state of all fares.
const (
	sheetPrefix = "DEPARTURES#"
	nonStopSort = sheetPrefix + "0"
	anySort     = sheetPrefix + "any"
	learnSort   = sheetPrefix + "learning"
)

// Sheet returns the encoded departure.State of a series, or ErrNotFound. If nonStop is true, it
// returns the state of non-stop fares if there is one, else that of all fares, which says whether
// all fares are non-stop.
func (f Fares) Sheet(ctx context.Context, s fare.Series, nonStop bool) ([]byte, error) {
	if !nonStop {
		data, _, err := f.get(ctx, Key{routePartition(s), anySort}, Eventual, "departures of %s", s)
		return data, err
	}
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Limit: 1})
	if err == nil && len(items) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, wrap(err, "read departures of %s", s)
	}
	return items[0].Data, nil
}

// Versioned holds the data of an item and the version that was read; 0 means that there is no item.
type Versioned struct {
	Data    []byte
	Version int64
}

// Departures holds all stored departure data of a series.
type Departures struct {
	Any, NonStop Versioned // departure.State
	Learning     Versioned // departure.Learning; answers do not need it
}

func (d *Departures) parts() []departuresPart {
	return []departuresPart{{anySort, &d.Any}, {nonStopSort, &d.NonStop}, {learnSort, &d.Learning}}
}

type departuresPart struct {
	sort string
	*Versioned
}

// Departures reads the departure data of a series for a refresh, with a strong read.
func (f Fares) Departures(ctx context.Context, s fare.Series) (d Departures, err error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Read: Strong})
	for _, item := range items {
		for _, part := range d.parts() {
			if part.sort == item.Sort {
				*part.Versioned = Versioned{item.Data, item.Version}
			}
		}
	}
	return d, wrap(err, "read departures of %s", s)
}

// Contribution is what one series adds to the pooled statistics of one cycle, a complete pass over
// all series. Data is an encoded score.Contribution.
type Contribution struct {
	Cycle   fare.Day
	Data    []byte
	Expires time.Time
}

// PutDepartures writes the departure data of a series and, in the same write, its own contribution
// to a cycle. It fails if the stored version of a part is not the version that was read. Parts
// without data are not written.
func (f Fares) PutDepartures(ctx context.Context, s fare.Series, d Departures, own Contribution) error {
	var w writes
	for _, part := range d.parts() {
		if part.Data != nil {
			w.add(replace(Item{Key: Key{routePartition(s), part.sort}, Version: part.Version, Data: part.Data}))
		}
	}
	if own.Data != nil {
		w.add(set(Item{Key: contributionKey(s, own.Cycle), Data: own.Data, Expires: own.Expires}))
	}
	return wrap(w.commit(ctx, f.Table), "write departures of %s", s)
}

// PutContributions writes contributions of several series to a cycle, not all in one write.
func (f Fares) PutContributions(ctx context.Context, own map[fare.Series]Contribution) error {
	var w writes
	for s, c := range own {
		w.add(set(Item{Key: contributionKey(s, c.Cycle), Data: c.Data, Expires: c.Expires}))
	}
	return wrap(w.inTurn(ctx, f.Table), "write contributions")
}

func contributionPartition(cycle fare.Day) string { return "LEFT#" + cycle.String() }

func contributionKey(s fare.Series, cycle fare.Day) Key {
	return Key{contributionPartition(cycle), s.String()}
}

// Contributions returns the contributions of all series to the statistics of a cycle.
func (f Fares) Contributions(ctx context.Context, cycle fare.Day) ([][]byte, error) {
	data := func(item Item) ([]byte, error) { return item.Data, nil }
	all, err := list(ctx, f.Table, Range{Partition: contributionPartition(cycle)}, data)
	return all, wrap(err, "read contributions of %s", cycle)
}

// ContributionOf returns the contribution of a series to a cycle, or ErrNotFound.
func (f Fares) ContributionOf(ctx context.Context, s fare.Series, cycle fare.Day) ([]byte, error) {
	data, _, err := f.get(ctx, contributionKey(s, cycle), Strong, "contribution of %s on %s", s, cycle)
	return data, err
}

var pooledKey = Key{"FARES", "POOLED"}

// Pooled returns the pooled statistics of all series after the last completed cycle (an encoded
// departure.Cycle) and their version, or ErrNotFound before the first cycle ends.
func (f Fares) Pooled(ctx context.Context, read Consistency) ([]byte, int64, error) {
	return f.get(ctx, pooledKey, read, "the pooled part")
}

// PutPooled writes the pooled statistics and the score of a completed cycle in one write. It fails
// if the stored version is not the given one; 0 means that none are stored.
func (f Fares) PutPooled(ctx context.Context, data []byte, version int64, s Score) error {
	pooled := replace(Item{Key: pooledKey, Version: version, Data: data})
	return wrap(f.Table.Write(ctx, append(s.ops(), pooled)...), "write the pooled part")
}
