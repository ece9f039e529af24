// Package paid holds what passengers paid on routes from a city, by month of sale. The figures come
// from a public record of sold tickets. They do not say what a fare costs now, so no sample and no
// percentile contains them. The package does no I/O. Start at Origin.
package paid

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/fare/packed"
)

// Kept is the number of calendar months of a route that are kept, up to the newest month.
const Kept = 12

// Month is a month: 12 times the year, plus 0 for January to 11 for December.
type Month int32

// String returns the month in the form 2026-01.
func (m Month) String() string { return fmt.Sprintf("%04d-%02d", m/12, m%12+1) }

// Sum is what passengers paid for all seats that were sold in one month.
type Sum struct {
	Month Month
	Seats int64      // at least 1
	Total fare.Cents // in the currency of the record
}

// Route holds the months of one destination, oldest first.
type Route struct {
	Destination fare.City
	Months      []Sum
}

// Origin holds what passengers paid on the routes from one city.
type Origin struct {
	Source   string // short name of the record
	Currency string // ISO 4217
	Routes   []Route
}

// Mean is the mean price of the seats that were sold in the months from First to Last.
type Mean struct {
	First, Last Month
	Price       fare.Cents
	Seats       int64
}

// Mean returns the mean over the months that are kept for a destination. It returns false if there
// are none.
func (o Origin) Mean(destination fare.City) (m Mean, ok bool) {
	i := slices.IndexFunc(o.Routes, func(r Route) bool { return r.Destination == destination })
	if i < 0 || len(o.Routes[i].Months) == 0 {
		return Mean{}, false
	}
	months := o.Routes[i].Months
	m.First, m.Last = months[0].Month, months[len(months)-1].Month
	var total float64
	for _, s := range months {
		m.Seats += s.Seats
		total += float64(s.Total)
	}
	m.Price = fare.Cents(total/float64(m.Seats) + 0.5)
	return m, true
}

// Merge replaces the given months of all routes by the fresh sums, and drops months that are not
// kept. The result does not depend on the order in which months are merged. A record of another
// source replaces everything.
func (o Origin) Merge(fresh Origin, months []Month) Origin {
	byCity := map[fare.City][]Sum{}
	if o.Source == fresh.Source && o.Currency == fresh.Currency {
		for _, r := range o.Routes {
			byCity[r.Destination] = slices.DeleteFunc(slices.Clone(r.Months),
				func(s Sum) bool { return slices.Contains(months, s.Month) })
		}
	}
	for _, r := range fresh.Routes {
		byCity[r.Destination] = append(byCity[r.Destination], r.Months...)
	}
	merged := Origin{Source: fresh.Source, Currency: fresh.Currency}
	for city, sums := range byCity {
		if len(sums) == 0 {
			continue
		}
		slices.SortFunc(sums, func(a, b Sum) int { return cmp.Compare(a.Month, b.Month) })
		newest := sums[len(sums)-1].Month
		sums = slices.DeleteFunc(sums, func(s Sum) bool { return s.Month <= newest-Kept })
		merged.Routes = append(merged.Routes, Route{city, sums})
	}
	slices.SortFunc(merged.Routes, func(a, b Route) int { return cmp.Compare(a.Destination, b.Destination) })
	return merged
}

const format = 1

// Encode packs an Origin into about 8 bytes per month of a route.
func (o Origin) Encode() []byte {
	w := packed.NewWriter(format, 16+128*len(o.Routes))
	w.Bytes([]byte(o.Source))
	w.Bytes([]byte(o.Currency))
	w.Uint(uint64(len(o.Routes)))
	for _, r := range o.Routes {
		w.Bytes([]byte(r.Destination))
		w.Uint(uint64(len(r.Months)))
		last := Month(0)
		for _, s := range r.Months {
			w.Uint(uint64(s.Month - last))
			w.Uint(uint64(s.Seats))
			w.Uint(uint64(s.Total))
			last = s.Month
		}
	}
	return w
}

var errRange = errors.New("a value that cannot be")

// Decode parses the bytes that Encode returned.
func Decode(data []byte) (o Origin, err error) {
	r := packed.NewReader(data, format)
	o.Source, o.Currency = string(r.Bytes()), string(r.Bytes())
	for range r.Count(int64(r.Uint() & (1<<31 - 1))) {
		one := Route{Destination: fare.City(r.Bytes())}
		last := uint64(0)
		for range r.Count(int64(r.Uint() & (1<<31 - 1))) {
			month, seats, total := last+r.Uint(), r.Uint(), r.Uint()
			if month > 12*9999+11 || month < last || seats == 0 || seats > 1<<62 || total > 1<<62 {
				r.Fail(errRange)
				break
			}
			one.Months = append(one.Months, Sum{Month(month), int64(seats), fare.Cents(total)})
			last = month
		}
		o.Routes = append(o.Routes, one)
	}
	if err := r.Err(); err != nil {
		return Origin{}, fmt.Errorf("decode what passengers paid: %w", err)
	}
	return o, nil
}
