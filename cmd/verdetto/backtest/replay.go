package backtest

import (
	"cmp"
	"context"
	"slices"
	"time"

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
	standing verdict.Percentile
	window   *verdict.Anticipo
	quartile fare.Cents // a quarter of all fares observed until then are at or below it
}

// hasVerdict tells whether the judgement holds a verdict.
func (l judgement) hasVerdict() bool { return l.verdict.Percentile != nil }

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
		n, _ := slices.BinarySearchFunc(observations, day+1, func(o fare.Observation, d fare.Day) int { return int(o.FoundDay() - d) })
		return n
	}
	r := routeReplay{span: s, euro: euroCents / 100}
	var pool pooled
	seen := 0
	summaries := verdict.NewDays(observations, s.build)
	for _, day := range s.steps() {
		n := observedBy(day)
		if n == 0 || ctx.Err() != nil {
			continue
		}
		for ; seen < n; seen++ {
			pool.add(observations[seen].Price)
		}
		summary := summaries.On(day)
		live, ok := summary.Cheapest(day)
		if !ok {
			continue
		}
		found := time.Unix(live.Found, 0)
		standing, _ := verdict.PercentileOf(summary, day)
		j := judgement{
			day: day, depart: live.Depart, price: live.Price, age: day - fare.DayOf(found), quartile: pool.quartile(),
			verdict: standing.Verdict(max(0, day.Time().Sub(found))), standing: standing,
		}
		if w := summary.Window; w != nil {
			j.window = &verdict.Anticipo{DaGiorni: w.From, AGiorni: w.To}
		}
		r.judgements = append(r.judgements, j)
	}
	last := observedBy(s.to)
	r.lows = summaries.On(s.to + 1).Lows
	r.departures = departuresOf(observations[:last], s)
	return r
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

// at finds the judgement of a day.
func (s routeReplay) at(day fare.Day) (judgement, bool) {
	i, ok := slices.BinarySearchFunc(s.judgements, day, func(l judgement, d fare.Day) int { return int(l.day - d) })
	if !ok {
		return judgement{}, false
	}
	return s.judgements[i], true
}

// departure finds a departure.
func (s routeReplay) departure(depart fare.Day) (departure, bool) {
	i, ok := slices.BinarySearchFunc(s.departures, depart, func(l departure, d fare.Day) int { return int(l.depart - d) })
	if !ok {
		return departure{}, false
	}
	return s.departures[i], true
}

// pooled is all fares observed so far, in order of price.
type pooled struct{ sorted, fresh []fare.Cents }

func (p *pooled) add(price fare.Cents) { p.fresh = append(p.fresh, price) }

// quartile is the price that a quarter of the fares does not exceed.
func (p *pooled) quartile() fare.Cents {
	slices.Sort(p.fresh)
	i, j := len(p.sorted)-1, len(p.fresh)-1
	p.sorted = append(p.sorted, p.fresh...)
	for at := len(p.sorted) - 1; j >= 0; at-- { // from behind, so that what is moved is not needed again
		if i >= 0 && p.sorted[i] > p.fresh[j] {
			p.sorted[at] = p.sorted[i]
			i--
		} else {
			p.sorted[at] = p.fresh[j]
			j--
		}
	}
	p.fresh = p.fresh[:0]
	if len(p.sorted) == 0 {
		return 0
	}
	return p.sorted[(len(p.sorted)-1)/4]
}
