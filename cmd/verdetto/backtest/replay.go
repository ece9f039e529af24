package backtest

import (
	"cmp"
	"context"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// judgement is the service's verdict on a route on a day.
type judgement struct {
	day      fare.Day
	depart   fare.Day   // of the cheapest fare
	price    fare.Cents // of the cheapest fare
	age      fare.Day   // days since the cheapest fare was found
	verdict  verdict.Verdetto
	place    verdict.Percentile
	window   *verdict.Window
	quartile fare.Cents // lower quartile of all fares observed up to the day
}

// hasVerdict reports whether there was enough data for a verdict.
func (j judgement) hasVerdict() bool { return j.verdict.Percentile != nil }

// quote is the cheapest fare of a departure on a day.
type quote struct {
	day   fare.Day
	price fare.Cents
}

// departure holds all quotes of a departure, by day.
type departure struct {
	depart fare.Day
	quotes []quote
}

// routeReplay is a replayed route. Prices are in hundredths of the route's currency; euro is the
// value of one unit of that currency in euro.
type routeReplay struct {
	euro       float64
	span       span
	judgements []judgement // by day; days without a live fare are absent
	lows       []verdict.Low
	departures []departure // by day of departure
}

// replay judges a route on each day with a refresh. The summary of a day is the summary that the
// service would have built on that day.
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
	var sorted []fare.Cents // all prices observed up to the day
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
		summary := summaries.Summary(day)
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
	r.lows = summaries.Summary(s.to + 1).Lows
	r.departures = departuresOf(observations[:last], s)
	return r
}

// lowest returns the lowest price seen later than the day after, and no later than the day until.
// It returns false if there is no price.
func (d departure) lowest(after, until fare.Day) (low fare.Cents, ok bool) {
	for _, q := range d.quotes {
		if q.day > after && q.day <= until && (!ok || q.price < low) {
			low, ok = q.price, true
		}
	}
	return low, ok
}

// departuresOf groups the quotes by departure. It keeps only quotes of days with a refresh.
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

func (r routeReplay) judgementOn(day fare.Day) (j judgement, ok bool) {
	i, ok := slices.BinarySearchFunc(r.judgements, day, func(j judgement, d fare.Day) int { return int(j.day - d) })
	if ok {
		j = r.judgements[i]
	}
	return j, ok
}

// departure returns the quotes of a departure. It returns no quotes if the departure was never
// seen.
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
