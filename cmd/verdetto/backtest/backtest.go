// Package backtest measures whether the verdicts are right: it replays a panel
// of recorded fares day by day, lets the service's own rule judge each day from
// what was observed by then, and compares that with what came after.
//
// There is no second implementation of the rule here. What a day's summary is
// made of is cut off at the end of that day, so no verdict can know its future;
// what is measured against is only ever what followed.
package backtest

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// Options say what is replayed.
type Options struct {
	From  fare.Day // the first day that is judged; 0: the first of the panel
	To    fare.Day // the last day that is looked at, as verdict or as what came after; 0: the last of the panel
	Cycle int      // days from one refresh to the next; 0 is 1

	// Build is what summaries are built with. Rates of one day serve for the whole
	// panel: what is quoted in several currencies on a route is compared at them.
	Build verdict.Options

	// Progress, where set, is called for each route as it ends, one at a time.
	Progress func(done, total int, route fare.Route)
}

// Panel is the observations of each route, in any order.
type Panel map[fare.Route][]fare.Observation

// PanelError is a panel, or a choice of days, that nothing can be measured with.
type PanelError struct{ Why string }

func (e PanelError) Error() string { return "nothing to measure: " + e.Why }

// Run replays a panel. It fails with PanelError where not one day can be judged;
// what else could not be measured is missing from the report and named in it.
func Run(ctx context.Context, panel Panel, o Options) (Report, error) {
	o.Cycle = max(o.Cycle, 1)
	span, err := spanOf(panel, o)
	if err != nil {
		return Report{}, err
	}
	routes := slices.SortedFunc(maps.Keys(panel), func(a, b fare.Route) int {
		return cmp.Or(cmp.Compare(a.Origin, b.Origin), cmp.Compare(a.Destination, b.Destination))
	})
	m := newMeasures(span, len(routes))
	done := 0
	for chunk := range slices.Chunk(routes, replayedAtOnce) {
		replays := make([]routeReplay, len(chunk))
		stats.Parallel(len(chunk), func(i int) { replays[i] = replay(ctx, panel[chunk[i]], span) })
		if err := ctx.Err(); err != nil {
			return Report{}, fmt.Errorf("replay panel: %w", err)
		}
		for i, route := range chunk {
			m.add(done, replays[i])
			done++
			if o.Progress != nil {
				o.Progress(done, len(routes), route)
			}
		}
	}
	return m.report()
}

// replayedAtOnce is how many routes are replayed together, and held in memory.
const replayedAtOnce = 64

// span is the days of a replay.
type span struct {
	first, from, to fare.Day // the panel begins, verdicts begin, all ends
	cycle           int
	build           verdict.Options
}

// steps are the days of the refreshes: each is also a day of verdicts.
func (s span) steps() []fare.Day {
	var days []fare.Day
	for d := s.first; d <= s.to; d += fare.Day(s.cycle) {
		days = append(days, d)
	}
	return days
}

// spanOf finds the days of a panel and refuses one that holds nothing to judge.
func spanOf(panel Panel, o Options) (span, error) {
	s := span{cycle: o.Cycle, build: o.Build}
	last, longest := fare.Day(0), 0
	for _, observations := range panel {
		days := map[fare.Day]bool{}
		for _, obs := range observations {
			d := obs.FoundDay()
			if s.first == 0 || d < s.first {
				s.first = d
			}
			last = max(last, d)
			days[d] = true
		}
		longest = max(longest, len(days))
	}
	s.from, s.to = max(s.first, o.From), last
	if o.To != 0 {
		s.to = min(s.to, o.To)
	}
	switch {
	case len(panel) == 0:
		return s, PanelError{"the panel has no comparable one-way fares"}
	case longest <= verdict.MinSample:
		return s, PanelError{fmt.Sprintf("no route was observed on more than %d days (the longest on %d); a verdict needs %d days before its own",
			verdict.MinSample, longest, verdict.MinSample)}
	case s.from > s.to:
		return s, PanelError{fmt.Sprintf("the panel holds %s to %s, and none of it lies between the days asked for", s.first, last)}
	}
	return s, nil
}
