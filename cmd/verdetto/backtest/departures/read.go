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
)

// TripOptions are the settings of ReadTrips.
type TripOptions struct {
	Price string // the column of one-way fares; "": see ReadTrips
	Euro  func(day fare.Day) func(amount float64, currency string) (fare.Cents,
		bool) // exchange rates; nil: routes in several currencies are dropped
	asListed bool // keep rows that repeat a departure and day, as the reference program does
}

// OpenTrips reads a file, plain or gzipped.
func OpenTrips(path string, o TripOptions) (*Trips, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open panel: %w", err)
	}
	defer file.Close()
	t, err := ReadTrips(file, o)
	if err != nil {
		return nil, fmt.Errorf("read panel %s: %w", path, err)
	}
	return t, nil
}

// ReadTrips reads a panel (observed fares) of any kind. It finds columns by name, in any order, and
// ignores others.
//
//   - Days: observed_date and depart_date. Panels of flights without a calendar have
//     tdate (a day number) and days_before instead; each flight is a departure. If
//     all flights would leave on the same day, tdate only counts the days of each
//     flight. Then flights are placed on successive days in the order of the file.
//     Otherwise no earlier day would have fares of a shorter lead time.
//   - Price: price, or fare_usd. A row with a return_date and an outbound_price is a
//     one-way fare at that price. Without an outbound_price it is a round trip,
//     which is compared only with round trips of its route.
//   - If a departure has several fares on a day, the cheapest counts.
//   - Fares stay as quoted. If a route has fares in several currencies, all its fares
//     are converted to euro, at the rates of the last day of the panel.
func ReadTrips(in io.Reader, o TripOptions) (*Trips, error) {
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
	r, err := newTripReader(header, o)
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

// tripReader collects the rows of a file, and further data that is needed until all rows are read.
type tripReader struct {
	panel      Trips
	options    TripOptions
	column     map[string]int
	calendar   bool
	routes     map[string]int32
	trips      map[tripKey]int32
	currency   []unique.Handle[string]          // by row
	currencies []map[unique.Handle[string]]bool // by route

	outbound, round int // numbers of rows with a return_date
}

type tripKey struct {
	route        int32
	depart, back fare.Day
	flight       unique.Handle[string]
}

func newTripReader(header []string, o TripOptions) (*tripReader, error) {
	r := &tripReader{options: o, column: map[string]int{}, routes: map[string]int32{}, trips: map[tripKey]int32{}}
	r.panel.Dropped = map[string]int{}
	for i, name := range header {
		r.column[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	has := func(columns ...string) bool {
		return !slices.ContainsFunc(columns, func(c string) bool { _, ok := r.column[c]; return !ok })
	}
	price := strings.ToLower(o.Price)
	switch {
	case o.Price != "":
		delete(r.column, "return_date")
	case has("fare_usd"):
		price = "fare_usd"
	default:
		price = "price"
	}
	r.calendar = has("observed_date")
	switch {
	case o.Price != "" && !has(price):
		return nil, fmt.Errorf("header lacks %s", o.Price)
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

// day returns a row with the day on which the fare was found and the lead time (days before
// departure).
func (r *tripReader) day(field func(string) string) (q quote, ok bool) {
	if !r.calendar {
		day, err := strconv.Atoi(field("tdate"))
		lead, also := strconv.Atoi(field("days_before"))
		return quote{day: fare.Day(day), lead: int32(lead)}, err == nil && also == nil
	}
	seen, err := parseDay(field("observed_date"))
	leaves, also := parseDay(field("depart_date"))
	return quote{day: seen, lead: int32(leaves - seen)}, err == nil && also == nil
}

// parseDay parses a day, ignoring a time after it.
func parseDay(s string) (fare.Day, error) { return fare.ParseDay(s[:min(len(s), len("2006-01-02"))]) }

// row adds a row of the file to the panel (observed fares). If the row cannot be used, it returns
// the reason.
func (r *tripReader) row(fields []string) (dropped string) {
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
	case q.lead < 0:
		return "after departure"
	}
	name, amount := field("route"), field("price")
	if origin := field("origin"); origin != "" {
		name = origin + "-" + field("destination")
	}
	key := tripKey{depart: q.departs()}
	if !r.calendar {
		key.flight = unique.Make(field("flight"))
	}
	if back, outbound := field("return_date"), field("outbound_price"); back != "" && outbound != "" {
		amount = outbound
		r.outbound++
	} else if back != "" {
		var err error
		if key.back, err = parseDay(back); err != nil {
			return "malformed day"
		}
		name += " return"
		r.round++
	}
	price, err := strconv.ParseFloat(amount, 64)
	if q.price = fare.Cents(price*100 + .5); err != nil || !(price > 0) || price > 1e12 || q.price == 0 {
		return "no price"
	}
	r.add(q, name, key, unique.Make(field("currency")))
	return ""
}

func (r *tripReader) add(q quote, name string, key tripKey, currency unique.Handle[string]) {
	route, ok := r.routes[name]
	if !ok {
		route = int32(len(r.panel.Routes))
		name = strings.Clone(name) // do not keep the whole row in memory
		r.routes[name] = route
		r.panel.Routes = append(r.panel.Routes, name)
		r.currencies = append(r.currencies, map[unique.Handle[string]]bool{})
	}
	key.route = route
	trip, ok := r.trips[key]
	if !ok {
		trip = int32(len(r.trips))
		r.trips[key] = trip
	}
	r.currencies[route][currency] = true
	q.route, q.trip = route, trip
	r.panel.rows = append(r.panel.rows, q)
	r.currency = append(r.currency, currency)
}

// finish converts currencies, sorts the rows, and removes all but the cheapest fare of a departure
// on a day.
func (r *tripReader) finish() (*Trips, error) {
	t := &r.panel
	r.stagger()
	r.convert()
	if len(t.rows) == 0 {
		return nil, fmt.Errorf("none of %d rows is a fare of a departure: %v", t.Read, t.Dropped)
	}
	byDay := func(a, b quote) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.route, b.route), cmp.Compare(a.trip, b.trip))
	}
	if r.options.asListed {
		slices.SortStableFunc(t.rows, func(a, b quote) int {
			return cmp.Or(cmp.Compare(a.day, b.day),
				cmp.Compare(a.route, b.route))
		})
	} else {
		slices.SortFunc(t.rows, func(a, b quote) int { return cmp.Or(byDay(a, b), cmp.Compare(a.price, b.price)) })
		n := len(t.rows)
		t.rows = slices.CompactFunc(t.rows, func(a, b quote) bool { return byDay(a, b) == 0 })
		if n -= len(t.rows); n > 0 {
			t.Dropped["a cheaper fare of the departure was seen that day"] = n
		}
	}
	t.index(len(r.trips))
	if r.outbound > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d rows have a return_date and an outbound_price: that was taken as a one-way fare", r.outbound))
	}
	if r.round > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d rows are of round trips: they are compared with round trips of their route only", r.round))
	}
	return t, nil
}

