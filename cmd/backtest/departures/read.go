package departures

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unique"

	"verdetto/shared/fare"
	"verdetto/shared/upstream/ecb"
)

type euroAt func(day fare.Day) func(amount float64, currency string) (fare.Cents, bool)

// The parameter price names the column of one-way fares, by default fare_usd or price.
func Open(path, price string) (*Panel, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open panel: %w", err)
	}
	defer file.Close()
	p, err := read(file, price, func(day fare.Day) func(float64, string) (fare.Cents, bool) { return ecb.Table().RatesOn(day).Euro })
	if err != nil {
		return nil, fmt.Errorf("read panel: %w", err)
	}
	return p, nil
}

// read finds columns by name and ignores others. Panels without a calendar have tdate (a day number),
// days_before and perhaps flight instead of observed_date and depart_date.
func read(in io.Reader, price string, euro euroAt) (*Panel, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	in = buffered
	if magic, _ := buffered.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		zipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("un-gzip: %w", err)
		}
		in = zipped
	}
	lines := csv.NewReader(in)
	lines.ReuseRecord, lines.FieldsPerRecord = true, -1
	header, err := lines.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("empty file: want a header with origin, destination, observed_date, depart_date and price")
	}
	if err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	r, err := newReader(header, price, euro)
	if err != nil {
		return nil, err
	}
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return r.finish()
		}
		why := "malformed"
		switch {
		case err == nil:
			why = r.row(fields)
		case !errors.As(err, new(*csv.ParseError)):
			return nil, fmt.Errorf("after row %d: %w", r.panel.Read, err)
		}
		r.panel.Read++
		if why != "" {
			r.panel.Dropped[why]++
		}
	}
}

type reader struct {
	panel      Panel
	euro       euroAt
	column     map[string]int
	calendar   bool
	routes     map[string]int32
	departures map[key]int32
	currency   []unique.Handle[string]
	currencies []map[unique.Handle[string]]bool

	outbound int
}

type key struct {
	route  int32
	depart fare.Day
	flight unique.Handle[string]
}

