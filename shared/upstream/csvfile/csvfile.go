// Package csvfile is a source of recorded fares: a panel in a CSV file, plain
// or gzipped.
//
// The header names at least origin, destination, observed_date, depart_date,
// price and currency, in any order; further columns are ignored, but for
// return_date, which makes a round trip of a row where it is not empty (unless
// Price names a column of one-way fares). A date
// of observation may carry a time of day; without one it means 00:00 UTC.
//
// A file is read once, when it is opened, and kept in 24 bytes a row. It is not
// trusted: what cannot be read is reported by line and the rest is loaded, and
// nothing in it can make the reader hold more than the rows.
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
	"maps"
	"os"
	"slices"
	"sort"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const (
	maxBad  = 20         // bad rows that are reported one by one
	maxRows = 20_000_000 // about 500 MB in memory: more is not a panel of fares but a fault or an attack
)

// Panel is a file of fares, read. It is safe for concurrent use.
type Panel struct {
	byOrigin map[fare.City][]packed // in order of found
	cities   []fare.City            // by number, as in packed
	reasons  []upstream.Reason      // by number, as in packed; the first is ""
	report   Report
}

var _ upstream.Source = (*Panel)(nil)

// packed is a row: a fare, or one that was left out and why.
type packed struct {
	found  int64
	depart fare.Day
	price  int32 // fare.MaxPrice is far below its bound
	to     uint16
	reason uint8
}

func (p packed) compare(q packed) int {
	return cmp.Or(cmp.Compare(p.found, q.found), cmp.Compare(p.to, q.to), cmp.Compare(p.depart, q.depart),
		cmp.Compare(p.price, q.price), cmp.Compare(p.reason, q.reason))
}

// Report says how the reading of a file went.
type Report struct {
	Rows       int // behind the header, blank lines apart
	Fares      int // different comparable ones
	Duplicates int // rows that repeat another
	Dropped    map[upstream.Reason]int
	Bad        []BadRow // the first of the rows that cannot be read
	BadTotal   int      // all of them
	Fault      error    // why the reading ended before the file did, or nil
}

// BadRow is a row that cannot be read.
type BadRow struct {
	Line int // of the file, from 1, the header
	Why  string
}

func (b BadRow) String() string { return fmt.Sprintf("line %d: %s", b.Line, b.Why) }

// Option is a choice of how a file is read.
type Option func(*reading)

// reading is what the options choose.
type reading struct{ price string }

// Price takes the price from another column than "price": one that holds
// one-way fares, in the row's currency, whatever its return_date says.
func Price(column string) Option { return func(r *reading) { r.price = column } }

// Open reads a file. It fails where the file cannot be opened, is empty or lacks
// columns; anything else that is wrong with it is in the Report.
func Open(path string, comparable upstream.Comparable, options ...Option) (*Panel, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open fares: %w", err)
	}
	defer file.Close()
	p, err := Read(file, comparable, options...)
	if err != nil {
		return nil, fmt.Errorf("read fares of %s: %w", path, err)
	}
	return p, nil
}

// Read is Open of what is open already. It tells gzip by its first bytes.
func Read(in io.Reader, comparable upstream.Comparable, options ...Option) (*Panel, error) {
	buffered := bufio.NewReader(in)
	in = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		zipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("un-gzip: %w", err)
		}
		in = zipped
	}
	var chosen reading
	for _, option := range options {
		option(&chosen)
	}
	l := &loader{lines: newLines(in), chosen: chosen, comparable: cached(comparable), numbers: map[fare.City]uint16{}}
	l.byOrigin = map[fare.City][]packed{}
	l.reasons = []upstream.Reason{""}
	l.report.Dropped = map[upstream.Reason]int{}
	if err := l.load(); err != nil {
		return nil, err
	}
	return &l.Panel, nil
}

// cached remembers the rates of each day, of which a panel has few.
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

// loader fills a Panel.
type loader struct {
	Panel
	lines      *lines
	comparable upstream.Comparable
	chosen     reading
	columns    columns
	numbers    map[fare.City]uint16
}

func (l *loader) load() error {
	header, err := l.lines.next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("empty file: want a header with %s", wanted)
	}
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if l.columns, err = locate(header, l.chosen); err != nil {
		return err
	}
	var fields [][]byte
	for {
		line, err := l.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			l.finish()
			return nil
		case errors.Is(err, errLong):
			l.report.Rows++
			l.bad(err)
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
		if fields, err = split(line, fields[:0]); err == nil {
			err = l.row(fields)
		}
		if err != nil {
			l.bad(err)
		}
	}
}