// stagger handles files without a calendar, in which all flights would leave on the same day. It
// places the flights on successive days.
func (r *tripReader) stagger() {
	t := &r.panel
	apart := func(q quote) bool { return q.departs() != t.rows[0].departs() }
	if r.calendar || len(t.rows) == 0 || slices.ContainsFunc(t.rows, apart) {
		return
	}
	for i := range t.rows {
		t.rows[i].day += fare.Day(t.rows[i].trip) // trips are numbered in the order of the file
	}
	t.Notes = append(t.Notes, "flights have no calendar: they follow one another, one a day in the order of the file")
}

// convert converts all fares of a route to euro if the route has fares in several currencies. It
// uses the rates of one day, and drops fares in a currency without a rate.
func (r *tripReader) convert() {
	mixed := 0
	for _, all := range r.currencies {
		if len(all) > 1 {
			mixed++
		}
	}
	if mixed == 0 {
		return
	}
	t := &r.panel
	last := slices.MaxFunc(t.rows, func(a, b quote) int { return int(a.day - b.day) }).day
	euro := func(float64, string) (fare.Cents, bool) { return 0, false }
	if r.options.Euro != nil {
		euro = r.options.Euro(last)
	}
	kept := t.rows[:0]
	for i, q := range t.rows {
		if len(r.currencies[q.route]) > 1 {
			price, ok := euro(float64(q.price)/100, r.currency[i].Value())
			if !ok || price <= 0 {
				t.Dropped["no rate of its currency"]++
				continue
			}
			q.price = price
		}
		kept = append(kept, q)
	}
	t.rows = kept
	t.Notes = append(t.Notes, fmt.Sprintf("%d routes are quoted in several currencies: their fares were converted at the rates of %s", mixed, last))
}