func newReader(header []string, oneWay string, euro euroAt) (*reader, error) {
	r := &reader{euro: euro, column: map[string]int{}, routes: map[string]int32{}, departures: map[key]int32{}}
	r.panel.Dropped = map[string]int{}
	for i, name := range header {
		r.column[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	has := func(columns ...string) bool {
		return !slices.ContainsFunc(columns, func(c string) bool { _, ok := r.column[c]; return !ok })
	}
	price := strings.ToLower(oneWay)
	switch {
	case oneWay != "":
		delete(r.column, "return_date")
	case has("fare_usd"):
		price = "fare_usd"
	default:
		price = "price"
	}
	r.calendar = has("observed_date")
	switch {
	case oneWay != "" && !has(price):
		return nil, fmt.Errorf("header lacks %s", oneWay)
	case !has(price):
		return nil, errors.New("header lacks price or fare_usd")
	case !has("origin", "destination") && !has("route"):
		return nil, errors.New("header lacks origin and destination (or route)")
	case !has("observed_date", "depart_date") && !has("tdate", "days_before"):
		return nil, errors.New("header lacks observed_date and depart_date (or tdate and days_before)")
	}
	r.column["price"] = r.column[price]
	return r, nil
}

func (r *reader) day(field func(string) string) (q Row, ok bool) {
	if !r.calendar {
		day, err := strconv.Atoi(field("tdate"))
		lead, also := strconv.Atoi(field("days_before"))
		return Row{Day: fare.Day(day), Lead: int32(lead)}, err == nil && also == nil
	}
	seen, err := parseDay(field("observed_date"))
	leaves, also := parseDay(field("depart_date"))
	return Row{Day: seen, Lead: int32(leaves - seen)}, err == nil && also == nil
}

func parseDay(s string) (fare.Day, error) { return fare.ParseDay(s[:min(len(s), len("2006-01-02"))]) }

func (r *reader) row(fields []string) (dropped string) {
	field := func(column string) string {
		if i, ok := r.column[column]; ok && i < len(fields) {
			return strings.TrimSpace(fields[i])
		}
		return ""
	}
	q, ok := r.day(field)
	switch {
	case !ok:
		return "malformed day"
	case q.Lead < 0:
		return "after departure"
	}
	name, amount := field("route"), field("price")
	if origin := field("origin"); origin != "" {
		name = origin + "-" + field("destination")
	}
	k := key{depart: q.departs()}
	if !r.calendar {
		k.flight = unique.Make(field("flight"))
	}
	if back, outbound := field("return_date"), field("outbound_price"); back != "" && outbound != "" {
		amount = outbound
		r.outbound++
	} else if back != "" {
		return "round trip"
	}
	price, err := strconv.ParseFloat(amount, 64)
	if q.Price = fare.Cents(price*100 + .5); err != nil || !(price > 0) || price > 1e12 || q.Price == 0 {
		return "no price"
	}
	r.add(q, name, k, unique.Make(field("currency")))
	return ""
}

func (r *reader) add(q Row, name string, k key, currency unique.Handle[string]) {
	route, ok := r.routes[name]
	if !ok {
		route = int32(len(r.panel.Routes))
		name = strings.Clone(name) // do not keep the whole row in memory
		r.routes[name] = route
		r.panel.Routes = append(r.panel.Routes, name)
		r.currencies = append(r.currencies, map[unique.Handle[string]]bool{})
	}
	k.route = route
	departure, ok := r.departures[k]
	if !ok {
		departure = int32(len(r.departures))
		r.departures[k] = departure
	}
	r.currencies[route][currency] = true
	q.Route, q.Departure = route, departure
	r.panel.Rows = append(r.panel.Rows, q)
	r.currency = append(r.currency, currency)
}

func (r *reader) finish() (*Panel, error) {
	t := &r.panel
	if len(t.Rows) == 0 {
		return nil, fmt.Errorf("none of %d rows is a fare of a departure: %v", t.Read, t.Dropped)
	}
	r.stagger()
	r.convert()
	byDay := func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Route, b.Route), cmp.Compare(a.Departure, b.Departure))
	}
	slices.SortFunc(t.Rows, func(a, b Row) int { return cmp.Or(byDay(a, b), cmp.Compare(a.Price, b.Price)) })
	n := len(t.Rows)
	t.Rows = slices.CompactFunc(t.Rows, func(a, b Row) bool { return byDay(a, b) == 0 })
	if n -= len(t.Rows); n > 0 {
		t.Dropped["a cheaper fare of the departure was seen that day"] = n
	}
	t.Departures = len(r.departures)
	t.index()
	if r.outbound > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d rows have a return_date and an outbound_price: that was taken as a one-way fare", r.outbound))
	}
	return t, nil
}

// If all flights of a file without a calendar leave on the same day number, tdate counts the days of
// each flight. So stagger moves the flights to successive days.
func (r *reader) stagger() {
	t := &r.panel
	apart := func(q Row) bool { return q.departs() != t.Rows[0].departs() }
	if r.calendar || slices.ContainsFunc(t.Rows, apart) {
		return
	}
	for i := range t.Rows {
		t.Rows[i].Day += fare.Day(t.Rows[i].Departure) // each flight is a day later than the flight before it in the file
	}
	t.Notes = append(t.Notes, "flights have no calendar: they follow one another, one a day in the order of the file")
}

// convert converts the fares of a route with several currencies to euro, at the rates of the panel's
// last day.
func (r *reader) convert() {
	t := &r.panel
	last := slices.MaxFunc(t.Rows, func(a, b Row) int { return int(a.Day - b.Day) }).Day
	euro, mixed := r.euro(last), map[int32]bool{}
	t.perCent = make([]float64, len(t.Routes))
	kept := t.Rows[:0]
	for i, q := range t.Rows {
		t.perCent[q.Route] = 1
		if len(r.currencies[q.Route]) > 1 {
			mixed[q.Route] = true
			price, ok := euro(float64(q.Price)/100, r.currency[i].Value())
			if !ok || price <= 0 {
				t.Dropped["no rate of its currency"]++
				continue
			}
			q.Price = price
		} else if cents, ok := euro(1000, r.currency[i].Value()); ok { // 1000 instead of 1, for a precise rate
			t.perCent[q.Route] = float64(cents) / 100_000
		}
		kept = append(kept, q)
	}
	t.Rows = kept
	if len(mixed) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d routes are quoted in several currencies: their fares were converted at the rates of %s", len(mixed), last))
	}
}
