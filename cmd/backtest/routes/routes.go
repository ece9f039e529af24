// Package routes replays recorded fares day by day, lets the service's own rule judge the routes, and
// measures how fares changed after each level. Start at Run.
package routes

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/csvfile"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/verdict"
)

type Panel map[fare.Route][]fare.Observation

// Open reads a file as the service does, so that routes join cities and not airports.
func Open(path, price string, messages io.Writer) (Panel, error) {
	file, err := csvfile.Open(path, upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().RatesOn}, price)
	if err != nil {
		return nil, err
	}
	file.Report().Print(messages)
	if err := file.Report().UsableOneWay(); err != nil {
		return nil, err
	}
	origins, err := file.Origins(context.Background())
	if err != nil {
		return nil, err
	}
	panel := Panel{}
	for _, origin := range origins {
		answer, err := file.Fares(context.Background(), origin, time.Time{}, time.Unix(1<<40, 0))
		if err != nil {
			return nil, err
		}
		for _, f := range answer.Fares {
			if f.Nights == 0 {
				panel[f.Route] = append(panel[f.Route], f.Observation)
			}
		}
	}
	return panel, nil
}

type span struct {
	first, from, to fare.Day // first day of the panel, first day of verdicts, last day
	cycle           fare.Day
	rates           fare.Rates
}

// Fares in several currencies are compared at the rates of the panel's last day.
func spanOf(panel Panel, o stats.Days) (span, error) {
	s := span{cycle: fare.Day(max(o.Cycle, 1))}
	last := fare.Day(0)
	for _, observations := range panel {
		for _, seen := range observations {
			d := seen.FoundDay()
			if s.first == 0 || d < s.first {
				s.first = d
			}
			last = max(last, d)
		}
	}
	s.from, s.to, s.rates = max(s.first, o.From), last, ecb.Table().RatesOn(last)
	if o.To != 0 {
		s.to = min(s.to, o.To)
	}
	if s.from > s.to {
		return s, fmt.Errorf("the panel holds %s to %s, and no day of the range lies in it", s.first, last)
	}
	return s, nil
}

func Run(panel Panel, o stats.Days) (Report, error) {
	s, err := spanOf(panel, o)
	if err != nil {
		return Report{}, err
	}
	routes := slices.SortedFunc(maps.Keys(panel), func(a, b fare.Route) int { return strings.Compare(a.String(), b.String()) })
	replays := make([][]judgement, len(routes))
	stats.Parallel(len(routes), func(i int) { replays[i] = replay(panel[routes[i]], s) })
	m := newMeasures(s, len(routes))
	for route, judged := range replays {
		m.add(route, judged)
	}
	if m.verdicts == 0 {
		return Report{}, fmt.Errorf("no route has %d days of fares before one of the days from %s to %s", verdict.MinSample, s.from, s.to)
	}
	return m.report(), nil
}

type judgement struct {
	day    fare.Day
	price  fare.Cents // cheapest fare, in the currency of the route
	level  int        // index in levels, or unjudged if there are too few days for a verdict
	lowest [len(fallWithin)]fare.Cents
}

// The verdict of a day does not depend on fares found later.
func replay(observations []fare.Observation, s span) (days []judgement) {
	observations = slices.Clone(observations)
	slices.SortFunc(observations, fare.Observation.Compare)
	observations, _ = verdict.InOneCurrency(slices.Compact(observations), s.rates)
	if len(observations) == 0 {
		return nil
	}
	quotes := quotesOf(observations, s)
	summaries := verdict.NewDays(observations, verdict.Options{Rates: s.rates})
	for day := s.first; day <= s.to; day += s.cycle {
		if day < observations[0].FoundDay() {
			continue
		}
		summary := summaries.Summary(day)
		live, ok := summary.Cheapest(day)
		if !ok {
			continue
		}
		j := judgement{day: day, price: live.Price, level: unjudged}
		if percentile, ok := verdict.PercentileAt(summary, live.Price); ok {
			j.level = percentile.Level().Place()
		}
		for i, within := range fallWithin {
			if until := day + within; until <= s.to {
				j.lowest[i] = lowest(quotes[live.Depart], day, until)
			}
		}
		days = append(days, j)
	}
	return days
}

type quote struct {
	day   fare.Day
	price fare.Cents
}

