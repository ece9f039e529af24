// Package csvfile is a source of recorded fares: a panel in a CSV file, plain or gzipped.
//
// The columns are described in docs/fare-source.md. Files from spreadsheets may have other
// separators, encodings and names of columns. How a value with two readings is read, such as
// 03/04/2026, depends on the other rows.
//
// The file is not trusted: a Report counts the dropped rows by reason.
package csvfile

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"sort"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const (
	maxBad  = 20
	maxRows = 20_000_000
	maxText = 4_000_000_000 // bytes after decompression
)

// Panel is safe for concurrent use.
type Panel struct {
	byOrigin map[fare.City]*rows
	report   Report
}

var _ upstream.Source = (*Panel)(nil)

// rows holds the fares from one origin by destination. The method finish sorts each list by Found.
type rows struct {
	fares   map[fare.City][]fare.Observation
	leftOut map[dropped]int
}

type dropped struct {
	found  int64
	reason upstream.Reason
}

// The parameter price names a column of one-way fares. If price is empty, Open reads the column
// called price, and a row with a return_date is a return trip.
func Open(path string, comparable upstream.Comparable, price string) (*Panel, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open fares: %w", err)
	}
	defer file.Close()
	p, err := Read(file, comparable, price)
	if err != nil {
		return nil, fmt.Errorf("read fares of %s: %w", path, err)
	}
	return p, nil
}

func Read(in io.Reader, comparable upstream.Comparable, price string) (*Panel, error) {
	buffered := bufio.NewReader(in)
	in = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		zipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, damage(err)
		}
		in = archive{zipped}
	}
	in = &limited{in, maxText}
	l := &loader{lines: newLines(in), price: price, comparable: cached(comparable)}
	l.byOrigin, l.noted = map[fare.City]*rows{}, map[string]bool{}
	l.report.Dropped = map[upstream.Reason]int{}
	if err := l.load(); err != nil {
		return nil, err
	}
	return &l.Panel, nil
}

func cached(c upstream.Comparable) upstream.Comparable {
	days := map[fare.Day]fare.Rates{}
	return upstream.Comparable{CityOf: c.CityOf, Rates: func(on fare.Day) fare.Rates {
		rates, ok := days[on]
		if !ok {
			rates = c.Rates(on)
			days[on] = rates
		}
		return rates
	}}
}

type loader struct {
	Panel
	lines      *lines
	comparable upstream.Comparable
	price      string
	columns    columns
	separator  byte

	line           int
	fields         [][]byte
	days, decimals choice
	noted          map[string]bool
	undecided      []numbered // rows that later rows may explain
	final          bool
}

type numbered struct {
	line int
	text []byte
}

const maxUndecided = 1_000_000

func (l *loader) load() error {
	header, err := l.lines.next()
	for err == nil && len(bytes.TrimSpace(header)) == 0 {
		header, err = l.lines.next()
	}
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("empty file: want a header with %s", wanted)
	}
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if named, ok := bytes.CutPrefix(header, []byte("sep=")); ok && len(named) == 1 { // Excel's line sep=; may precede the header
		l.separator = named[0]
		if header, err = l.lines.next(); err != nil {
			return fmt.Errorf("header: %w", err)
		}
	} else {
		l.separator = separatorOf(header)
	}
	if l.columns, l.report.OneWayColumns, err = l.locate(header, l.price); err != nil {
		return err
	}
	for {
		line, err := l.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			l.final = true
			for _, row := range l.undecided {
				l.add(row.line, row.text)
			}
			l.finish()
			return errors.Join(l.days.check("the day", "days as YYYY-MM-DD", [2]string{"the day first", "the month first"}),
				l.decimals.check("the price", "prices as 1234.50", [2]string{"a decimal point", "a decimal comma"}))
		case errors.As(err, new(fault)):
			l.report.Rows++
			l.bad(l.lines.number, err)
			continue
		case err != nil:
			l.report.Fault = fmt.Errorf("after line %d: %w", l.lines.number, err)
			l.finish()
			return nil
		case len(bytes.TrimSpace(line)) == 0:
			continue
		case l.report.Rows == maxRows:
			l.report.Fault = fmt.Errorf("after line %d: more than %d rows", l.lines.number-1, maxRows)
			l.finish()
			return nil
		}
		l.report.Rows++
		l.add(l.lines.number, line)
	}
}

func (l *loader) add(number int, line []byte) {
	var err error
	l.line = number
	if l.fields, err = split(line, l.separator, l.fields[:0]); err == nil {
		err = l.row(l.fields)
	}
	var bad fault
	switch {
	case err == nil:
	case errors.As(err, &bad) && bad.undecided && !l.final && len(l.undecided) < maxUndecided:
		l.undecided = append(l.undecided, numbered{number, bytes.Clone(line)})
	default:
		l.bad(number, err)
	}
}

