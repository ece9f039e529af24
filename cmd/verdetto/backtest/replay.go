package backtest

import (
	"cmp"
	"context"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// judgement is what the service says of a route on a day.
type judgement struct {
	day      fare.Day
	depart   fare.Day   // of the cheapest fare
	price    fare.Cents // of the cheapest fare
	age      fare.Day   // of the cheapest fare: days since it was found
	verdict  verdict.Verdetto
	place    verdict.Percentile
	window   *verdict.Window
	quartile fare.Cents // a quarter of all fares observed until then are at or below it
}

// hasVerdict reports whether the judgement holds a verdict.
func (j judgement) hasVerdict() bool { return j.verdict.Percentile != nil }

// quote is the cheapest fare of a departure on a day.
type quote struct {
	day   fare.Day
	price fare.Cents
}

// departure is all quotes of a departure, by day.
type departure struct {
	depart fare.Day
	quotes []quote
}

// routeReplay is a route, replayed. Prices are in hundredths of the currency in
// which it is quoted, of which one unit is worth so many euro.
type routeReplay struct {
	euro       float64
	span       span
	judgements []judgement // by day; days without a live fare are left out
	lows       []verdict.Low
	departures []departure // by departure
}

// replay judges a route step by step, each time by the summary that the service
// would have made of what was observed by then and of the summary before.
func replay(ctx context.Context, observations []fare.Observation, s span) routeReplay {
	observations = slices.Clone(observations)
	slices.SortFunc(observations, fare.Observation.Compare)
	observations, euroCents := verdict.InOneCurrency(slices.Compact(observations), s.build.Rates)
	observedBy := func(day fare.Day) int {
		n, _ := slices.BinarySearchFunc(observations, day+1, func(o fare.Observation,
			d fare.Day) int {
			return int(o.FoundDay() - d)
		})
		return n
	}
	r := routeReplay{span: s, euro: euroCents / 100}
	var sorted []fare.Cents // all prices that were observed so far
	seen := 0
	summaries := verdict.NewDays(observations, s.build)
	for _, day := range s.steps() {
		n := observedBy(day)
		if n == 0 || ctx.Err() != nil {
			continue
		}
		if n > seen {
			for _, o := range observations[seen:n] {
				sorted = append(sorted, o.Price)
			}
			slices.Sort(sorted)
			seen = n
		}
		summary := summaries.On(day)
		live, ok := summary.Cheapest(day)
		if !ok {
			continue
		}
		place, _ := verdict.PercentileOf(summary, day)
		r.judgements = append(r.judgements, judgement{
			day: day, depart: live.Depart, price: live.Price, age: day - live.FoundDay(),
			quartile: sorted[(len(sorted)-1)/4],
			verdict:  place.Verdict(live.Age(day.Time())), place: place, window: summary.Window,
		})
	}
	last := observedBy(s.to)
	r.lows = summaries.On(s.to + 1).Lows
	r.departures = departuresOf(observations[:last], s)
	return r
}

// lowest is the cheapest quote after a day until another; false where there is none.
func (d departure) lowest(after, until fare.Day) (low fare.Cents, ok bool) {
	for _, q := range d.quotes {
		if q.day > after && q.day <= until && (!ok || q.price < low) {
			low, ok = q.price, true
		}
	}
	return low, ok
}

// departuresOf gathers the quotes of each departure on days of refreshes.
func departuresOf(observations []fare.Observation, s span) []departure {
	sorted := slices.Clone(observations)
	slices.SortFunc(sorted, func(a, b fare.Observation) int {
		return cmp.Or(cmp.Compare(a.Depart, b.Depart), cmp.Compare(a.Found, b.Found))
	})
	var departures []departure
	for _, o := range sorted {
		day := o.FoundDay()
		if int(day-s.first)%s.cycle != 0 || day > o.Depart {
			continue
		}
		if n := len(departures); n == 0 || departures[n-1].depart != o.Depart {
			departures = append(departures, departure{depart: o.Depart})
		}
		l := &departures[len(departures)-1]
		if n := len(l.quotes); n > 0 && l.quotes[n-1].day == day {
			l.quotes[n-1].price = min(l.quotes[n-1].price, o.Price)
			continue
		}
		l.quotes = append(l.quotes, quote{day, o.Price})
	}
	return departures
}

// at is the judgement of a day.
func (r routeReplay) at(day fare.Day) (j judgement, ok bool) {
	i, ok := slices.BinarySearchFunc(r.judgements, day, func(j judgement, d fare.Day) int { return int(j.day - d) })
	if ok {
		j = r.judgements[i]
	}
	return j, ok
}

// departure is all that was seen of a departure; nothing where it was not seen.
func (r routeReplay) departure(depart fare.Day) (d departure) {
	i, ok := slices.BinarySearchFunc(r.departures, depart, func(d departure,
		day fare.Day) int {
		return int(d.depart - day)
	})
	if ok {
		d = r.departures[i]
	}
	return d
}
