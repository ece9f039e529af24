package sample

import (
	"time"

	"verdetto/shared/fare"
)

const (
	daySeconds = 24 * 60 * 60

	ahead = 330

	sweepDays = 7

	thinAhead = 10

	// stayLooks is the number of searches per day for each range of nights.
	stayLooks = 4
)

// The random numbers of a day depend only on the route and the day, so that a search with another
// window finds the same fares.
type search struct {
	*route
	since, until int64
	fares        []fare.Fare
}

func (s *search) days() {
	for day := max(dayOf(s.since), 0); day <= dayOf(s.until); day++ {
		s.day(day)
	}
}

func dayOf(moment int64) fare.Day { return fare.DayOf(time.Unix(moment, 0)) }

func (s *search) day(day fare.Day) {
	state := mix(s.seed ^ mix(uint64(day)))
	draw := func() uint64 { state += 0x9e3779b97f4a7c15; return mix(state) }
	for range s.count(day, draw()) {
		at := day.Time().Unix() + int64(draw()%daySeconds)
		chance := draw()
		depart := day + lead(chance)
		if s.habit == thin {
			depart += thinAhead
		}
		s.seen(day, fare.Observation{Found: at, Depart: depart}, chance&1 == 0)
	}
	midnight := day.Time().Unix()
	if s.lively {
		for depart := day; depart <= day+ahead; depart++ {
			if (3*depart+day+fare.Day(s.seed%sweepDays))%sweepDays == 0 {
				s.seen(day, fare.Observation{Found: midnight, Depart: depart, DayOnly: true}, true)
			}
		}
	}
	if s.returns {
		for _, trip := range fare.Trips()[1:] {
			for range stayLooks {
				depart := day + 5 + lead(draw())
				nights := stays[trip].nights[depart%2]
				s.add(fare.Observation{
					Found: midnight, DayOnly: true, Depart: depart, Nights: int16(nights), Stops: s.stops(depart),
					Price: s.priceReturn(depart, day, trip, nights),
				})
			}
		}
	}
}

func (s *search) seen(day fare.Day, o fare.Observation, nonStop bool) {
	if o.Found <= s.since || o.Found > s.until || !s.flies(o.Depart) {
		return
	}
	o.Stops, o.Price = s.stops(o.Depart), s.price(o.Depart, day)
	if s.flights == either {
		if p := s.priceWithStop(o.Depart, day); p < o.Price {
			cheapest := o
			cheapest.Price, cheapest.Stops = p, fare.OneStop
			s.add(cheapest)
			if !nonStop {
				return
			}
		}
	}
	s.add(o)
}

func (s *search) stops(depart fare.Day) fare.Stops {
	switch {
	case s.flights != change:
		return fare.NonStop
	case s.kind == far && mix(s.seed^uint64(depart)<<10)%3 == 0:
		return fare.MoreStops
	}
	return fare.OneStop
}

func (s *search) add(o fare.Observation) {
	if o.Found > s.since && o.Found <= s.until {
		o.Currency, o.Flight = s.money.currency, s.flight(o.Depart, o.Stops)
		s.fares = append(s.fares, fare.Fare{Route: s.Route, Observation: o})
	}
}

func (r *route) count(day fare.Day, chance uint64) int {
	switch month := day.Month(); {
	case r.habit == thin && day%thinEvery != r.phase:
		return 0
	case r.habit == thin:
		return 1 + int(chance%3)
	case r.habit == summer && (month < time.February || month > time.September):
		return 0
	}
	return max(1, int(float64(r.daily)*(0.7+0.6*unit(chance))))
}

func (r *route) expected() int {
	n := r.daily
	if r.lively {
		n += ahead/sweepDays + 1
	}
	if r.flights == either {
		n *= 2
	}
	if r.returns {
		n += len(stays) * stayLooks
	}
	return n
}

func (r *route) flies(depart fare.Day) bool {
	month := depart.Month()
	return r.habit != summer || (month >= time.May && month <= time.October)
}

func lead(chance uint64) fare.Day {
	const days = 1 << 20
	within := func(from, to uint64) fare.Day { return fare.Day(from + chance>>32%(to-from+1)) }
	switch share := chance % days * 100 / days; {
	case share < 8:
		return within(0, 6)
	case share < 30:
		return within(7, 20)
	case share < 57:
		return within(21, 45)
	case share < 82:
		return within(46, 90)
	case share < 96:
		return within(91, 180)
	}
	return within(181, 320)
}
