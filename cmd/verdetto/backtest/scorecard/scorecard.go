// Package scorecard replays recorded fares through refreshes, as the service would have received
// them. It computes the score, the comparison of verdicts with outcomes, with the service's own
// code. So the score of a running service can be checked against a replay of the same fares.
//
// The replay has no store, no fare source and no queue. It encodes and decodes all state between
// refreshes, because a service judges by its stored state.
package scorecard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/verdict/score"
)

// Panel holds the observations of each series (route and kind of trip), in any order.
type Panel map[fare.Series][]fare.Observation

// Options are the settings of a replay.
type Options struct {
	To    fare.Day // the last day of a refresh; 0: the last day of the panel
	Cycle int      // days from one refresh to the next; 0 means 1
	Rates fare.Rates

	Source string // name of the fare source, stored with the score

	// Judged, if set, may change a round (the answers about one route and kind of trip on one day)
	// before the replay stores the round. It also receives the corrections from earlier weeks that
	// the answers used. Tests use Judged to make the rule wrong on purpose, and to count the
	// answers that these corrections changed. Judged is called from several goroutines.
	Judged func(*score.Round, *departure.Experience)
	// Learned, if set, is called with the corrections computed from the weeks before a Monday.
	Learned func(monday fare.Day, e *departure.Experience)
	// Progress, if set, is called after each refresh.
	Progress func(done, total int, day fare.Day)
}

// Result is the score after the last refresh, as a service would publish it.
type Result struct {
	Sum   *score.Sum
	Weeks map[fare.Day]*score.Sum // by Monday

	Experience *departure.Experience // corrections from the score that the last answers used
}

// overlap is how far back a refresh looks: it requests the fares found since this long before the
// previous refresh.
const overlap = verdict.LiveDays * 24 * time.Hour

// Run replays a panel (observed fares), with a refresh at noon of every Cycle-th day.
func Run(ctx context.Context, panel Panel, o Options) (Result, error) {
	o.Cycle = max(o.Cycle, 1)
	var all []*series
	first, last := fare.Day(0), fare.Day(0)
	for of, observations := range panel {
		s := &series{id: of, observations: fare.Set(slices.Clone(observations))}
		if len(s.observations) == 0 {
			continue
		}
		if day := s.observations[0].FoundDay(); first == 0 || day < first {
			first = day
		}
		last = max(last, s.observations[len(s.observations)-1].FoundDay())
		all = append(all, s)
	}
	if len(all) == 0 {
		return Result{}, errors.New("the panel has no comparable fares")
	}
	if o.To != 0 {
		last = min(last, o.To)
	}
	slices.SortFunc(all, func(a, b *series) int { return cmp.Compare(a.id.String(), b.id.String()) })
	r := replay{Options: o, series: all, contributions: map[fare.Day]*score.Contribution{},
		score: Result{Sum: new(score.Sum),
			Weeks: map[fare.Day]*score.Sum{}}}
	total := int(last-first)/o.Cycle + 1
	for n := range total {
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("replay panel: %w", err)
		}
		day := first + fare.Day(n*o.Cycle)
		if err := r.refresh(day); err != nil {
			return Result{}, fmt.Errorf("replay %s: %w", day, err)
		}
		if o.Progress != nil {
			o.Progress(n+1, total, day)
		}
	}
	return r.score, nil
}

// series (route and kind of trip) is the stored state of one fare series during the replay.
type series struct {
	id                       fare.Series
	observations             []fare.Observation // all of the panel, in order of Found
	summary, state, learning []byte
}

type replay struct {
	Options
	series        []*series
	lastRefresh   time.Time // time of the previous refresh
	cycle         []byte    // departure.Cycle; nil before the first refresh
	contributions map[fare.Day]*score.Contribution
	score         Result
}

// refresh first adds the statistics of all earlier days to the pooled statistics of all routes. It
// then refreshes each series (route and kind of trip) with new fares.
func (r *replay) refresh(today fare.Day) error {
	now := today.Time().Add(12 * time.Hour)
	cycle := departure.Cycle{Day: today - 1, Pooled: departure.Start(today), Warmed: today}
	if r.cycle == nil {
		cycle.Pooled.StartCurve(today, r.onSale(today, now))
	} else {
		var err error
		if cycle, err = departure.DecodeCycle(r.cycle); err != nil {
			return err
		}
		r.close(&cycle, today-1)
	}
	r.cycle = cycle.Encode()
	cycle, err := departure.DecodeCycle(r.cycle)
	if err != nil {
		return err
	}
	r.score.Experience = cycle.Pooled.Experience
	var mu sync.Mutex
	var faults []error
	sum := new(score.Contribution)
	stats.Parallel(len(r.series), func(i int) {
		left, err := r.series[i].refresh(today, r.Options, cycle.Pooled, r.lastRefresh, now)
		mu.Lock()
		defer mu.Unlock()
		sum.Add(left)
		faults = append(faults, err)
	})
	r.lastRefresh = now
	if !sum.Empty() {
		r.contributions[today] = sum
	}
	return errors.Join(faults...)
}

