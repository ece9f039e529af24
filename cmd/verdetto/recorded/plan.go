package recorded

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sort"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/verdict/trends"
)

type fares struct {
	name     string
	bySeries map[fare.Series][]fare.Observation
	byOrigin map[fare.City][]fare.Series
	digest   string
}

var _ upstream.Source = (*fares)(nil)

func newFares(name string, bySeries map[fare.Series][]fare.Observation) *fares {
	f := &fares{name: name, bySeries: bySeries, byOrigin: map[fare.City][]fare.Series{}}
	hash := sha256.New()
	for _, series := range slices.SortedFunc(maps.Keys(bySeries), bySeriesName) {
		slices.SortFunc(bySeries[series], fare.Observation.Compare)
		f.byOrigin[series.Origin] = append(f.byOrigin[series.Origin], series)
		fmt.Fprintln(hash, series, len(bySeries[series]))
		var row []byte
		for _, o := range bySeries[series] {
			row = binary.BigEndian.AppendUint64(row[:0], uint64(o.Found))
			row = binary.BigEndian.AppendUint64(row, uint64(o.Price))
			row = binary.BigEndian.AppendUint64(row, o.Currency.Pack())
			row = binary.BigEndian.AppendUint32(row, uint32(o.Depart))
			row = append(row, byte(o.Nights>>8), byte(o.Nights), byte(o.Stops), 0)
			if o.DayOnly {
				row[len(row)-1] = 1
			}
			_, _ = hash.Write(row)
		}
	}
	f.digest = hex.EncodeToString(hash.Sum(nil))
	return f
}

func bySeriesName(a, b fare.Series) int { return cmp.Compare(a.String(), b.String()) }

func (f *fares) Name() string { return f.name }

func (f *fares) Origins(context.Context) ([]fare.City, error) {
	return slices.Sorted(maps.Keys(f.byOrigin)), nil
}

func (f *fares) Fares(ctx context.Context, origin fare.City, since, until time.Time) (a upstream.Answer, err error) {
	from := int64(math.MinInt64)
	if !since.IsZero() {
		from = since.Unix() + 1
	}
	for _, series := range f.byOrigin[origin] {
		all := f.bySeries[series]
		first := sort.Search(len(all), func(i int) bool { return all[i].Found >= from })
		for _, o := range all[first:] {
			if o.Found > until.Unix() {
				break
			}
			a.Fares = append(a.Fares, fare.Fare{Route: series.Route, Observation: o})
		}
	}
	return a, ctx.Err()
}

func (f *fares) lastFound(series fare.Series, now time.Time) fare.Day {
	all := f.bySeries[series]
	n := sort.Search(len(all), func(i int) bool { return all[i].Found > now.Unix() })
	if n == 0 {
		return 0
	}
	return all[n-1].FoundDay()
}

func (f *fares) byDay() map[fare.Day]int {
	days := map[fare.Day]int{}
	for _, all := range f.bySeries {
		for _, o := range all {
			days[o.FoundDay()]++
		}
	}
	return days
}

func (i Import) rows() *fares {
	bySeries := map[fare.Series][]fare.Observation{}
	for route, all := range i.Panel.Routes(i.Now()) {
		for _, o := range all {
			series := fare.Fare{Route: route, Observation: o}.Series()
			bySeries[series] = append(bySeries[series], o)
		}
	}
	return newFares(i.Panel.Name(), bySeries)
}

type stored struct {
	fares    []fare.Observation
	versions map[string]int64
	asOf     fare.Day
	oldest   fare.Day // day of the oldest daily low in the summary, or 0
}

// fixed reports whether a series cannot be rebuilt, because its daily lows go back further than its
// fares.
func (s stored) fixed() bool {
	return s.oldest > 0 && (len(s.fares) == 0 || s.oldest < s.fares[0].FoundDay())
}

func (i Import) read(ctx context.Context, series fare.Series) (s stored, err error) {
	target := store.Fares{Table: i.Target}
	// The versions are read before the fares, so a later change is noticed when the result is copied.
	items, err := target.SeriesItems(ctx, series)
	if err != nil {
		return s, err
	}
	s.versions = map[string]int64{}
	for _, item := range items {
		s.versions[item.Sort] = item.Version
		if !item.IsSummary() {
			continue
		}
		summary, err := store.Summaries.Of(item).Value()
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return s, fmt.Errorf("read summary of %s: %w", series, err)
		}
		s.asOf = summary.AsOf
		for _, low := range summary.Lows {
			if s.oldest == 0 || low.Day < s.oldest {
				s.oldest = low.Day
			}
		}
	}
	blocks, err := target.Blocks(ctx, series, store.Strong)
	if err != nil {
		return s, err
	}
	for _, b := range blocks {
		if s.fares, err = fare.Unpack(s.fares, b.Data); err != nil {
			return s, fmt.Errorf("read history of %s: %w", series, err)
		}
	}
	s.fares = fare.Set(s.fares)
	return s, nil
}

