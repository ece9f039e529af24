package sample

import (
	"time"

	"verdetto/shared/fare"
)

// mix spreads the bits of a number: equal inputs, equal outputs, and otherwise
// nothing to be seen of the input.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// unit makes a number in [0,1) of mixed bits.
func unit(x uint64) float64 { return float64(x>>11) / (1 << 53) }

// price is what a seat on depart costs when looked for on found.
//
// A price moves for two reasons. Every so many days it is set anew, from the
// time left until departure, from where the route's market stands and from
// chance; between two settings it stays. And now and then a route is on sale,
// all departures at once. What comes out is a step of the ladder, so that small
// causes move nothing, and never under the route's floor.
func (r *route) price(depart, found fare.Day) fare.Cents {
	lead := depart - found
	hold := fare.Day(12)
	if lead < 21 {
		hold = 3 // the last weeks are restless
	}
	chance := mix(r.seed ^ uint64(depart)<<20)
	turn := (found + fare.Day(chance%uint64(hold))) / hold
	set := max(turn*hold-fare.Day(chance%uint64(hold)), depart-364)
	spread := 0.88 + 0.26*unit(mix(chance+uint64(turn)))
	p := r.base * r.season(depart) * weekdays[(depart+4)%7] * curve(depart-set) * r.market(set) * spread
	if mix(r.seed^uint64(found/10)<<40)%12 == 0 {
		p *= 0.75
	}
	return max(ladder(fare.Cents(p)), r.floor)
}

// weekdays weigh the days of departure, Sunday first. (1970-01-01 was a Thursday.)
var weekdays = [7]float64{1.2, 1.04, 0.88, 0.9, 1, 1.15, 1.06}

// bends are the points between which the price of a departure moves as it
// comes nearer: cheapest 45 to 89 days ahead, dear in the last six days.
var bends = []struct{ lead, times float64 }{
	{0, 1.85}, {3, 1.65}, {6, 1.5}, {8, 1.3}, {14, 1.17}, {21, 1.08}, {30, 0.98}, {44, 0.85}, {50, 0.78}, {85, 0.78}, {95, 0.9}, {180, 1}, {365, 1.08},
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

// season weighs a day of departure: summer, most of all by the sea; the weeks
// of Christmas; the days about Easter; and cheap months between.
func (r *route) season(depart fare.Day) float64 {
	t := depart.Time()
	day := t.YearDay()
	bump := func(from, to int, height float64) float64 {
		if day < from || day > to {
			return 0
		}
		x := float64(day-from) / float64(to-from)
		return height * min(4*x, 4*(1-x), 1)
	}
	peak := 0.35
	switch {
	case r.beach:
		peak = 0.9
	case r.far:
		peak = 0.25
	}
	s := 0.92 + bump(152, 258, peak) // June to mid September
	if day >= 351 || day <= 6 {
		s += 0.6
	}
	if gap := depart - easter(t.Year()); gap >= -6 && gap <= 3 {
		s += 0.3
	}
	return s - bump(10, 60, 0.14) - bump(305, 345, 0.14)
}

// easter is Easter Sunday of the Gregorian calendar, by the rule of full moons and Sundays.
func easter(year int) fare.Day {
	golden := year % 19
	century := year / 100
	epact := (century - century/4 - (8*century+13)/25 + 19*golden + 15) % 30
	epact -= epact / 28 * (1 - epact/28*(29/(epact+1))*((21-golden)/11))
	sunday := (year + year/4 + epact + 2 - century + century/4) % 7
	offset := epact - sunday // days after 28 March
	return fare.DayOf(time.Date(year, time.March, 28+offset, 0, 0, 0, 0, time.UTC))
}

// market is where a route's prices stand on a day: it wanders between points
// three weeks apart.
func (r *route) market(day fare.Day) float64 {
	const apart = 21
	i := day / apart
	x := float64(day%apart) / apart
	at := func(i fare.Day) float64 { return 0.72 + 0.6*unit(mix(r.seed^uint64(i)<<50)) }
	return at(i)*(1-x) + at(i+1)*x
}

// ladder rounds down to the prices that airlines like, which all end in 99 cents.
func ladder(p fare.Cents) fare.Cents {
	step := fare.Cents(50_00)
	switch {
	case p < 30_00:
		step = 2_50
	case p < 60_00:
		step = 5_00
	case p < 150_00:
		step = 10_00
	case p < 400_00:
		step = 20_00
	}
	p -= p % step
	p -= p % 1_00 // 12.50 is quoted as 11.99
	return max(p, 10_00) - 1
}