func (l *loader) bad(line int, err error) {
	reason := upstream.Malformed
	if fault := (fault{}); errors.As(err, &fault) {
		reason = fault.reason
	}
	l.report.Dropped[reason]++
	l.report.BadTotal++
	if len(l.report.Bad) < maxBad {
		l.report.Bad = append(l.report.Bad, BadRow{line, err.Error()})
	}
}

func (l *loader) row(fields [][]byte) error {
	row, err := l.read(fields)
	if err != nil {
		return err
	}
	// The file is a history, so a row is judged as of the time when its fare was found.
	f, reason := l.comparable.Fare(row, row.Found)
	if reason != "" {
		l.report.Dropped[reason]++
		if origin, ok := l.comparable.CityOf(row.Origin); ok {
			kept := l.from(origin)
			kept.leftOut[dropped{row.Found.Unix(), reason}]++
		}
		return nil
	}
	kept := l.from(f.Route.Origin)
	all := kept.fares[f.Route.Destination]
	if len(all) == cap(all) && len(all) >= 32 {
		// A short archive may hold millions of equal rows, so duplicates are removed before the slice
		// grows.
		once := distinct(all)
		l.report.Duplicates += len(all) - len(once)
		all = slices.Grow(once, len(once)/4+1)
	}
	kept.fares[f.Route.Destination] = append(all, f.Observation)
	return nil
}

func (l *loader) from(origin fare.City) *rows {
	if l.byOrigin[origin] == nil {
		l.byOrigin[origin] = &rows{fares: map[fare.City][]fare.Observation{}, leftOut: map[dropped]int{}}
	}
	return l.byOrigin[origin]
}

func (l *loader) finish() {
	r := &l.report
	slices.SortFunc(r.Bad, func(a, b BadRow) int { return cmp.Compare(a.Line, b.Line) })
	for _, kept := range l.byOrigin {
		for destination, all := range kept.fares {
			once := slices.Clone(distinct(all)) // Clone frees the memory of duplicates
			kept.fares[destination] = once
			first, last := once[0].FoundDay(), once[len(once)-1].FoundDay()
			if r.Fares == 0 {
				r.First, r.Last = first, last
			}
			r.First, r.Last = min(r.First, first), max(r.Last, last)
			r.Fares += len(once)
			r.Duplicates += len(all) - len(once)
			for _, o := range once {
				if o.Nights > 0 {
					r.Returns++
				}
			}
		}
	}
}

func distinct(all []fare.Observation) []fare.Observation {
	slices.SortFunc(all, fare.Observation.Compare)
	return slices.CompactFunc(all, fare.Observation.SameFare)
}

func (p *Panel) Name() string { return "csv" }

func (p *Panel) Report() Report {
	r := p.report
	r.Bad = slices.Clone(r.Bad)
	r.Dropped = maps.Clone(r.Dropped)
	return r
}

func (p *Panel) Origins(ctx context.Context) ([]fare.City, error) {
	var cities []fare.City
	for city, kept := range p.byOrigin {
		if len(kept.fares) > 0 {
			cities = append(cities, city)
		}
	}
	slices.Sort(cities)
	return cities, ctx.Err()
}

// Fares returns the fares found after the time since, up to the time until. If since is zero, there
// is no lower limit.
func (p *Panel) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	if err := ctx.Err(); err != nil {
		return upstream.Answer{}, err
	}
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	kept := p.byOrigin[origin]
	if kept == nil {
		return answer, nil
	}
	for left, n := range kept.leftOut {
		if (since.IsZero() || left.found > since.Unix()) && left.found <= until.Unix() {
			answer.Dropped[left.reason] += n
		}
	}
	for _, destination := range slices.Sorted(maps.Keys(kept.fares)) {
		for _, o := range window(kept.fares[destination],
			func(o fare.Observation) int64 { return o.Found }, since, until) {
			route := fare.Route{Origin: origin, Destination: destination}
			answer.Fares = append(answer.Fares, fare.Fare{Route: route, Observation: o})
		}
	}
	slices.SortStableFunc(answer.Fares, func(a, b fare.Fare) int { return cmp.Compare(a.Found, b.Found) })
	return answer, nil
}

// Routes yields the fares found up to the time until. The slices belong to the panel and must not be
// changed.
func (p *Panel) Routes(until time.Time) iter.Seq2[fare.Route, []fare.Observation] {
	return func(yield func(fare.Route, []fare.Observation) bool) {
		for origin, kept := range p.byOrigin {
			for destination, all := range kept.fares {
				all = window(all, func(o fare.Observation) int64 { return o.Found }, time.Time{}, until)
				if !yield(fare.Route{Origin: origin, Destination: destination}, all) {
					return
				}
			}
		}
	}
}

func window[T any](list []T, found func(T) int64, since, until time.Time) []T {
	first := 0
	if !since.IsZero() {
		first = sort.Search(len(list), func(i int) bool { return found(list[i]) > since.Unix() })
	}
	last := sort.Search(len(list), func(i int) bool { return found(list[i]) > until.Unix() })
	return list[min(first, last):last]
}
