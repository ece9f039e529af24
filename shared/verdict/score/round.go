package score

import (
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// Round holds the service's answers about a series on one day. Later refreshes compare the answers
// with later fares.
type Round struct {
	Day      fare.Day
	Rule     uint64
	Currency fare.Currency
	Settled  Settled
	Departs  []DepartureAnswer
	Route    *RouteAnswer
}

type Settled uint8

const (
	Open Settled = iota
	WeekSettled
	FortnightSettled
)

type DepartureAnswer struct {
	Depart     fare.Day
	Price      fare.Cents
	Age        uint8 // in days
	Sure       uint8 // 0 is alta, 1 media, 2 bassa
	Percentile uint8
	Fair       bool            // true if the level is normale, whatever the percentile
	Own        [Horizons]uint8 // the rule's chance of a fall before calibration, in units of 0.5 %, rounded down
	Stated     [Horizons]uint8 // published chance of a fall in percent, or NotStated; 40 means 40 and more
	Cheaper    uint8           // share of the comparables that are at least 5 % cheaper, in percent
	Rival      uint8           // percentile by a simple rule (see the function rival), or NoRival
}

const NotStated = 255

// NoRival is stored if the function rival found fewer than 8 similar fares.
const NoRival = 101

type RouteAnswer struct {
	Price fare.Cents
	Age   uint8
	Level uint8
}

type Rounds []Round

type Source struct {
	Day     fare.Day
	State   *departure.State
	Pooled  *departure.Pooled
	Summary verdict.RouteSummary
	// Quotes holds the quotes of at least the days from Rounds.From on, in order of day found, one per
	// departure and day.
	Quotes []departure.Live
}

// now is noon, so that answers do not depend on the time of the refresh.
func (s Source) now() time.Time { return s.Day.Time().Add(12 * time.Hour) }

func (r Rounds) From(today fare.Day) fare.Day {
	if r.Due(today) {
		return 0 // a new round needs all days, for the function rival
	}
	from := today
	for _, round := range r {
		if round.Settled != FortnightSettled {
			from = min(from, round.Day+1)
		}
	}
	return from
}

func (r Rounds) Due(today fare.Day) bool {
	return len(r) == 0 || fare.CycleOf(r[len(r)-1].Day) < fare.CycleOf(today)
}

func (r Rounds) Refresh(s Source, c *Counts) Rounds {
	kept := slices.Clone(r)
	for i := range kept {
		kept[i].settle(s, c)
	}
	if kept.Due(s.Day) {
		if round, ok := newRound(s); ok {
			kept = append(kept, round)
		}
	}
	return slices.DeleteFunc(kept, func(r Round) bool {
		return r.Settled == FortnightSettled && r.Day <= s.Day-7
	})
}

func newRound(s Source) (Round, bool) {
	r := Round{Day: s.Day, Rule: Rule, Currency: s.State.Currency, Route: answerRoute(s)}
	published, err := verdict.JudgeDepartures(s.State, s.Pooled, s.now())
	rule := *s.Pooled
	rule.Experience = nil // judge without the corrections from the score
	own, _ := verdict.JudgeDepartures(s.State, &rule, s.now())
	if day, ok := s.State.Day(s.Pooled, s.Day); ok && err == nil {
		earlier := sightings(s.Quotes, s.Day)
		for _, l := range order(day.Live(), s.Day) {
			if len(r.Departs) == PerRound {
				break
			}
			a, ok := published(l.Depart)
			if !ok || !a.Verdict.Judged() {
				continue
			}
			if own, ok := own(l.Depart); ok {
				r.Departs = append(r.Departs, answerDeparture(s, day, a, own, rival(earlier, l), l))
			}
		}
	}
	slices.SortFunc(r.Departs, func(a, b DepartureAnswer) int { return int(a.Depart - b.Depart) })
	return r, len(r.Departs) > 0 || r.Route != nil
}

func answerDeparture(s Source, day *departure.StateDay, a, own verdict.Judgement, rival uint8,
	l departure.Live) DepartureAnswer {
	answer := DepartureAnswer{
		Depart: l.Depart, Price: l.Price, Age: uint8(s.Day - l.FoundDay()), Sure: sureOf(own.Verdict.Reliability),
		Percentile: uint8(a.Verdict.Percentile), Rival: rival, Fair: a.Verdict.Level == verdict.Fair,
	}
	forecast, _ := day.Judge(l.Depart, 0)
	for h := range Horizons {
		answer.Own[h] = uint8(min(ownUnit-1, math.Floor(ownUnit*forecast.Chance[h]+1e-9)))
	}
	answer.Stated = [Horizons]uint8{NotStated, NotStated}
	for _, p := range a.Forecasts {
		for h, horizon := range departure.Horizons() {
			if p.Days == int(horizon.Days()) {
				answer.Stated[h] = uint8(math.Round(100 * p.Chance))
			}
		}
	}
	cheaper, _ := day.Judge(l.Depart, max(1, fare.Cents(math.Floor(float64(l.Price)*(1-departure.Fall)))))
	answer.Cheaper = uint8(departure.Percent(cheaper.Percentile))
	return answer
}

func answerRoute(s Source) *RouteAnswer {
	a, ok := verdict.Judge(s.Summary, s.now())
	if !ok || !a.Verdict.Judged() {
		return nil
	}
	live, _ := s.Summary.Cheapest(s.Day)
	return &RouteAnswer{live.Price, uint8(s.Day - live.FoundDay()), uint8(a.Verdict.Level.Place())}
}

var (
	LevelNames = departure.Levels
	SureNames  = [Sures]verdict.Reliability{verdict.HighReliability, verdict.MediumReliability, verdict.LowReliability}
)

func sureOf(name verdict.Reliability) uint8 { return uint8(max(0, slices.Index(SureNames[:], name))) }

type sighting struct {
	depart, day fare.Day
	price       fare.Cents
}

func sightings(quotes []departure.Live, today fare.Day) []sighting {
	all := make([]sighting, 0, len(quotes))
	for _, q := range quotes {
		if day := q.FoundDay(); day <= today {
			all = append(all, sighting{q.Depart, day, q.Price})
		}
	}
	return all
}

// rival is a simple rule with which the service's rule is compared. It returns the percentile of a
// fare among fares of a similar lead time and season.
func rival(quotes []sighting, quote departure.Live) uint8 {
	const width, season, year = .15, 45, 365
	found := quote.FoundDay()
	lead := float64(quote.Depart - found)
	least, most := lead*(1-width), lead*(1+width)
	cheaper, equal, n := 0, 0, 0
	for _, q := range quotes {
		if ahead := float64(q.depart - q.day); ahead < least || ahead > most {
			continue
		}
		apart := ((q.depart-quote.Depart)%year + year) % year
		if apart > season && apart < year-season || q.depart == quote.Depart && q.day == found {
			continue
		}
		n++
		switch {
		case q.price < quote.Price:
			cheaper++
		case q.price == quote.Price:
			equal++
		}
	}
	if n < departure.MinCount {
		return NoRival
	}
	return uint8((100*cheaper + 50*equal) / n)
}
