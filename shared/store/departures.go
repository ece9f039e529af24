package store

import (
	"context"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// The key of the state of non-stop fares must sort first, because Sheet reads one item.
const (
	sheetPrefix = "DEPARTURES#"
	nonStopSort = sheetPrefix + "0"
	anySort     = sheetPrefix + "any"
	learnSort   = sheetPrefix + "learning"
)

var States = &record[*departure.State]{"departure state", departure.DecodeState, (*departure.State).Encode}

type Learning struct {
	All, NonStop departure.Questions
	Rounds       score.Rounds
}

var Learnings = &record[Learning]{"open questions", decodeLearning, func(l Learning) []byte {
	return departure.Learning{All: l.All, NonStop: l.NonStop, Answers: l.Rounds.Encode()}.Encode()
}}

func decodeLearning(data []byte) (Learning, error) {
	l, err := departure.DecodeLearning(data)
	if err != nil {
		return Learning{}, err
	}
	rounds, err := score.DecodeRounds(l.Answers)
	return Learning{l.All, l.NonStop, rounds}, err
}

// If nonStop is true but no state of non-stop fares is stored, Sheet returns the state of all fares.
func (f Fares) Sheet(ctx context.Context, s fare.Series, nonStop bool) (*departure.State, error) {
	if !nonStop {
		state, _, err := States.value(ctx, f.Table, Key{routePartition(s), anySort}, Eventual)
		return state, err
	}
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Limit: 1})
	if err == nil && len(items) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, wrap(err, "read departures of %s", s)
	}
	state, err := States.Of(items[0]).Value()
	return state, wrap(err, "read departures of %s", s)
}

type Departures struct {
	Any, NonStop Stored[*departure.State]
	Learning     Stored[Learning]
}

func (f Fares) Departures(ctx context.Context, s fare.Series) (d Departures, err error) {
	items, err := f.Table.Query(ctx, Range{Partition: routePartition(s), Prefix: sheetPrefix, Read: Strong})
	for _, item := range items {
		switch item.Sort {
		case anySort:
			d.Any = States.Of(item)
		case nonStopSort:
			d.NonStop = States.Of(item)
		case learnSort:
			d.Learning = Learnings.Of(item)
		}
	}
	return d, wrap(err, "read departures of %s", s)
}

var contributions = &record[*score.Contribution]{
	"contribution", score.DecodeContribution, (*score.Contribution).Encode,
}

type Contribution struct {
	Cycle   fare.Day
	Expires time.Time
	counted Stored[*score.Contribution]
}

func NewContribution(cycle fare.Day, counted *score.Contribution, expires time.Time) Contribution {
	return Contribution{cycle, expires, contributions.Pack(counted).Compact()}
}

func (c Contribution) Exists() bool { return c.counted.Exists() }

// AddTo fails with ErrNotFound if the contribution has an unknown format.
func (c Contribution) AddTo(all *score.Contribution) error {
	one, err := c.counted.Value()
	if err == nil {
		all.Add(one)
	}
	return err
}

func (c Contribution) op(s fare.Series) Op {
	return set(Item{Key: contributionKey(s, c.Cycle), Data: c.counted.data, Expires: c.Expires})
}

// PutDepartures fails if the stored version of a changed part differs from that in the parameter
// was.
func (f Fares) PutDepartures(ctx context.Context, s fare.Series, was, now Departures, contribution Contribution) error {
	var w writes
	change(&w, Key{routePartition(s), anySort}, was.Any, now.Any)
	change(&w, Key{routePartition(s), nonStopSort}, was.NonStop, now.NonStop)
	change(&w, Key{routePartition(s), learnSort}, was.Learning, now.Learning)
	if contribution.Exists() {
		w.add(contribution.op(s))
	}
	return wrap(w.commit(ctx, f.Table), "write departures of %s", s)
}

// If PutContributions fails, some contributions may be written.
func (f Fares) PutContributions(ctx context.Context, contributions map[fare.Series]Contribution) error {
	var w writes
	for s, c := range contributions {
		w.add(c.op(s))
	}
	return wrap(w.inTurn(ctx, f.Table), "write contributions")
}

func contributionPartition(cycle fare.Day) string { return "LEFT#" + cycle.String() }

func contributionKey(s fare.Series, cycle fare.Day) Key {
	return Key{contributionPartition(cycle), s.String()}
}

func (f Fares) Contributions(ctx context.Context, cycle fare.Day) ([]Contribution, error) {
	all, err := list(ctx, f.Table, Range{Partition: contributionPartition(cycle)}, func(i Item) (Contribution, error) {
		return Contribution{cycle, i.Expires, contributions.Of(i)}, nil
	})
	return all, wrap(err, "read contributions of %s", cycle)
}

func (f Fares) ContributionOf(ctx context.Context, s fare.Series, cycle fare.Day) (*score.Contribution, error) {
	contribution, _, err := contributions.value(ctx, f.Table, contributionKey(s, cycle), Strong)
	return contribution, wrap(err, "%s", s)
}

var pooledKey = Key{"FARES", "POOLED"}

var Cycles = &record[departure.Cycle]{"pooled statistics", departure.DecodeCycle, departure.Cycle.Encode}

func (f Fares) Pooled(ctx context.Context) (departure.Cycle, error) {
	c, _, err := Cycles.value(ctx, f.Table, pooledKey, Eventual)
	return c, err
}

func (f Fares) StoredPooled(ctx context.Context, read Consistency) (Stored[departure.Cycle], error) {
	return Cycles.read(ctx, f.Table, pooledKey, read)
}

// If the statistics change, PutPooled fails unless the stored version is was.Version.
func (f Fares) PutPooled(ctx context.Context, was, now Stored[departure.Cycle], s Score) error {
	w := writes{ops: s.ops()}
	change(&w, pooledKey, was, now)
	return wrap(w.commit(ctx, f.Table), "write the pooled statistics")
}