// bad notes that the present row cannot be read.
func (l *loader) bad(err error) {
	l.report.BadTotal++
	if len(l.report.Bad) < maxBad {
		l.report.Bad = append(l.report.Bad, BadRow{l.lines.number, err.Error()})
	}
}

// row judges a record. A row that can be read but not compared is kept beside
// the fares where its origin is known, so that answers can count it.
func (l *loader) row(fields [][]byte) error {
	row, err := l.columns.read(fields)
	if err != nil {
		return err
	}
	// Each row is judged as of its own day: a panel is the past, and until is applied when asked.
	f, reason := l.comparable.Fare(row, row.Found)
	if reason != "" {
		l.report.Dropped[reason]++
		if origin, ok := l.comparable.CityOf(row.Origin); ok {
			l.byOrigin[origin] = append(l.byOrigin[origin], packed{found: row.Found.Unix(), reason: l.reasonNumber(reason)})
		}
		return nil
	}
	to, ok := l.numbers[f.Route.Destination]
	if !ok {
		// City codes are three letters: there are no more than 17,576.
		to = uint16(len(l.cities))
		l.numbers[f.Route.Destination] = to
		l.cities = append(l.cities, f.Route.Destination)
	}
	l.report.Fares++
	l.byOrigin[f.Route.Origin] = append(l.byOrigin[f.Route.Origin],
		packed{found: f.Found, depart: f.Depart, price: int32(f.Price), to: to})
	return nil
}

func (l *loader) reasonNumber(reason upstream.Reason) uint8 {
	n := slices.Index(l.reasons, reason)
	if n < 0 {
		n = len(l.reasons)
		l.reasons = append(l.reasons, reason)
	}
	return uint8(n)
}

// finish sorts the rows and lets a fare that is listed twice count once.
func (l *loader) finish() {
	for origin, rows := range l.byOrigin {
		slices.SortFunc(rows, packed.compare)
		once := slices.CompactFunc(rows, func(a, b packed) bool { return a == b && a.reason == 0 })
		l.report.Duplicates += len(rows) - len(once)
		l.byOrigin[origin] = slices.Clip(once)
	}
	l.report.Fares -= l.report.Duplicates
}

// Name implements upstream.Source.
func (p *Panel) Name() string { return "csv" }

// Report says how the reading went.
func (p *Panel) Report() Report {
	r := p.report
	r.Bad = slices.Clone(r.Bad)
	r.Dropped = maps.Clone(r.Dropped)
	return r
}

// Origins lists the cities from which the file has fares.
func (p *Panel) Origins(ctx context.Context) ([]fare.City, error) {
	var cities []fare.City
	for city, rows := range p.byOrigin {
		if slices.ContainsFunc(rows, func(r packed) bool { return r.reason == 0 }) {
			cities = append(cities, city)
		}
	}
	slices.Sort(cities)
	return cities, ctx.Err()
}

// Fares gives the file's rows of that window. A zero since means from the beginning.
func (p *Panel) Fares(ctx context.Context, origin fare.City, since, until time.Time) (upstream.Answer, error) {
	if err := ctx.Err(); err != nil {
		return upstream.Answer{}, err
	}
	rows := p.byOrigin[origin]
	first := 0
	if !since.IsZero() {
		// Rows are of whole seconds: one is after since exactly if its second is after since's.
		first = sort.Search(len(rows), func(i int) bool { return rows[i].found > since.Unix() })
	}
	last := sort.Search(len(rows), func(i int) bool { return rows[i].found > until.Unix() })
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	if first >= last {
		return answer, nil
	}
	answer.Fares = make([]fare.Fare, 0, last-first)
	for _, r := range rows[first:last] {
		if r.reason != 0 {
			answer.Dropped[p.reasons[r.reason]]++
			continue
		}
		answer.Fares = append(answer.Fares, fare.Fare{
			Route:       fare.Route{Origin: origin, Destination: p.cities[r.to]},
			Observation: fare.Observation{Found: r.found, Depart: r.depart, Price: fare.Cents(r.price)},
		})
	}
	return answer, nil
}
