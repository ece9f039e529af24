// Package csvfile is a source of recorded fares: a panel in a CSV file, plain
// or gzipped.
//
// The header names at least origin, destination, observed_date, depart_date,
// price and currency, in any order. Where it names return_date, a row in which
// that is not empty is a return, whose price is for both ways (unless Price names
// a column of one-way fares); where it names stops, they are the more of both
// ways, and empty means that they are not known. Further columns are ignored. Of
// an observed_date without a time of day the day alone is known. Prices are kept
// as they were quoted, in their currency.
//
// A file is read once, when it is opened, and kept in 24 bytes a fare. It is not
// trusted: whatever is left out is counted by its reason, what cannot be read is
// told by line as well, the rest is loaded, and nothing in it can make the reader
// hold more than the rows.
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
	maxBad  = 20         // unreadable rows that are told one by one
	maxRows = 20_000_000 // about 500 MB in memory: more is not a panel of fares but a fault or an attack
)

// Panel is a file of fares, read. It is safe for concurrent use.
type Panel struct {
	byOrigin   map[fare.City]rows
	cities     []fare.City       // by number, as in packed
	currencies []fare.Currency   // by number, as in packed
	reasons    []upstream.Reason // by number, as in leftOut
	report     Report
}

var _ upstream.Source = (*Panel)(nil)

// rows are those from one origin, in order of found: fares, and rows that were left out.
type rows struct {
	fares   []packed
	leftOut []leftOut
}

// packed is a fare in 24 bytes.
type packed struct {
	found        int64
	price        int64
	to           uint16
	lead, nights int16
	currency     uint8
	flags        uint8 // the stops, and dayOnly
}

const dayOnly = 1 << 7

func (p packed) compare(q packed) int {
	return cmp.Or(cmp.Compare(p.found, q.found), cmp.Compare(p.to, q.to), cmp.Compare(p.lead, q.lead), cmp.Compare(p.nights, q.nights),
		cmp.Compare(p.price, q.price), cmp.Compare(p.currency, q.currency), cmp.Compare(p.flags, q.flags))
}

// leftOut is a row that is no comparable fare.
type leftOut struct {
	found  int64
	reason uint8
}

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
			return nil, damage(err)
		}
		in = archive{zipped}
	}
	var chosen reading
	for _, option := range options {
		option(&chosen)
	}
	l := &loader{lines: newLines(in), chosen: chosen, comparable: cached(comparable), numbers: map[fare.City]uint16{}}
	l.byOrigin = map[fare.City]rows{}
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
	if l.columns, l.report.OneWayColumns, err = locate(header, l.chosen); err != nil {
		return err
	}
	var fields [][]byte
	for {
		line, err := l.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			l.finish()
			return nil
		case errors.As(err, new(fault)):
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
	reason := upstream.Malformed
	if fault := (fault{}); errors.As(err, &fault) {
		reason = fault.reason
	}
	l.report.Dropped[reason]++
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
			of := l.byOrigin[origin]
			of.leftOut = append(of.leftOut, leftOut{row.Found.Unix(), number(&l.reasons, reason)})
			l.byOrigin[origin] = of
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
	p := packed{
		found: f.Found, price: int64(f.Price), to: to, lead: int16(f.Depart - f.FoundDay()), nights: f.Nights,
		currency: number(&l.currencies, f.Currency), flags: uint8(f.Stops),
	}
	if f.DayOnly {
		p.flags |= dayOnly
	}
	of := l.byOrigin[f.Route.Origin]
	of.fares = append(of.fares, p)
	l.byOrigin[f.Route.Origin] = of
	return nil
}

// number is the place of a value in a list, where it is put if it is not in it.
// Neither list gets long: there are a few reasons, and some thirty currencies
// have a reference rate.
func number[T comparable](list *[]T, value T) uint8 {
	n := slices.Index(*list, value)
	if n < 0 {
		n = len(*list)
		*list = append(*list, value)
	}
	return uint8(n)
}

// finish sorts the rows, lets a fare that is listed twice count once, and counts.
func (l *loader) finish() {
	for origin, of := range l.byOrigin {
		slices.SortFunc(of.leftOut, func(a, b leftOut) int { return cmp.Compare(a.found, b.found) })
		slices.SortFunc(of.fares, packed.compare)
		once := slices.Clip(slices.Compact(of.fares))
		l.report.Duplicates += len(of.fares) - len(once)
		if len(once) > 0 {
			first, last := fare.DayOf(time.Unix(once[0].found, 0)), fare.DayOf(time.Unix(once[len(once)-1].found, 0))
			if l.report.Fares == 0 {
				l.report.First, l.report.Last = first, last
			}
			l.report.First, l.report.Last = min(l.report.First, first), max(l.report.Last, last)
		}
		l.report.Fares += len(once)
		for _, p := range once {
			if p.nights > 0 {
				l.report.Returns++
			}
		}
		l.byOrigin[origin] = rows{once, of.leftOut}
	}
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
	for city, of := range p.byOrigin {
		if len(of.fares) > 0 {
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
	of := p.byOrigin[origin]
	answer := upstream.Answer{Dropped: map[upstream.Reason]int{}}
	for _, left := range window(of.leftOut, func(l leftOut) int64 { return l.found }, since, until) {
		answer.Dropped[p.reasons[left.reason]]++
	}
	inside := window(of.fares, func(p packed) int64 { return p.found }, since, until)
	if len(inside) == 0 {
		return answer, nil
	}
	answer.Fares = make([]fare.Fare, 0, len(inside))
	for _, r := range inside {
		o := fare.Observation{
			Found: r.found, Price: fare.Cents(r.price), Currency: p.currencies[r.currency],
			Nights: r.nights, Stops: fare.Stops(r.flags &^ dayOnly), DayOnly: r.flags&dayOnly != 0,
		}
		o.Depart = o.FoundDay() + fare.Day(r.lead)
		answer.Fares = append(answer.Fares, fare.Fare{Route: fare.Route{Origin: origin, Destination: p.cities[r.to]}, Observation: o})
	}
	return answer, nil
}

// window cuts a list in order of found to what was found after since and not after until.
func window[T any](list []T, found func(T) int64, since, until time.Time) []T {
	first := 0
	if !since.IsZero() {
		// Rows are of whole seconds: one is after since exactly if its second is after since's.
		first = sort.Search(len(list), func(i int) bool { return found(list[i]) > since.Unix() })
	}
	last := sort.Search(len(list), func(i int) bool { return found(list[i]) > until.Unix() })
	return list[min(first, last):last]
}
