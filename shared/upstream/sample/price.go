package sample

import (
	"sync"

	"verdetto/shared/fare"
	"verdetto/shared/fare/daytext"
)

// mix is one step of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// raw returns a price in EUR cents, which quote rounds.
func (r *route) raw(depart, found fare.Day) float64 {
	lead := depart - found
	hold := fare.Day(12)
	if lead < 21 {
		hold = 3 // in the last three weeks before departure, prices change more often
	}
	chance := mix(r.seed ^ uint64(depart)<<20)
	turn := (found + fare.Day(chance%uint64(hold))) / hold
	set := max(turn*hold-fare.Day(chance%uint64(hold)), depart-364)
	spread := 0.88 + 0.26*unit(mix(chance+uint64(turn)))
	p := r.base * weight(r.kind, depart) * curve(depart-set) * r.market(set) * spread
	if mix(r.seed^uint64(found/10)<<40)%12 == 0 {
		p *= 0.75
	}
	return p
}

func (r *route) price(depart, found fare.Day) fare.Cents {
	return max(r.money.quote(r.raw(depart, found)), r.floor)
}

func (r *route) priceWithStop(depart, found fare.Day) fare.Cents {
	share := 0.65 + 0.45*unit(mix(r.seed^uint64(depart)<<30+3))
	return max(r.money.quote(r.raw(depart, found)*share), r.floor)
}

// In stays, share is the price of a return relative to two one-way fares, and far replaces share on
// far routes.
var stays = map[fare.Trip]struct {
	nights     [2]fare.Day
	share, far float64
}{
	fare.Return1to3:  {[2]fare.Day{2, 3}, 1, 1.2},
	fare.Return4to7:  {[2]fare.Day{5, 7}, 0.96, 0.8},
	fare.Return8to14: {[2]fare.Day{10, 14}, 0.94, 0.68},
	fare.Return15:    {[2]fare.Day{21, 28}, 0.94, 0.7},
}

func (r *route) priceReturn(depart, found fare.Day, trip fare.Trip, nights fare.Day) fare.Cents {
	share := stays[trip].share
	if r.kind == far {
		share = stays[trip].far
	}
	return max(r.money.quote((r.raw(depart, found)+r.raw(depart+nights, found))*share), r.floor)
}

// weekdays are price factors by weekday of departure, Sunday first.
var weekdays = [7]float64{1.2, 1.04, 0.88, 0.9, 1, 1.15, 1.06}

// bends are the corners of the curve of price factors by lead time in days.
var bends = []struct{ lead, times float64 }{
	{0, 1.85}, {3, 1.65}, {6, 1.5}, {8, 1.3}, {14, 1.17}, {21, 1.08}, {30, 0.98}, {44, 0.85}, {50, 0.78}, {85, 0.78},
	{95, 0.9}, {180, 1}, {365, 1.08},
}

var curveTable = func() (table [366]float64) {
	i := 0
	for lead := range table {
		for float64(lead) > bends[i+1].lead {
			i++
		}
		a, b := bends[i], bends[i+1]
		table[lead] = a.times + (b.times-a.times)*(float64(lead)-a.lead)/(b.lead-a.lead)
	}
	return table
}()

func curve(lead fare.Day) float64 { return curveTable[min(max(lead, 0), 365)] }

type kind int

const (
	city kind = iota
	beach
	far
	kinds
)

var peaks = [kinds]float64{city: 0.35, beach: 0.9, far: 0.25}

// weights caches the price factor of each day of departure until 2070.
var weights = sync.OnceValue(func() (all [kinds][]float64) {
	for k := range kinds {
		for depart := range fare.Day(100 * 366) {
			all[k] = append(all[k], weigh(k, depart))
		}
	}
	return all
})

func weight(k kind, depart fare.Day) float64 {
	if known := weights()[k]; int(depart) < len(known) {
		return known[depart]
	}
	return weigh(k, depart)
}

// weigh adds 4 to the day because day 0, 1970-01-01, was a Thursday.
func weigh(k kind, depart fare.Day) float64 { return season(k, depart) * weekdays[(depart+4)%7] }

func season(k kind, depart fare.Day) float64 {
	t := depart.Time()
	day := t.YearDay()
	bump := func(from, to int, height float64) float64 {
		if day < from || day > to {
			return 0
		}
		x := float64(day-from) / float64(to-from)
		return height * min(4*x, 4*(1-x), 1)
	}
	s := 0.92 + bump(152, 258, peaks[k])
	if day >= 351 || day <= 6 {
		s += 0.6
	}
	if gap := depart - daytext.Easter(t.Year()); gap >= -6 && gap <= 3 {
		s += 0.3
	}
	return s - bump(10, 60, 0.14) - bump(305, 345, 0.14)
}

func (r *route) market(day fare.Day) float64 {
	const apart = 21
	i := day / apart
	x := float64(day%apart) / apart
	at := func(i fare.Day) float64 { return 0.72 + 0.6*unit(mix(r.seed^uint64(i)<<50)) }
	return at(i)*(1-x) + at(i+1)*x
}