// onSale returns the departures of each series whose fare was found today, up to now.
func (r *replay) onSale(today fare.Day, now time.Time) [][]departure.Quote {
	all := make([][]departure.Quote, len(r.series))
	for i, s := range r.series {
		known := s.observations[:s.until(now)]
		if len(known) == 0 {
			continue
		}
		summary := verdict.Build(known, verdict.RouteSummary{}, today, verdict.Options{Rates: r.Rates})
		for _, l := range summary.DayQuotes(known, today, r.Rates).All {
			all[i] = append(all[i], departure.Quote{Lead: int(l.Depart - today), Price: l.Price})
		}
	}
	return all
}

// close adds the statistics of all days up to last to the pooled statistics of all routes.
func (r *replay) close(c *departure.Cycle, last fare.Day) {
	for day := c.Day + 1; day <= last; day++ {
		all := r.contributions[day]
		if all == nil {
			continue
		}
		delete(r.contributions, day)
		for _, h := range departure.Horizons() {
			c.Pooled.Learn(h, day, &all.Learned)
		}
		c.Pooled.Fold(day, &all.Learned)
		if all.Counts.Empty() {
			continue
		}
		monday := fare.CycleOf(day).First()
		if r.score.Weeks[monday] == nil {
			r.score.Weeks[monday] = new(score.Sum)
		}
		r.score.Sum.Add(day, r.Source, &all.Counts)
		r.score.Weeks[monday].Add(day, r.Source, &all.Counts)
	}
	if monday := fare.CycleOf(last + 1).First(); monday != fare.CycleOf(c.Day+1).First() {
		if e := score.Learn(r.score.Sum, score.Whole(r.score.Weeks, monday)); e != nil {
			c.Pooled.Experience = e
		}
		if r.Learned != nil {
			r.Learned(monday, c.Pooled.Experience)
		}
	}
	c.Day, c.Warmed = last, 0
}

// until returns the number of observations found up to a moment. Moments are compared in whole
// seconds.
func (s *series) until(moment time.Time) int {
	n, _ := slices.BinarySearchFunc(s.observations, moment.Unix(), func(o fare.Observation,
		at int64) int {
		return cmp.Compare(o.Found, at+1)
	})
	return n
}

// refresh updates the stored state of a series (route and kind of trip) to a day. It does nothing
// if the source found no fares since one week before the last request.
func (s *series) refresh(today fare.Day, o Options, pooled *departure.Pooled, asked,
	now time.Time) (*score.Contribution, error) {
	left, from, to := new(score.Contribution), 0, s.until(now)
	if !asked.IsZero() {
		from = s.until(asked.Add(-overlap))
	}
	if from == to {
		return left, nil
	}
	var earlier verdict.RouteSummary
	var said score.Rounds
	state := new(departure.Learner)
	if s.summary != nil {
		sheet, err := departure.DecodeState(s.state)
		if err != nil {
			return left, err
		}
		open, err := departure.DecodeLearning(s.learning)
		if err != nil {
			return left, err
		}
		if said, err = score.DecodeRounds(open.Answers); err != nil {
			return left, err
		}
		if earlier, err = verdict.Decode(s.summary); err != nil {
			return left, err
		}
		state.State, state.Questions = *sheet, open.All
	}
	known := s.observations[:to]
	summary := verdict.Build(known, earlier, today, verdict.Options{Rates: o.Rates})
	if pooled.Experience != nil {
		summary.Doubted = pooled.Experience.RouteDoubted
	}
	quotesFrom := min(state.AsOf, today-departure.LiveDays, said.From(today))
	if pooled.MustRenew(&state.State) {
		quotesFrom = 0
	}
	quotes := summary.DayQuotes(known, quotesFrom, o.Rates).All
	state.Convert(summary.Currency, summary.PerEuro)
	state.Facts = summary.Facts()
	state.Advance(today, pooled, quotes, &left.Learned)
	s.summary, s.state = summary.Encode(), state.Encode()
	sheet, err := departure.DecodeState(s.state)
	if err != nil {
		return left, err
	}
	said = said.Refresh(score.Source{Day: today, State: sheet, Pooled: pooled, Summary: summary,
		Quotes: quotes}, &left.Counts)
	if n := len(said); o.Judged != nil && n > 0 && said[n-1].Day == today {
		o.Judged(&said[n-1], pooled.Experience)
	}
	s.learning = departure.Learning{All: state.Questions, Answers: said.Encode()}.Encode()
	return left, nil
}
