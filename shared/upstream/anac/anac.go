// Package anac reads the record of domestic air fares of ANAC, Brazil's agency of civil aviation: how
// many seats were sold at which fare, by airline, airports and month of sale. A fare is for one way.
// ANAC divides return tickets into single ways. It leaves out tickets for miles, packages, corporate
// fares, and tickets of crews and children.
//
// The files have semicolons, and one of two headers. Until early 2025 the header is Portuguese and
// fares have a decimal comma. Later the names are those of a database, and fares have a decimal
// point. Start at Record.Read.
package anac

import (
	"bufio"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/fare/paid"
	"verdetto/shared/fare/places"
	"verdetto/shared/upstream"
)

// The name of the record and the currency of its fares.
const (
	Source   = "anac"
	Currency = "BRL"
)

// The reasons for which a row does not count, besides those of package upstream.
const (
	NoSeats    upstream.Reason = "no seat sold"
	LaterMonth upstream.Reason = "of a month that has not begun"
)

var (
	// ErrForm means that the file is not a record of domestic fares.
	ErrForm = errors.New("this is not ANAC's file of domestic fares")
	// ErrNothing means that no row of the file counts.
	ErrNothing = errors.New("no row of the file can be used")
	// ErrTwice means that two files hold the same month.
	ErrTwice = errors.New("two files hold the same month; each month must be in one file")
)

// Record sums up the files that were read. Newest is the newest month that can be in a file.
type Record struct {
	Newest  paid.Month
	Rows    int                     // of all files
	Dropped map[upstream.Reason]int // rows that do not count
	sums    map[fare.Route]map[paid.Month]*paid.Sum
	files   []string           // names
	fileOf  map[paid.Month]int // position in files
}

// headers holds the names of each column in the two forms of the file.
var headers = [][2]string{
	{"ano", "nr_ano_referencia"}, {"mes", "nr_mes_referencia"}, {"origem", "sg_icao_origem"},
	{"destino", "sg_icao_destino"}, {"tarifa", "nr_tarifa"}, {"assentos", "nr_assentos"},
}

const wanted = "ANO;MES;EMPRESA;ORIGEM;DESTINO;TARIFA;ASSENTOS"

// progressEvery is the number of rows after which Read reports its progress.
const progressEvery = 10_000

// Read adds a file. name is the name of the file, and progress is called now and then with the number
// of rows of all files. If Read fails, the record must not be used.
func (r *Record) Read(name string, file io.Reader, progress func(rows int)) error {
	if r.sums == nil {
		r.Dropped, r.fileOf = map[upstream.Reason]int{}, map[paid.Month]int{}
		r.sums = map[fare.Route]map[paid.Month]*paid.Sum{}
	}
	r.files = append(r.files, name)
	lines := bufio.NewScanner(file)
	lines.Scan()
	at, err := locate(strings.TrimPrefix(lines.Text(), "\ufeff"))
	if err = cmp.Or(lines.Err(), err); err != nil {
		return advised(err)
	}
	used := 0
	for lines.Scan() {
		r.Rows++
		if r.Rows%progressEvery == 0 && progress != nil {
			progress(r.Rows)
		}
		reason, err := r.add(strings.Split(lines.Text(), ";"), at)
		if err != nil {
			return err
		}
		if reason != "" {
			r.Dropped[reason]++
			continue
		}
		used++
	}
	if err := lines.Err(); err != nil {
		return advised(err)
	}
	if used == 0 {
		return fmt.Errorf("%w: %s", ErrNothing, r.reasons())
	}
	return nil
}

// advised says of a file with endless lines that it has the wrong form.
func advised(err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%w: a line has more than %d bytes", ErrForm, bufio.MaxScanTokenSize)
	}
	return err
}

// locate returns the position of each column in a header.
func locate(header string) (at [6]int, err error) {
	for i, names := range headers {
		at[i] = slices.IndexFunc(strings.Split(header, ";"), func(name string) bool {
			name = strings.ToLower(trimmed(name))
			return name == names[0] || name == names[1]
		})
		if at[i] < 0 {
			return at, fmt.Errorf("%w: the header lacks %s, want %s", ErrForm, strings.ToUpper(names[0]), wanted)
		}
	}
	return at, nil
}

