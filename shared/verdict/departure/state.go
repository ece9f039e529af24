package departure

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
)

// StopsKnown states which fares of a series (route and kind of trip) a departure state covers, and
// whether their stops are known.
type StopsKnown uint8

const (
	StopsUnknown StopsKnown = iota // all fares; the number of stops is unknown for all
	SomeStops                      // all fares; the non-stop fares also have a state of their own
	AllNonStop                     // all fares; all are non-stop
	OnlyNonStop                    // only the non-stop fares of a series that also has fares with stops
)

// Live is the newest known price of a departure, with the time when it was found.
type Live struct {
	Depart  fare.Day
	Price   fare.Cents // hundredths of the state's currency
	Found   int64      // Unix seconds
	Quoted  fare.Money // the quoted amount, if in another currency; else zero
	Nights  int16      // length of stay of a return trip
	Stops   fare.Stops
	DayOnly bool // only the day of Found is known
	Flight  fare.Flight
}

// FoundDay returns the UTC day on which the fare was found.
func (l Live) FoundDay() fare.Day { return fare.Observation{Found: l.Found}.FoundDay() }

// Age returns the time since the fare was found.
func (l Live) Age(now time.Time) time.Duration { return max(0, now.Sub(time.Unix(l.Found, 0))) }

// Better reports whether the flight of a fare is better than that of another fare with the same
// price: it has fewer stops, or as many and takes less time. An unknown flight is not compared.
func (l Live) Better(m Live) bool {
	a, known := l.Stops.Number()
	b, both := m.Stops.Number()
	if !known || !both || a != b {
		return known && both && a < b
	}
	return l.Flight.Minutes > 0 && l.Flight.Minutes < m.Flight.Minutes
}

// Before orders fares of the same departure: the cheaper first, then the newer, then the shorter
// stay, then fewer stops.
func (l Live) Before(m Live) int {
	return cmp.Or(cmp.Compare(l.Price, m.Price), cmp.Compare(m.Found, l.Found), cmp.Compare(l.Nights, m.Nights),
		cmp.Compare(l.Stops, m.Stops))
}

// State is the departure state of a series (route and kind of trip). With the pooled statistics
// (sums over all routes) it answers questions about departures of the series. It has learned from
// the fares of the days before AsOf. The fares of the day AsOf are only in Live, so a fare is
// compared only with fares of earlier days.
type State struct {
	AsOf     fare.Day      // the day of the refresh that built it
	Currency fare.Currency // of all prices
	PerEuro  float64       // units of Currency that one euro bought on AsOf
	Stops    StopsKnown
	Route    Route
	Minima   Minima // for the cheapest fares of ranges of dates
	Pasts    Departures
	Facts    []byte // further facts about the series for answers, packed by package verdict
	Live     []Live // one for each departure with a fare within LiveDays, by day of departure
	// Airlines limits the departures that answers are about. They are compared with all fares. It is
	// not stored.
	Airlines fare.Airlines
}

// NonStopOnly reports whether every fare of the state is known to be non-stop. If not, the state
// cannot answer questions about non-stop flights.
func (s *State) NonStopOnly() bool { return s.Stops == AllNonStop || s.Stops == OnlyNonStop }

// StateDay is a departure state on one day. It computes values that several answers of that day
// need only once.
type StateDay struct {
	state  *State
	today  fare.Day
	asker  *RouteDay
	folded *View            // of the state's own day, if its fares are folded; else nil
	minima [spans]*RouteDay // computed on first use
}

// Day prepares a state for answers on a day. If p is nil, the rule uses the constants of rule.json.
// If today is after AsOf, the fares of the day AsOf are folded (added) first. ok is false if today
// is before AsOf.
func (s *State) Day(p *Pooled, today fare.Day) (d *StateDay, ok bool) {
	if today < s.AsOf {
		return nil, false
	}
	if p == nil {
		p = Start(today)
	}
	d = &StateDay{state: s, today: today}
	route := &s.Route
	if today > s.AsOf {
		var quotes []Quote
		for _, l := range s.Live {
			if l.FoundDay() == s.AsOf {
				quotes = append(quotes, l.quote(s.AsOf))
			}
		}
		if len(quotes) > 0 {
			d.folded, route = p.View(s.AsOf), s.Route.clone()
			route.Day(d.folded, s.quotes(s.AsOf)).Fold(quotes, nil)
		}
	}
	d.asker = route.Day(p.View(today), s.quotes(today))
	return d, true
}