// If an import has read more than maxFares stored fares (800 MB at 40 bytes each), it rebuilds
// only the panel's series.
const maxFares = 20_000_000

// If whole is false, known may lack series that are not in the panel.
func (i Import) known(ctx context.Context, panel *fares) (known map[fare.Series]stored, whole bool, err error) {
	known, whole = map[fare.Series]stored{}, true
	total := 0
	read := func(series fare.Series) error {
		if _, is := known[series]; is {
			return nil
		}
		s, err := i.read(ctx, series)
		known[series] = s
		total += len(s.fares)
		whole = whole && !s.fixed() && total <= maxFares
		return err
	}
	for series := range panel.bySeries {
		if err := read(series); err != nil {
			return nil, false, err
		}
	}
	target := store.Fares{Table: i.Target}
	origins, err := target.Covered(ctx, "", 0)
	if err != nil {
		return nil, false, err
	}
	for _, origin := range origins {
		listed, err := readTrends(ctx, target, origin)
		if err != nil {
			return nil, false, err
		}
		for _, series := range seriesOf(origin, listed) {
			if !whole {
				return known, false, nil
			}
			if err := read(series); err != nil {
				return nil, false, err
			}
		}
	}
	return known, whole, nil
}

func readTrends(ctx context.Context, from store.Fares, origin fare.City) (o trends.Origin, err error) {
	if o, _, err = from.Trends(ctx, origin); errors.Is(err, store.ErrNotFound) {
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("read trends of %s: %w", origin, err)
	}
	return o, nil
}

func seriesOf(origin fare.City, listed trends.Origin) (all []fare.Series) {
	for _, e := range listed.Entries {
		for _, trip := range fare.Trips() {
			all = append(all, fare.Series{Route: fare.Route{Origin: origin, Destination: e.Destination}, Trip: trip})
		}
	}
	return all
}

func (i Import) plan(ctx context.Context, panel *fares) (p plan, from *fares, err error) {
	known, whole, err := i.known(ctx, panel)
	if err != nil {
		return p, nil, err
	}
	if p.Source, err = (store.Fares{Table: i.Target}).Source(ctx); err != nil {
		return p, nil, err
	}
	p.Source, p.Panel = cmp.Or(p.Source, panel.name), panel.digest
	p.Dropped, p.Versions, p.Whole = map[upstream.Reason]int{}, map[string]map[string]int64{}, whole
	again := map[fare.Series][]fare.Observation{}
	inPanel := 0
	for series, s := range known {
		rows := panel.bySeries[series]
		inPanel += len(rows)
		more := p.choose(rows, s)
		if len(more) > 0 {
			p.Series++
			p.New += len(more)
		}
		if !s.fixed() && len(s.fares)+len(more) > 0 {
			again[series] = slices.Concat(s.fares, more)
		}
	}
	if later := i.Panel.Report().Fares - inPanel; later > 0 {
		p.Dropped[upstream.FromFuture] = later
	}
	for series := range again {
		if !p.Whole && len(panel.bySeries[series]) == 0 {
			delete(again, series) // only the panel's series are rebuilt
			continue
		}
		p.Versions[series.String()] = known[series].versions
		p.Last = max(p.Last, known[series].asOf)
	}
	from = newFares(p.Source, again)
	for day := range from.byDay() {
		if p.First == 0 {
			p.First = day
		}
		p.First, p.Last = min(p.First, day), max(p.Last, day)
	}
	p.Last = min(p.Last, fare.DayOf(i.Now())) // a wrong clock may have dated a summary in the future
	versions, err := json.Marshal(p.Versions)
	hash := sha256.New()
	_, _ = io.WriteString(hash, from.digest+string(versions)+p.Source)
	p.Digest = hex.EncodeToString(hash.Sum(nil))
	return p, from, err
}

func (p *plan) choose(rows []fare.Observation, s stored) (more []fare.Observation) {
	days, fares := map[fare.Day]bool{}, map[fare.Observation]bool{}
	for _, o := range s.fares {
		days[o.FoundDay()], fares[o] = true, true
	}
	for _, o := range rows {
		switch {
		case fares[o]:
			p.Stored++
		case s.fixed():
			p.Dropped[OldRecord]++
		case days[o.FoundDay()]:
			p.Dropped[OtherFares]++
		default:
			more = append(more, o)
		}
	}
	return more
}
