package fare

import (
	"cmp"
	"slices"

	"verdetto/shared/fare/packed"
)

// Legend numbers the distinct combinations of flags and flight of some fares, so that packed fares
// do not repeat them.
type Legend struct {
	airports []Airport
	rows     []legendRow
	unit     int16 // common divisor of all durations
	index    map[legendKey]int
	numbers  []numbered // set instead of rows in a decoded Legend
}

type numbered struct {
	legendKey
	isOpen bool // each fare states its own duration
}

type legendKey struct {
	flags  uint64
	flight Flight
}

// A legendRow takes one number for each of its durations. Without durations it takes one number,
// and each fare states its own duration.
type legendRow struct {
	legendKey
	minutes []int16
	first   int
}

func NewLegend(n int, at func(i int) (flags uint64, f Flight)) *Legend {
	counts := map[legendKey]map[int16]int{}
	for i := range n {
		key, minutes := keyOf(at(i))
		if counts[key] == nil {
			counts[key] = map[int16]int{}
		}
		counts[key][minutes]++
	}
	l := &Legend{index: map[legendKey]int{}}
	total := map[legendKey]int{}
	for key, durations := range counts {
		row := legendRow{legendKey: key}
		for minutes, n := range durations {
			total[key] += n
			row.minutes = append(row.minutes, minutes)
			l.unit = GCD(l.unit, minutes)
		}
		if 2*len(row.minutes) > total[key]+1 {
			row.minutes = nil // few fares share a duration, so each fare states its own
		}
		slices.Sort(row.minutes)
		l.rows = append(l.rows, row)
		l.airports = append(l.airports, key.flight.From, key.flight.To)
	}
	slices.SortFunc(l.rows, func(a, b legendRow) int {
		return cmp.Or(total[b.legendKey]-total[a.legendKey], cmp.Compare(a.flags, b.flags), a.flight.Compare(b.flight))
	})
	slices.SortFunc(l.airports, func(a, b Airport) int { return cmp.Compare(a.pack(), b.pack()) })
	l.airports, l.unit = slices.Compact(l.airports), max(1, l.unit)
	size := 0
	for i := range l.rows {
		row := &l.rows[i]
		row.first, l.index[row.legendKey] = size, i
		size += max(1, len(row.minutes))
	}
	return l
}

func keyOf(flags uint64, f Flight) (legendKey, int16) {
	minutes := f.Minutes
	f.Minutes = 0
	return legendKey{flags, f}, minutes
}

func GCD[T int16 | Cents](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

func (l *Legend) Encode(w *packed.Writer) {
	w.Uint(uint64(len(l.airports)))
	for _, a := range l.airports {
		w.Uint16(a.pack())
	}
	w.Uint(uint64(l.unit))
	w.Uint(uint64(len(l.rows)))
	for _, row := range l.rows {
		w.Uint(row.flags)
		w.Uint(uint64(slices.Index(l.airports, row.flight.From)))
		w.Uint(uint64(slices.Index(l.airports, row.flight.To)))
		w.Uint16(row.flight.Airline.pack())
		w.Uint(uint64(len(row.minutes)))
		before := int16(0)
		for _, m := range row.minutes {
			w.Uint(uint64((m - before) / l.unit))
			before = m
		}
	}
}

// Put must get a combination of flags and flight that NewLegend got.
func (l *Legend) Put(w *packed.Writer, flags uint64, f Flight) {
	key, minutes := keyOf(flags, f)
	row := &l.rows[l.index[key]]
	if len(row.minutes) == 0 {
		w.Uint(uint64(row.first))
		w.Uint(uint64(minutes / l.unit))
		return
	}
	at, _ := slices.BinarySearch(row.minutes, minutes)
	w.Uint(uint64(row.first + at))
}

func DecodeLegend(r *packed.Reader) *Legend {
	l := &Legend{airports: make([]Airport, r.Len())}
	ok := true
	for i := range l.airports {
		var known bool
		l.airports[i], known = unpackAirport(r.Uint16())
		ok = ok && known
	}
	unit := r.Uint()
	ok = ok && unit > 0 && unit <= MaxMinutes
	for range r.Len() {
		flags := r.Uint()
		from, to := r.Uint(), r.Uint()
		airline, known := unpackAirline(r.Uint16())
		durations := r.Len()
		if ok = ok && known && max(from, to) < uint64(len(l.airports)); !ok {
			break
		}
		n := numbered{legendKey{flags, Flight{From: l.airports[from], To: l.airports[to], Airline: airline}}, durations == 0}
		if n.isOpen {
			l.numbers = append(l.numbers, n)
		}
		sum := uint64(0)
		for range durations {
			if sum += min(r.Uint(), MaxMinutes) * unit; sum > MaxMinutes {
				ok = false
				break
			}
			n.flight.Minutes = int16(sum)
			l.numbers = append(l.numbers, n)
		}
	}
	if !ok {
		r.Fail(errFlight)
		return &Legend{unit: 1}
	}
	l.unit = int16(unit)
	return l
}

func (l *Legend) Get(r *packed.Reader) (flags uint64, f Flight) {
	at := r.Uint()
	if at >= uint64(len(l.numbers)) {
		r.Fail(errFlight)
		return 0, f
	}
	n := &l.numbers[at]
	if !n.isOpen {
		return n.flags, n.flight
	}
	minutes := min(r.Uint(), MaxMinutes) * uint64(l.unit)
	if minutes > MaxMinutes {
		r.Fail(errFlight)
		return 0, Flight{}
	}
	f = n.flight
	f.Minutes = int16(minutes)
	return n.flags, f
}
