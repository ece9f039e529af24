package verdict

import (
	"slices"

	"verdetto/shared/fare"
)

// Days computes the summaries of a series for successive days, for backtests. The summaries lack
// Months, NonStop, and the Median, Sample and Saving of Window.
type Days struct {
	all     priced
	summary RouteSummary
	newest  offers
	lows    lowWalk
	leads   *leadTimes
	out, in int
}

// NewDays needs observations in order of Found, quoted in one currency.
func NewDays(observations []fare.Observation, o Options) *Days {
	d := &Days{}
	d.all = d.summary.rank(observations, RouteSummary{}, o.Rates)
	if len(d.all.ranked) > 0 {
		d.newest, d.leads = newOffers(d.all.ranked), newLeadTimes(d.all.ranked)
		d.lows = lowWalk{priced: d.all}
	}
	return d
}

// day must be later than in the previous call. The result is valid until the next call.
func (d *Days) Summary(day fare.Day) RouteSummary {
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
		s.Live = known.liveOn(day, &d.newest)
		s.Window = d.leads.window(known.ranked)
	}
	return *s
}
