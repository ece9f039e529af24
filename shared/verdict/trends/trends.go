// Package trends computes price trends of the routes from a city. The store holds one Origin per
// city. The package does no I/O. Start with EntryOf.
package trends

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
	"verdetto/shared/verdict"
)

type Live struct {
	Depart fare.Day
	Price  fare.Cents
	Found  int64 // Unix seconds
	// Level, Certainty and Percentile judge the fare as if it had just been found.
	Level      verdict.Level
	Certainty  verdict.Reliability
	Percentile int
}

// Entry holds the trends of one route. Amounts are in EUR cents.
type Entry struct {
	Destination  fare.City
	AsOf         fare.Day
	Newest       int64 // Unix seconds
	Observations int
	Median       fare.Cents
	Minimum      fare.Cents
	Sample       int
	Previous     fare.Cents // the latest daily low 7 to 13 days before AsOf; 0 if there is none
	Live         []Live     // in order of departure
	Months       []verdict.Month
}

// Cycle is how many days after AsOf the live fares of an Entry may be shown.
const Cycle = 7

func (e Entry) Cheapest(today fare.Day) (Live, bool) {
	if today < e.AsOf || today > e.AsOf+Cycle {
		return Live{}, false
	}
	for _, l := range e.Live {
		if l.Depart >= today {
			return l, true
		}
	}
	return Live{}, false
}

// Origin holds the routes from a city, those with the most observations first.
type Origin struct {
	Entries []Entry
}

func (o Origin) Merge(fresh []Entry) Origin {
	all := slices.Clone(fresh)
	for _, old := range o.Entries {
		if !slices.ContainsFunc(fresh, func(e Entry) bool { return e.Destination == old.Destination }) {
			all = append(all, old)
		}
	}
	slices.SortFunc(all, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(b.Observations, a.Observations), cmp.Compare(a.Destination, b.Destination))
	})
	return Origin{all}
}

func (o Origin) Entry(destination fare.City) (Entry, bool) {
	i := slices.IndexFunc(o.Entries, func(e Entry) bool { return e.Destination == destination })
	if i < 0 {
		return Entry{}, false
	}
	return o.Entries[i], true
}

const format = 2

func (o Origin) Encode() []byte {
	var names []string
	index := func(name string) uint64 {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return uint64(slices.Index(names, name))
	}
	w := packed.NewWriter(format, 128*len(o.Entries))
	body := make(packed.Writer, 0, 128*len(o.Entries))
	var first Entry
	for i, e := range o.Entries {
		if i == 0 {
			first = e
		}
		body.Bytes([]byte(e.Destination))
		body.Int(int64(e.AsOf-first.AsOf), first.Newest-e.Newest, int64(e.Observations), int64(e.Minimum),
			int64(e.Median-e.Minimum), int64(e.Sample), int64(e.Previous), int64(len(e.Live)))
		for _, l := range e.Live {
			body.Int(int64(l.Depart-e.AsOf), int64(l.Price), e.Newest-l.Found, int64(l.Percentile))
			body.Uint(index(string(l.Level)))
			body.Uint(index(string(l.Certainty)))
		}
		body.Int(int64(len(e.Months)))
		for _, m := range e.Months {
			body.Int(int64(m.Month), int64(m.Minimum), int64(m.Median-m.Minimum), int64(m.Sample))
		}
	}
	w.Uint(uint64(len(names)))
	for _, name := range names {
		w.Bytes([]byte(name))
	}
	w.Int(int64(first.AsOf), first.Newest, int64(len(o.Entries)))
	return append(w, body...)
}

func Decode(data []byte) (Origin, error) {
	r := packed.NewReader(data, format)
	names := make([]string, r.Count(int64(min(r.Uint(), math.MaxInt64))))
	for i := range names {
		names[i] = string(r.Bytes())
	}
	name := func() string {
		i := r.Uint()
		if i >= uint64(len(names)) {
			r.Fail(errors.New("unknown name"))
			return ""
		}
		return names[i]
	}
	day, newest := fare.Day(r.Int()), r.Int()
	o := Origin{make([]Entry, r.Count(r.Int()))}
	for i := range o.Entries {
		e := Entry{Destination: fare.City(r.Bytes()), AsOf: day + fare.Day(r.Int()), Newest: newest - r.Int(),
			Observations: int(r.Int()), Minimum: fare.Cents(r.Int())}
		e.Median = e.Minimum + fare.Cents(r.Int())
		e.Sample, e.Previous = int(r.Int()), fare.Cents(r.Int())
		e.Live = make([]Live, r.Count(r.Int()))
		for i := range e.Live {
			e.Live[i] = Live{Depart: e.AsOf + fare.Day(r.Int()), Price: fare.Cents(r.Int()), Found: e.Newest - r.Int(),
				Percentile: int(r.Int()), Level: verdict.Level(name()), Certainty: verdict.Reliability(name())}
		}
		e.Months = make([]verdict.Month, r.Count(r.Int()))
		for i := range e.Months {
			m := verdict.Month{Month: int(r.Int()), Minimum: fare.Cents(r.Int())}
			m.Median, m.Sample = m.Minimum+fare.Cents(r.Int()), int(r.Int())
			e.Months[i] = m
		}
		o.Entries[i] = e
	}
	return o, r.ErrIn("trends")
}
