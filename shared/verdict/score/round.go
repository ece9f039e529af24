package score

import (
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// Round is what was said of a series on a day.
type Round struct {
	Day      fare.Day
	Rule     uint64
	Currency fare.Currency // of all prices
	Settled  Settled
	Departs  []Said // in order of departure; none once the fortnight is settled
	Route    *RouteSaid
}

// Settled is how much of a round is counted already.
type Settled uint8

const (
	Open Settled = iota
	WeekSettled
	FortnightSettled
)

// Said is what was said of one departure.
type Said struct {
	Depart     fare.Day
	Price      fare.Cents // hundredths
	Age        uint8      // of the fare, in days
	Sure       uint8      // 0 alta, 1 media, 2 bassa
	Percentile uint8
	Own        [Horizons]uint8 // the rule's own chance, in half percent, rounded down
	Stated     [Horizons]uint8 // as published, in percent; 40 stands for 40 and more
	Cheaper    uint8           // share of the comparables at least 5 % cheaper, in percent
	Rival      uint8           // the percentile among fares of nearly the same lead time and season; NoRival
}

// NoRival: fewer than 8 fares of nearly the same lead time and season.
const NoRival = 101

// RouteSaid is what was said of the route: of its cheapest fare of any date.
type RouteSaid struct {
	Price      fare.Cents
	Age        uint8
	Sure       uint8
	Percentile uint8
	Level      uint8
	Low, High  uint16 // the 90 % interval of the percentile, in hundredths of a point
}

// Rounds are those of a series that are not settled entirely, oldest first; the
// one of this week is always among them.
type Rounds []Round

// Source is what a refresh has at hand of a series.
type Source struct {
	Day     fare.Day             // of the refresh
	State   *departure.State     // as it is stored
	Pooled  *departure.Pooled    // of the last complete cycle
	Summary verdict.RouteSummary // of the day
	// Quotes are those of the history: one for each departure and day on which it
	// was seen, by day found. From says from which day on a refresh wants them.
	Quotes []departure.Live
}

// now is the moment as of which everything is said on a day: its noon, so that it
// does not matter at what time of the day a refresh is made, or made again.
func (s Source) now() time.Time { return s.Day.Time().Add(12 * time.Hour) }

// From is the first day of which Refresh wants to see the fares.
func (r Rounds) From(today fare.Day) fare.Day {
	if r.Due(today) {
		return 0 // the rival looks at all that was ever found
	}
	from := today
	for _, round := range r {
		if round.Settled != FortnightSettled {
			from = min(from, round.Day+1)
		}
	}
	return from
}

// Due tells whether the week of a day has no round yet.
func (r Rounds) Due(today fare.Day) bool {
	return len(r) == 0 || fare.CycleOf(r[len(r)-1].Day) < fare.CycleOf(today)
}

// Refresh settles what can be settled on the day of a refresh, and then says what there is to say.
func (r Rounds) Refresh(s Source, c *Counts) Rounds {
	kept := slices.Clone(r)
	for i := range kept {
		kept[i].settle(s, c)
	}
	if kept.Due(s.Day) {
		if round, ok := say(s); ok {
			kept = append(kept, round)
		}
	}
	return slices.DeleteFunc(kept, func(r Round) bool {
		return r.Settled == FortnightSettled &&
			r.Route == nil && r.Day <= s.Day-7
	})
}

// say makes the round of a day; false where there is nothing to say.
func say(s Source) (Round, bool) {
	r := Round{Day: s.Day, Rule: Rule, Currency: s.State.Currency, Route: sayRoute(s)}
	if day, ok := s.State.On(s.Pooled, s.Day); ok {
		for _, l := range order(day.Live(), s.Day) {
			if len(r.Departs) == PerRound {
				break
			}
			if said, ok := sayDeparture(s, day, l); ok {
				r.Departs = append(r.Departs, said)
			}
		}
	}
	slices.SortFunc(r.Departs, func(a, b Said) int { return int(a.Depart - b.Depart) })
	return r, len(r.Departs) > 0 || r.Route != nil
}

func sayDeparture(s Source, day *departure.StateDay, l departure.Live) (Said, bool) {
	a, ok, err := verdict.JudgeDeparture(s.State, s.Pooled, verdict.When{Date: l.Depart}, s.now())
	if err != nil || !ok || a.Verdetto.Percentile == nil {
		return Said{}, false
	}
	rule := *s.Pooled
	rule.Experience = nil // of the rule's own reliability it is counted whether it was overconfident
	own, ok, err := verdict.JudgeDeparture(s.State, &rule, verdict.When{Date: l.Depart}, s.now())
	if err != nil || !ok {
		return Said{}, false
	}
	said := Said{
		Depart: l.Depart, Price: l.Price, Age: uint8(s.Day - l.FoundDay()), Sure: sureOf(own.Verdetto.Affidabilita),
		Percentile: uint8(*a.Verdetto.Percentile), Rival: rival(s.Quotes, s.Day, l),
	}
	of, _ := day.Judge(l.Depart, 0)
	for h := range Horizons {
		said.Own[h] = uint8(min(ownUnit-1, math.Floor(ownUnit*of.Chance[h]+1e-9)))
	}
	for h, p := range a.Previsione {
		said.Stated[h] = uint8(math.Round(100 * p.Calo5))
	}
	cheaper, _ := day.Judge(l.Depart, max(1, fare.Cents(math.Floor(float64(l.Price)*(1-departure.Fall)))))
	said.Cheaper = uint8(departure.Percent(cheaper.Percentile))
	return said, true
}

func sayRoute(s Source) *RouteSaid {
	s.Summary.Doubted = [Sures]bool{} // as above
	a, ok := verdict.Judge(s.Summary, s.now())
	if !ok || a.Verdetto.Percentile == nil {
		return nil
	}
	live, _ := s.Summary.Cheapest(s.Day)
	percentile, _ := verdict.PercentileOf(s.Summary, s.Day)
	low, high := percentile.Interval()
	return &RouteSaid{
		Price: live.Price, Age: uint8(s.Day - live.FoundDay()), Sure: sureOf(a.Verdetto.Affidabilita),
		Percentile: uint8(*a.Verdetto.Percentile), Level: uint8(levelOf(a.Verdetto.Livello)),
		Low: uint16(math.Floor(100 * low)), High: uint16(math.Ceil(100 * high)),
	}
}

// LevelNames and SureNames are the published names, in the order of the tables of Counts.
var (
	LevelNames = [Levels]string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Caro}
	SureNames  = [Sures]string{verdict.Alta, verdict.Media, verdict.Bassa}
)

func levelOf(name string) int { return slices.Index(LevelNames[:], name) }

func sureOf(name string) uint8 { return uint8(max(0, slices.Index(SureNames[:], name))) }

// rival is what anybody could reckon: the percentile among the route's other fares,
// of the day and before, of nearly the same lead time (15 % either way) and season
// (departures 45 days either way, of any year), ties counted half; 8 of them at least.
func rival(quotes []departure.Live, today fare.Day, of departure.Live) uint8 {
	const width, season, year = .15, 45, 365
	lead := float64(of.Depart - of.FoundDay())
	cheaper, equal, n := 0, 0, 0
	for _, q := range quotes {
		day := q.FoundDay()
		if q.Depart == of.Depart && day == of.FoundDay() || day > today {
			continue
		}
		apart := ((q.Depart-of.Depart)%year + year) % year
		if ahead := float64(q.Depart - day); ahead < lead*(1-width) || ahead > lead*(1+width) ||
			apart > season && apart < year-season {
			continue
		}
		n++
		switch {
		case q.Price < of.Price:
			cheaper++
		case q.Price == of.Price:
			equal++
		}
	}
	if n < departure.MinCount {
		return NoRival
	}
	return uint8((100*cheaper + 50*equal) / n)
}