func (l Live) quote(day fare.Day) Quote { return Quote{int(l.Depart - day), l.Price} }

// quotes returns the departures on sale on a day: the departures with a fare found at most LiveDays
// days before.
func (s *State) quotes(today fare.Day) []Quote {
	all := make([]Quote, 0, len(s.Live))
	for _, l := range s.Live {
		if l.Depart >= today && l.FoundDay() >= today-LiveDays {
			all = append(all, l.quote(today))
		}
	}
	return all
}

// Live returns the live fares of the departures that have not left, by day of departure. It returns
// nil if the state is more than LiveDays days old. Fares of unwanted airlines are left out.
func (d *StateDay) Live() []Live {
	if d.today > d.state.AsOf+LiveDays {
		return nil
	}
	i, _ := d.state.find(d.today)
	all := d.state.Live[i:]
	if d.state.Airlines == "" {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all),
		func(l Live) bool { return !d.state.Airlines.Include(l.Flight.Airline) })
}

// AddCurve adds to sums what the live departures contribute to the lead-time curve. It is for the
// first refresh of a series while no pooled statistics are known; see Pooled.StartCurve.
func (s *State) AddCurve(sums *Statistics) {
	s.Route.Day(Start(s.AsOf).View(s.AsOf), s.quotes(s.AsOf)).addCurve(sums)
}

// find returns the index in s.Live of a departure day, or of the next later one if the day has no
// fare.
func (s *State) find(depart fare.Day) (int, bool) {
	return slices.BinarySearchFunc(s.Live, depart, func(l Live, d fare.Day) int { return int(l.Depart - d) })
}

// LiveFare returns the live fare (found in the last 7 days) of a departure. It returns false if the
// departure has no live fare of a wanted airline.
func (d *StateDay) LiveFare(depart fare.Day) (Live, bool) {
	i, ok := d.state.find(depart)
	if !ok || depart < d.today || d.today > d.state.AsOf+LiveDays ||
		!d.state.Airlines.Include(d.state.Live[i].Flight.Airline) {
		return Live{}, false
	}
	return d.state.Live[i], true
}

// Judge judges a price of a departure, in the state's currency. If price is 0, it judges the live
// fare (found in the last 7 days). ok is false if the departure has left, or if price is 0 and
// there is no live fare.
func (d *StateDay) Judge(depart fare.Day, price fare.Cents) (Answer, bool) {
	if depart < d.today || price < 0 {
		return Answer{}, false
	}
	if price == 0 {
		live, ok := d.LiveFare(depart)
		if !ok {
			return Answer{}, false
		}
		price = live.Price
	}
	return d.asker.Judge(d.past(depart), Quote{int(depart - d.today), price}), true
}

// past returns the price history of a departure before the day of d.
func (d *StateDay) past(depart fare.Day) *Past {
	past := d.state.Pasts[depart]
	i, ok := d.state.find(depart)
	if !ok || d.today == d.state.AsOf || d.state.Live[i].FoundDay() != d.state.AsOf {
		return past
	}
	seen := past.clone()
	seen.See(d.state.AsOf, d.state.Live[i].Price)
	return seen
}

// Lowest returns the lowest price of a departure in the 60 days before the day of d, and the last
// day with that price. ok is false if the departure was not seen in these 60 days.
func (d *StateDay) Lowest(depart fare.Day) (on fare.Day, price fare.Cents, ok bool) {
	return d.past(depart).lowest(d.today)
}

// Quartiles returns the usual prices for a departure; see RouteDay.Quartiles.
func (d *StateDay) Quartiles(depart fare.Day) (Quartiles, bool) {
	return d.asker.Quartiles(Quote{Lead: int(depart - d.today)})
}

// Median returns the median of Quartiles.
func (d *StateDay) Median(depart fare.Day) (fare.Cents, bool) {
	return d.asker.Quantile(Quote{Lead: int(depart - d.today)}, .5)
}

// Judge answers a single question about a departure. For several questions on one day, use Day. The
// Quartiles are zero if there are too few fares for a percentile. live is zero if there is no live
// fare (found in the last 7 days).
func (s *State) Judge(p *Pooled, today, depart fare.Day, price fare.Cents) (a Answer, q Quartiles, live Live, ok bool) {
	day, ok := s.Day(p, today)
	if !ok {
		return a, q, live, false
	}
	if a, ok = day.Judge(depart, price); !ok {
		return a, q, live, false
	}
	q, _ = day.Quartiles(depart)
	live, _ = day.LiveFare(depart)
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