func quotesOf(observations []fare.Observation, s span) map[fare.Day][]quote {
	all := map[fare.Day][]quote{}
	for _, o := range observations {
		day := o.FoundDay()
		if day > s.to || day > o.Depart || (day-s.first)%s.cycle != 0 {
			continue
		}
		quotes := all[o.Depart]
		if n := len(quotes); n > 0 && quotes[n-1].day == day {
			quotes[n-1].price = min(quotes[n-1].price, o.Price)
		} else {
			all[o.Depart] = append(quotes, quote{day, o.Price})
		}
	}
	return all
}

func lowest(quotes []quote, after, until fare.Day) (low fare.Cents) {
	for _, q := range quotes {
		if q.day > after && q.day <= until && (low == 0 || q.price < low) {
			low = q.price
		}
	}
	return low
}

var (
	horizons   = [...]fare.Day{7, 14, 28} // days from a verdict to the fare with which the judged fare is compared
	fallWithin = [...]fare.Day{7, 14}     // days within which the same departure may fall
	levels     = []string{string(verdict.Great), string(verdict.Good), string(verdict.Fair), string(verdict.Expensive), "all"}
)

const (
	all      = 4 // index of "all" in levels
	unjudged = -1
	draws    = 1000
	fall     = 0.05 // the smallest fall that counts, as a fraction of the fare
)

type measures struct {
	span             span
	blocks           *stats.Blocks
	routes, verdicts int
	byQuarter        map[fare.Quarter]*[all + 1]int
	days             [all + 1]int       // verdicts by level
	later, fell      [][]*stats.Average // by horizon and level; see Change and Fall
}

func newMeasures(s span, routes int) *measures {
	b := stats.NewBlocks(draws, routes, s.first, s.to, stats.BlockDays)
	return &measures{span: s, blocks: b, byQuarter: map[fare.Quarter]*[all + 1]int{},
		later: b.Averages(len(horizons), len(levels)), fell: b.Averages(len(fallWithin), len(levels))}
}

func (m *measures) add(route int, days []judgement) {
	before := m.verdicts
	for _, j := range days {
		if j.level == unjudged || j.day < m.span.from {
			continue
		}
		m.verdicts++
		quarter := j.day.Quarter()
		if m.byQuarter[quarter] == nil {
			m.byQuarter[quarter] = new([all + 1]int)
		}
		cell := m.blocks.Cell(route, j.day)
		for _, level := range []int{j.level, all} {
			m.byQuarter[quarter][level]++
			m.days[level]++
			for i, h := range horizons {
				at, ok := slices.BinarySearchFunc(days, j.day+h, func(j judgement, d fare.Day) int { return int(j.day - d) })
				if ok {
					m.later[i][level].AddKept(cell, float64(days[at].price)/float64(j.price)-1)
				}
			}
			for i, low := range j.lowest {
				if low > 0 {
					m.fell[i][level].Add(cell, stats.Share(float64(low) <= float64(j.price)*(1-fall)))
				}
			}
		}
	}
	if m.verdicts > before {
		m.routes++
	}
}

func (m *measures) report() Report {
	s := m.span
	r := Report{First: s.first.String(), From: s.from.String(), To: s.to.String(), Cycle: int(s.cycle), Routes: m.routes,
		Verdicts: m.verdicts}
	for _, q := range slices.Sorted(maps.Keys(m.byQuarter)) {
		r.Quarters = append(r.Quarters, Quarter{q.String(), m.byQuarter[q][all], m.byQuarter[q][:all]})
	}
	for row, name := range levels {
		level := Level{Level: name, Days: m.days[row], Share: float64(m.days[row]) / float64(m.verdicts)}
		for h, days := range horizons {
			if c := m.later[h][row]; c.Count > 0 {
				level.Later = append(level.Later, Change{int(days), c.Count, c.Mean(), c.Median(), c.Interval()})
			}
		}
		for w, days := range fallWithin {
			if f := m.fell[w][row]; f.Count > 0 {
				level.Fell = append(level.Fell, Fall{int(days), f.Count, f.Mean(), f.Interval()})
			}
		}
		switch {
		case level.Days == 0:
			r.Missing = append(r.Missing, fmt.Sprintf("what follows %s: no day was given it", name))
		case row == all && len(level.Later) < len(horizons):
			r.Missing = append(r.Missing, fmt.Sprintf("what follows a verdict after %d days: the panel does not reach that far",
				horizons[len(level.Later)]))
		}
		r.Levels = append(r.Levels, level)
	}
	return r
}
