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

	"verdetto/shared/fare"
)

// Trips is a panel of single departures, each seen on some days. One row is the
// cheapest fare of a departure seen on a day; rows are in order of day, then of
// route and departure.
type Trips struct {
	Routes  []string // by number
	rows    []quote
	trips   int // how many different departures there are
	byTrip  []int32
	tripAt  []int32 // where the rows of each trip begin in byTrip
	Dropped map[string]int
	Read    int      // rows of the file
	Notes   []string // what was done with rows that are not plain one-way fares
}

// quote is a row. A trip is a departure of a route, or of a route and a day of return.
type quote struct {
	route, trip int32
	day         fare.Day
	lead        int32
	price       fare.Cents // as quoted, in hundredths
}

func (q quote) departs() fare.Day { return q.day + fare.Day(q.lead) }

// TripOptions say how a file is read.
type TripOptions struct {
	Price    string                                                                      // the column of one-way fares; "": as ReadTrips says
	Euro     func(day fare.Day) func(amount float64, currency string) (fare.Cents, bool) // rates; nil: routes of several currencies keep one
	asListed bool                                                                        // rows that repeat a departure and day all stay, as in the reference
}

// columnNames are the headers under which a column is known.
var columnNames = map[string][]string{
	"origin":      {"origin"},
	"destination": {"destination"},
	"route":       {"route"},
	"observed":    {"observed_date"},
	"depart":      {"depart_date"},
	"return":      {"return_date"},
	"price":       {"price", "fare_usd"},
	"outbound":    {"outbound_price"},
	"currency":    {"currency"},
	"flight":      {"flight"},
	"day":         {"tdate"},
	"lead":        {"days_before"},
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

// ReadTrips reads a panel without being told of what kind it is. Columns are
// found by their names, in any order, and others are ignored.
//
//   - Days: observed_date and depart_date; or, of flights without a calendar,
//     tdate (a day number) and days_before, and each flight is a departure.
//     Where tdate only counts the days of each flight's own life, so that all
//     would leave on the same day, flights follow one another, one a day in the
//     order of the file: else no fare of a shorter lead time would ever be past.
//   - Price: price, or fare_usd. Of a row with a return_date it is
//     outbound_price where there is one, as a one-way fare; else the row is of a
//     round trip, which is compared with round trips of its route only.
//   - Several fares of a departure on a day count as one, the cheapest.
//   - Fares stay as quoted. Where a route is quoted in several currencies all of
//     its fares are converted, at the rates of the last day of the panel.
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
			break
		}
		var malformed *csv.ParseError
		if err != nil && !errors.As(err, &malformed) {
			return nil, fmt.Errorf("after row %d: %w", r.panel.Read, err)
		}
		r.panel.Read++
		if err != nil {
			r.panel.Dropped["malformed"]++
			continue
		}
		if why := r.row(fields); why != "" {
			r.panel.Dropped[why]++
		}
	}
	return r.finish()
}

// tripReader collects rows, with what is needed until all of them are known.
type tripReader struct {
	panel           Trips
	options         TripOptions
	column          map[string]int
	routes          map[string]int32
	trips           map[tripKey]int32
	days            map[string]fare.Day
	codes           map[string]string // of currencies, each held once
	currency        []string          // of each row
	currencies      []map[string]bool
	outbound, round int
}

type tripKey struct {
	route        int32
	depart, back fare.Day
	flight       string
}

func newTripReader(header []string, o TripOptions) (*tripReader, error) {
	r := &tripReader{options: o, column: map[string]int{}, routes: map[string]int32{}, trips: map[tripKey]int32{}, days: map[string]fare.Day{}, codes: map[string]string{}}
	r.panel.Dropped = map[string]int{}
	at := map[string]int{}
	for i, name := range header {
		at[strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))] = i
	}
	for column, names := range columnNames {
		for _, name := range names {
			if i, ok := at[name]; ok {
				r.column[column] = i
			}
		}
	}
	if o.Price != "" {
		i, ok := at[strings.ToLower(o.Price)]
		if !ok {
			return nil, fmt.Errorf("header lacks %s", o.Price)
		}
		r.column["price"] = i
		delete(r.column, "return")
	}
	has := func(columns ...string) bool {
		return !slices.ContainsFunc(columns, func(c string) bool { _, ok := r.column[c]; return !ok })
	}
	switch {
	case !has("price"):
		return nil, fmt.Errorf("header lacks %s", strings.Join(columnNames["price"], " or "))
	case !has("origin", "destination") && !has("route"):
		return nil, errors.New("header lacks origin and destination (or route)")
	case !has("observed", "depart") && !has("day", "lead"):
		return nil, errors.New("header lacks observed_date and depart_date (or tdate and days_before)")
	}
	return r, nil
}

// field is a column of a row; "" where the file or the row lacks it.
func (r *tripReader) field(fields []string, column string) string {
	i, ok := r.column[column]
	if !ok || i >= len(fields) {
		return ""
	}
	return strings.TrimSpace(fields[i])
}

