package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// Days makes summaries of a series for one day after another, as a replay of
// recorded fares needs them. Each equals what Build makes, but is carried on from
// the day before, so a day costs what was found on it. It lacks months, what was
// paid inside and outside the window, and the fares without stops.
type Days struct {
	options Options
	all     priced
	summary RouteSummary
	newest  offers
	lows    lowWalk
	leads   *leadTimes
	out, in int // the observations between are those of the history on the day
}

// NewDays begins with a history: observations in order of Found, quoted in one currency.
func NewDays(observations []fare.Observation, o Options) *Days {
	if o.Fresh == 0 {
		o.Fresh = FreshFor
	}
	d := &Days{options: o}
	d.all = d.summary.rank(observations, RouteSummary{}, o.Rates)
	if len(d.all.ranked) > 0 {
		d.newest, d.leads = newOffers(d.all.ranked), newLeadTimes(d.all.ranked)
		d.lows = lowWalk{priced: d.all, fresh: o.Fresh, newest: &d.newest}
	}
	return d
}

// On is the summary of a day, which is later than the one before. It holds until the next is asked for.
func (d *Days) On(day fare.Day) RouteSummary {
	s := &d.summary
	s.AsOf = day
	all := d.all.ranked
	for ; d.in < len(all) && all[d.in].FoundDay() <= day; d.in++ {
		d.leads.add(all[d.in], 1)
	}
	for ; d.out < d.in && all[d.out].FoundDay() <= day-HistoryDays; d.out++ {
		d.leads.add(all[d.out], -1)
	}
	d.lows.until(day, func(l Low) {
		at, _ := slices.BinarySearchFunc(s.Lows, l, Low.compare)
		s.Lows = slices.Insert(s.Lows, at, l)
	})
	s.Lows = slices.DeleteFunc(s.Lows, func(l Low) bool { return l.Day <= day-LowDays })
	s.Observations, s.Newest, s.Live, s.Window = d.in-d.out, 0, nil, nil
	if d.in > d.out {
		known := priced{d.all.quoted[d.out:d.in], all[d.out:d.in]}
		s.Newest = all[d.in-1].Found
		s.Live = known.liveOn(day, d.options.Fresh, &d.newest)
		s.Window = d.leads.window(known.ranked)
	}
	return *s
}
