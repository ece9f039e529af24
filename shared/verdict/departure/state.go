package departure

import (
	"cmp"
	"slices"
	"time"

	"verdetto/shared/fare"
)

type StopsKnown uint8

const (
	StopsUnknown StopsKnown = iota
	SomeStops               // not all of the fares are known to be non-stop
	AllNonStop
	OnlyNonStop // the state has only the non-stop fares of a series that also has others
)

type Live struct {
	Depart  fare.Day
	Price   fare.Cents
	Found   int64      // Unix seconds
	Quoted  fare.Money // zero if quoted in the currency of Price
	Nights  int16
	Stops   fare.Stops
	DayOnly bool
	Flight  fare.Flight
}

func (l Live) Return() fare.Day {
	if l.Nights <= 0 {
		return 0
	}
	return l.Depart + fare.Day(l.Nights)
}

func (l Live) FoundAt() time.Time { return time.Unix(l.Found, 0).UTC() }

func (l Live) FoundDay() fare.Day { return fare.Observation{Found: l.Found}.FoundDay() }

func (l Live) Age(now time.Time) time.Duration { return max(0, now.Sub(time.Unix(l.Found, 0))) }

// Better reports whether the flight has fewer stops than that of m, or as many and takes less time.
// It returns false if the stops of either flight are unknown.
func (l Live) Better(m Live) bool {
	a, known := l.Stops.Number()
	b, both := m.Stops.Number()
	if !known || !both || a != b {
		return known && both && a < b
	}
	return l.Flight.Minutes > 0 && l.Flight.Minutes < m.Flight.Minutes
}

// Before orders fares of the same departure: cheaper first, then newer, then the shorter stay, then
// by Stops.
func (l Live) Before(m Live) int {
	return cmp.Or(cmp.Compare(l.Price, m.Price), cmp.Compare(m.Found, l.Found), cmp.Compare(l.Nights, m.Nights),
		cmp.Compare(l.Stops, m.Stops))
}

// State has learned from the fares of the days before AsOf. The fares of AsOf are only in Live, so
// that a fare judged on that day is not compared with itself.
type State struct {
	AsOf     fare.Day
	Currency fare.Currency
	PerEuro  float64
	Stops    StopsKnown
	Route    Route
	Minima   Minima
	Facts    []byte // further facts for answers, packed by package verdict
	Live     []Live // one for each departure with a live fare, in order of departure
	// Airlines limits the departures that answers are about, but not the fares with which the
	// departures are compared. Airlines is not stored.
	Airlines fare.Airlines

	pasts   Departures // nil until unpacked
	packed  []byte     // the histories as stored; nil if DecodeState did not read this state
	asked   *Past
	askedOf fare.Day
}

func (s *State) Unpack() (err error) {
	if s.pasts == nil && s.packed != nil {
		s.pasts, err = DecodeDepartures(s.packed)
	}
	if s.pasts == nil {
		s.pasts = Departures{}
	}
	return err
}

// Changes of the returned map change the state.
func (s *State) departures() Departures {
	_ = s.Unpack() // DecodeState verified the checksum, so Unpack should not fail
	return s.pasts
}

func (s *State) past(depart fare.Day) *Past {
	if s.pasts == nil && s.packed != nil && s.askedOf == 0 {
		s.asked, s.askedOf = find(s.packed, depart), depart
	}
	if s.pasts == nil && s.askedOf == depart {
		return s.asked
	}
	return s.departures()[depart]
}

// Unless NonStopOnly is true, the state cannot answer questions about non-stop flights.
func (s *State) NonStopOnly() bool { return s.Stops == AllNonStop || s.Stops == OnlyNonStop }

type StateDay struct {
	state  *State
	today  fare.Day
	asker  *RouteDay
	folded *View // the view with which the fares of the day AsOf were folded; nil if none were
	minima [spans]*RouteDay
}

// If p is nil, Day uses only the constants of rule.json. ok is false if today is before AsOf.
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

func (l *Live) quote(day fare.Day) Quote { return Quote{int(l.Depart - day), l.Price} }

func (s *State) quotes(today fare.Day) []Quote {
	all, since := make([]Quote, 0, len(s.Live)), (today - LiveDays).Time().Unix()
	for i := range s.Live {
		if l := &s.Live[i]; l.Depart >= today && l.Found >= since {
			all = append(all, l.quote(today))
		}
	}
	return all
}

// Live returns the live fares of the selected airlines, by day of departure, or nil if the state is
// more than LiveDays old.
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

// AddCurve adds what the live departures contribute to the lead-time curve; see Pooled.StartCurve.
func (s *State) AddCurve(sums *Statistics) {
	s.Route.Day(Start(s.AsOf).View(s.AsOf), s.quotes(s.AsOf)).addCurve(sums)
}

func (s *State) find(depart fare.Day) (int, bool) {
	return slices.BinarySearchFunc(s.Live, depart, func(l Live, d fare.Day) int { return int(l.Depart - d) })
}

func (d *StateDay) LiveFare(depart fare.Day) (Live, bool) {
	i, ok := d.state.find(depart)
	if !ok || depart < d.today || d.today > d.state.AsOf+LiveDays ||
		!d.state.Airlines.Include(d.state.Live[i].Flight.Airline) {
		return Live{}, false
	}
	return d.state.Live[i], true
}

// Judge judges the live fare if price is 0. It returns false if the departure has left, or if there
// is no live fare to judge.
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

func (d *StateDay) past(depart fare.Day) *Past {
	past := d.state.past(depart)
	i, ok := d.state.find(depart)
	if !ok || d.today == d.state.AsOf || d.state.Live[i].FoundDay() != d.state.AsOf {
		return past
	}
	seen := past.clone()
	seen.See(d.state.AsOf, d.state.Live[i].Price)
	return seen
}

// Lowest returns the lowest price of a departure on the 60 days before today, and the last of these
// days with that price.
func (d *StateDay) Lowest(depart fare.Day) (on fare.Day, price fare.Cents, ok bool) {
	return d.past(depart).lowest(d.today)
}

func (d *StateDay) Quartiles(depart fare.Day) (Quartiles, bool) {
	return d.asker.Quartiles(Quote{Lead: int(depart - d.today)})
}

func (d *StateDay) Usual(depart fare.Day) Quartiles {
	return d.asker.Usual(Quote{Lead: int(depart - d.today)})
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