// The limits of a row. They are far above those of any ticket, and the sum of a year cannot overflow.
const (
	maxFare  = 100_000 // BRL
	maxSeats = 100_000
)

// add adds a row, or returns the reason why it does not count. It fails if the month of the row was
// in another file.
func (r *Record) add(row []string, at [6]int) (upstream.Reason, error) {
	var fields [6]string
	for i, column := range at {
		if column >= len(row) {
			return upstream.Malformed, nil
		}
		fields[i] = trimmed(row[column])
	}
	year, err1 := strconv.Atoi(fields[0])
	month, err2 := strconv.Atoi(fields[1])
	price, err3 := decimal(fields[4])
	seats, err4 := decimal(fields[5])
	if errors.Join(err1, err2, err3, err4) != nil || year < 1990 || year > 9999 || month < 1 || month > 12 ||
		seats != math.Trunc(seats) || seats > maxSeats {
		return upstream.Malformed, nil
	}
	sold := paid.Month(12*year + month - 1)
	from, known := cityOf(fields[2])
	to, alsoKnown := cityOf(fields[3])
	switch {
	case sold > r.Newest:
		return LaterMonth, nil
	case !known || !alsoKnown:
		return upstream.UnknownPlace, nil
	case from == to:
		return upstream.SamePlace, nil
	case price < 0.01 || price > maxFare:
		return upstream.BadPrice, nil
	case seats <= 0:
		return NoSeats, nil
	}
	file := len(r.files) - 1
	if other, ok := r.fileOf[sold]; ok && other != file {
		return "", fmt.Errorf("%w: %s is in %s and in %s", ErrTwice, sold, r.files[other], r.files[file])
	}
	r.fileOf[sold] = file
	route := fare.Route{Origin: from, Destination: to}
	if r.sums[route] == nil {
		r.sums[route] = map[paid.Month]*paid.Sum{}
	}
	sum := r.sums[route][sold]
	if sum == nil {
		sum = &paid.Sum{Month: sold}
		r.sums[route][sold] = sum
	}
	sum.Seats += int64(seats)
	sum.Total += fare.Cents(math.Round(100*price) * seats)
	return "", nil
}

// trimmed returns a field without spaces and quotes.
func trimmed(field string) string { return strings.Trim(field, " \t\r\"") }

// decimal parses a number with a decimal comma or a decimal point.
func decimal(text string) (float64, error) {
	if strings.Contains(text, ",") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", ".")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}

// reasons lists the rows that do not count, for an error message.
func (r *Record) reasons() string {
	var all []string
	for reason, n := range r.Dropped {
		all = append(all, fmt.Sprintf("%d: %s", n, reason))
	}
	slices.Sort(all)
	return strings.Join(append([]string{fmt.Sprintf("%d rows", r.Rows)}, all...), "; ")
}

// Months returns the months of the files, oldest first.
func (r *Record) Months() (months []paid.Month) {
	for month := range r.fileOf {
		months = append(months, month)
	}
	slices.Sort(months)
	return months
}

// Routes returns the number of routes of cities.
func (r *Record) Routes() int { return len(r.sums) }

// Origins returns the sums by city of origin.
func (r *Record) Origins() map[fare.City]paid.Origin {
	all := map[fare.City]paid.Origin{}
	for route, months := range r.sums {
		one := paid.Route{Destination: route.Destination}
		for _, sum := range months {
			one.Months = append(one.Months, *sum)
		}
		of := all[route.Origin]
		of.Source, of.Currency, of.Routes = Source, Currency, append(of.Routes, one)
		all[route.Origin] = of
	}
	return all
}

// airports.tsv: ICAO code, IATA code. Sorted.
//
//go:generate go run ./generate
//go:embed airports.tsv
var airportsTable string

var airports = sync.OnceValue(func() map[string]fare.City {
	cities := map[string]fare.City{}
	for line := range strings.Lines(airportsTable) {
		icao, iata, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if city, ok := places.CityOf(iata); ok {
			cities[icao] = city
		}
	}
	return cities
})

// cityOf returns the city of an airport of Brazil: SAO for SBGR.
func cityOf(icao string) (fare.City, bool) {
	city, ok := airports()[icao]
	return city, ok
}