// date reads a day, which may carry a time.
func (r *tripReader) date(s string) (fare.Day, bool) {
	if len(s) > len("2006-01-02") {
		s = s[:len("2006-01-02")]
	}
	day, ok := r.days[s]
	if !ok {
		var err error
		if day, err = fare.ParseDay(s); err != nil {
			return 0, false
		}
		r.days[strings.Clone(s)] = day
	}
	return day, true
}

// row takes a row in, or says why not.
func (r *tripReader) row(fields []string) (dropped string) {
	var q quote
	var key tripKey
	if _, calendar := r.column["observed"]; calendar {
		seen, ok := r.date(r.field(fields, "observed"))
		leaves, also := r.date(r.field(fields, "depart"))
		if !ok || !also {
			return "malformed day"
		}
		q.day, q.lead = seen, int32(leaves-seen)
	} else {
		day, err := strconv.Atoi(r.field(fields, "day"))
		lead, also := strconv.Atoi(r.field(fields, "lead"))
		if err != nil || also != nil {
			return "malformed day"
		}
		q.day, q.lead, key.flight = fare.Day(day), int32(lead), r.field(fields, "flight")
	}
	if q.lead < 0 {
		return "after departure"
	}
	name := r.field(fields, "route")
	if origin := r.field(fields, "origin"); origin != "" {
		name = origin + "-" + r.field(fields, "destination")
	}
	amount := r.field(fields, "price")
	if back := r.field(fields, "return"); back != "" {
		if outbound := r.field(fields, "outbound"); outbound != "" {
			amount = outbound
			r.outbound++
		} else {
			day, ok := r.date(back)
			if !ok {
				return "malformed day"
			}
			key.back = day
			name += " return"
			r.round++
		}
	}
	price, err := strconv.ParseFloat(amount, 64)
	if q.price = fare.Cents(price*100 + .5); err != nil || !(price > 0) || price > 1e12 || q.price == 0 {
		return "no price"
	}
	route, ok := r.routes[name]
	if !ok {
		route = int32(len(r.panel.Routes))
		name = strings.Clone(name)
		r.routes[name] = route
		r.panel.Routes = append(r.panel.Routes, name)
		r.currencies = append(r.currencies, map[string]bool{})
	}
	key.route, key.depart = route, q.departs()
	trip, ok := r.trips[key]
	if !ok {
		trip = int32(len(r.trips))
		key.flight = strings.Clone(key.flight)
		r.trips[key] = trip
	}
	currency, ok := r.codes[r.field(fields, "currency")]
	if !ok {
		currency = strings.Clone(r.field(fields, "currency"))
		r.codes[currency] = currency
	}
	r.currencies[route][currency] = true
	q.route, q.trip = route, trip
	r.panel.rows = append(r.panel.rows, q)
	r.currency = append(r.currency, currency)
	return ""
}

// finish converts, sorts and reduces the rows.
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
		slices.SortStableFunc(t.rows, func(a, b quote) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.route, b.route)) })
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

// stagger lays flights without a calendar one after another, if they all leave on the same day.
func (r *tripReader) stagger() {
	t := &r.panel
	if _, calendar := r.column["observed"]; calendar || len(t.rows) == 0 {
		return
	}
	for _, q := range t.rows {
		if q.departs() != t.rows[0].departs() {
			return
		}
	}
	for i := range t.rows {
		t.rows[i].day += fare.Day(t.rows[i].trip) // trips are numbered as they come
	}
	t.Notes = append(t.Notes, "flights have no calendar: they follow one another, one a day in the order of the file")
}

// index lists the rows of each trip, in order of day.
func (t *Trips) index(trips int) {
	t.trips = trips
	t.tripAt = make([]int32, trips+1)
	for _, q := range t.rows {
		t.tripAt[q.trip+1]++
	}
	for i := range trips {
		t.tripAt[i+1] += t.tripAt[i]
	}
	t.byTrip = make([]int32, len(t.rows))
	next := slices.Clone(t.tripAt)
	for i, q := range t.rows {
		t.byTrip[next[q.trip]] = int32(i)
		next[q.trip]++
	}
}

// of is the rows of a trip.
func (t *Trips) of(trip int32) []int32 { return t.byTrip[t.tripAt[trip]:t.tripAt[trip+1]] }

// convert brings the routes that are quoted in several currencies to euros, at
// one set of rates. Fares in a currency without a rate cannot be compared, and are dropped.
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
	last := fare.Day(0)
	for _, q := range t.rows {
		last = max(last, q.day)
	}
	euro := func(float64, string) (fare.Cents, bool) { return 0, false }
	if r.options.Euro != nil {
		euro = r.options.Euro(last)
	}
	kept := t.rows[:0]
	for i, q := range t.rows {
		if len(r.currencies[q.route]) > 1 {
			price, ok := euro(float64(q.price)/100, r.currency[i])
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
