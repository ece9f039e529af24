// Package backtest measures whether the verdicts about routes are right. It replays recorded fares
// day by day. Each day, the service's own rule judges the fares found by then, and the replay
// compares the verdict with later fares. Start at Run.
//
// The package does not implement the rule again. The summary of a day contains no later fares, so a
// verdict cannot depend on the outcome that it is compared with.
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

// Options are the settings of a replay.
type Options struct {
	From  fare.Day // the first day with a verdict; 0: the first day of the panel
	To    fare.Day // the last day of fares to use, also for outcomes; 0: the last day of the panel
	Cycle int      // days from one refresh to the next; 0 is 1

	// Build holds the options of summaries. The exchange rates of one day are used for the whole
	// panel (observed fares), so that fares of a route in several currencies can be compared.
	Build verdict.Options

	// Progress, if set, is called after each route. Calls do not overlap.
	Progress func(done, total int, route fare.Route)
}

// Panel holds the observations of each route, in any order.
type Panel map[fare.Route][]fare.Observation

// PanelError means that the panel (observed fares) has no day that can be judged.
type PanelError struct{ Why string }

func (e PanelError) Error() string { return "nothing to measure: " + e.Why }

// Run replays a panel: recorded fares of several routes. It fails with PanelError if no day can be
// judged. Other results that cannot be measured are absent from the report, and Report.Missing
// lists them.
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

// replayedAtOnce is the number of routes that are replayed in parallel and held in memory.
const replayedAtOnce = 64

// span holds the days that a replay covers.
type span struct {
	first, from, to fare.Day // first day of the panel, first day of verdicts, last day
	cycle           int
	build           verdict.Options
}

// steps returns the days with a refresh. The replay computes verdicts on the same days.
func (s span) steps() []fare.Day {
	var days []fare.Day
	for d := s.first; d <= s.to; d += fare.Day(s.cycle) {
		days = append(days, d)
	}
	return days
}

// spanOf returns the days of a panel (observed fares). It fails with PanelError if there is nothing
// to judge.
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
		return s, PanelError{fmt.Sprintf("the panel holds %s to %s, and no day of the range lies in it", s.first, last)}
	}
	return s, nil
}
