package departure

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
)

// StopsKnown says which fares of a series a state is about.
type StopsKnown uint8

const (
	StopsUnknown StopsKnown = iota // all fares; of none the stops are known
	SomeStops                      // all fares; of those without stops there is a sheet of its own
	AllNonStop                     // all fares, and none has stops
	OnlyNonStop                    // the fares without stops, of a series that has others
)

// Live is what a departure cost on the day on which it was seen last.
type Live struct {
	Depart  fare.Day
	Price   fare.Cents // hundredths of the sheet's currency
	Found   int64      // Unix seconds
	Quoted  fare.Money // what was quoted, where that was in another currency; else nothing
	Nights  int16      // away, of a return trip
	Stops   fare.Stops
	DayOnly bool // the day of Found is known, not the moment
}

// FoundDay is the day on which the fare was seen.
func (l Live) FoundDay() fare.Day { return fare.Observation{Found: l.Found}.FoundDay() }

// Age is how long ago the fare was found.
func (l Live) Age(now time.Time) time.Duration { return max(0, now.Sub(time.Unix(l.Found, 0))) }

// Before orders fares of a departure: the cheaper first, then the newer, then the shorter stay.
func (l Live) Before(m Live) int {
	return cmp.Or(cmp.Compare(l.Price, m.Price), cmp.Compare(m.Found, l.Found), cmp.Compare(l.Nights, m.Nights),
		cmp.Compare(l.Stops, m.Stops))
}

// State is all that an answer about a departure of one series needs beside the
// pooled part. It holds what the rule has learned from the days before AsOf, and
// the fares that departures had then: those of AsOf itself are among the live
// ones only, so that a fare is judged by what was seen before its day.
type State struct {
	AsOf     fare.Day      // the day of the refresh that made it
	Currency fare.Currency // of all prices
	PerEuro  float64       // how many of its units one euro bought on AsOf
	Stops    StopsKnown
	Route    Route
	Minima   Minima // of spans of departures
	Pasts    Departures
	Facts    []byte // what else an answer says of the series, as package verdict packs it
	Live     []Live // one for each departure that had a fare within LiveDays, by day of departure
}

// NonStopOnly tells whether every fare of the state is known to be without
// stops. Where it is not, nothing can be said about flights without stops.
func (s *State) NonStopOnly() bool { return s.Stops == AllNonStop || s.Stops == OnlyNonStop }

// StateDay is a state as it is seen on a day: what its answers of that day have in common is reckoned once.
type StateDay struct {
	sheet  *State
	today  fare.Day
	asker  *RouteDay
	spans  *Minima
	minima [spans]*RouteDay // made when they are asked for
}

// On is the state as it is seen on a day; without a pooled part the rule is as
// it was before anything was learned. On a later day than its own it knows the
// fares of its own day too. ok is false for a day before it.
func (s *State) On(p *Pooled, today fare.Day) (d *StateDay, ok bool) {
	if today < s.AsOf {
		return nil, false
	}
	if p == nil {
		p = Start(today)
	}
	route, minima := &s.Route, &s.Minima
	if today > s.AsOf {
		var quotes []Quote
		for _, l := range s.Live {
			if l.FoundDay() == s.AsOf {
				quotes = append(quotes, l.on(s.AsOf))
			}
		}
		if len(quotes) > 0 {
			view := p.On(s.AsOf)
			route, minima = s.Route.clone(), s.Minima.clone()
			route.Fold(view, quotes, new(Statistics))
			minima.fold(view, s.quotes())
		}
	}
	return &StateDay{sheet: s, today: today, asker: route.On(p.On(today)), spans: minima}, true
}

func (l Live) on(day fare.Day) Quote { return Quote{int(l.Depart - day), l.Price} }

// quotes are the live fares as of the state's own day.
func (s *State) quotes() []Quote {
	all := make([]Quote, len(s.Live))
	for i, l := range s.Live {
		all[i] = l.on(s.AsOf)
	}
	return all
}

// Live lists the fares that can be shown on the day, by day of departure.
func (d *StateDay) Live() []Live {
	if d.today > d.sheet.AsOf+LiveDays {
		return nil
	}
	i, _ := d.sheet.find(d.today)
	return d.sheet.Live[i:]
}

// find is the place of a departure among the live ones.
func (s *State) find(depart fare.Day) (int, bool) {
	return slices.BinarySearchFunc(s.Live, depart, func(l Live, d fare.Day) int { return int(l.Depart - d) })
}

// LiveOf is the fare that can be shown of a departure.
func (d *StateDay) LiveOf(depart fare.Day) (Live, bool) {
	i, ok := d.sheet.find(depart)
	if !ok || depart < d.today || d.today > d.sheet.AsOf+LiveDays {
		return Live{}, false
	}
	return d.sheet.Live[i], true
}

// Judge answers for a departure at a price in the state's currency; at 0 for its
// live fare. ok is false for a departure that has left, and where 0 finds no live fare.
func (d *StateDay) Judge(depart fare.Day, price fare.Cents) (Answer, bool) {
	if depart < d.today || price < 0 {
		return Answer{}, false
	}
	if price == 0 {
		live, ok := d.LiveOf(depart)
		if !ok {
			return Answer{}, false
		}
		price = live.Price
	}
	return d.asker.Judge(d.past(depart), Quote{int(depart - d.today), price}), true
}

// past is what was seen of a departure before the day.
func (d *StateDay) past(depart fare.Day) *Past {
	past := d.sheet.Pasts[depart]
	i, ok := d.sheet.find(depart)
	if !ok || d.today == d.sheet.AsOf || d.sheet.Live[i].FoundDay() != d.sheet.AsOf {
		return past
	}
	seen := past.clone()
	seen.See(d.sheet.AsOf, d.sheet.Live[i].Price)
	return seen
}

// Quartiles says what the series' fares come to for a departure; see RouteDay.Quartiles.
func (d *StateDay) Quartiles(depart fare.Day) (Quartiles, bool) {
	return d.asker.Quartiles(int(depart - d.today))
}

// Judge answers one question; see StateDay, which is for several of a day.
// Quartiles are nothing where the answer knows no percentile, and the live fare
// is nothing where there is none.
func (s *State) Judge(p *Pooled, today, depart fare.Day, price fare.Cents) (a Answer, q Quartiles, live Live, ok bool) {
	day, ok := s.On(p, today)
	if !ok {
		return a, q, live, false
	}
	if a, ok = day.Judge(depart, price); !ok {
		return a, q, live, false
	}
	q, _ = day.Quartiles(depart)
	live, _ = day.LiveOf(depart)
	return a, q, live, true
}

func (r *Route) clone() *Route {
	c := *r
	for g, bars := range r.residuals {
		c.residuals[g] = slices.Clone(bars)
	}
	return &c
}

func (p *Past) clone() *Past {
	if p == nil {
		return new(Past)
	}
	return &Past{slices.Clone(p.lows), slices.Clone(p.moves)}
}
