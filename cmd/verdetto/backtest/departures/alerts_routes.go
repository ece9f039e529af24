package departures

import (
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// watchRoutes judges the cheapest fare of each route, on each day with a fare, as the route's
// verdict does. Fares stay as quoted, since each route of a panel has one currency. Fares beyond
// fare.MaxLead are dropped. The resulting panel has one invented departure per route at a time, so
// that references can change its prices.
func (t *Trips) watchRoutes(cycle int) *alertPanel {
	type look struct {
		quote
		seen          notify.Observation
		quarter, next fare.Cents
	}
	var looks []look
	for route, rows := range t.byRoute() {
		var observations []fare.Observation
		cheapest := map[[2]fare.Day]fare.Cents{} // by day and departure
		for _, row := range rows {
			q := t.rows[row]
			if q.lead > fare.MaxLead {
				continue
			}
			observations = append(observations, fare.Observation{Found: q.day.Time().Unix(),
				Depart: q.departs(), Price: q.price})
			at := [2]fare.Day{q.day, q.departs()}
			if known, ok := cheapest[at]; !ok || q.price < known {
				cheapest[at] = q.price
			}
		}
		slices.SortFunc(observations, fare.Observation.Compare)
		summaries := verdict.NewDays(observations, verdict.Options{})
		for i, o := range observations {
			day := o.FoundDay()
			if i > 0 && observations[i-1].FoundDay() == day {
				continue
			}
			summary := summaries.Summary(day)
			live, _ := summary.Cheapest(day)
			l := look{
				quote: quote{route: int32(route), trip: int32(route), day: day,
					lead: lookLead(day - t.rows[0].day), price: live.Price},
				seen: notify.Observation{Day: day, Price: live.Price, Level: verdict.Insufficient},
				next: cheapest[[2]fare.Day{day + fare.Day(cycle), live.Depart}],
			}
			if place, ok := verdict.PercentileAt(summary, live.Price); ok {
				l.seen.Level, l.quarter = place.Level(), lowerQuartile(summary)
			}
			looks = append(looks, l)
		}
	}
	slices.SortStableFunc(looks, func(a, b look) int { return int(a.day - b.day) })
	w := &alertPanel{panel: t.withRows(nil)}
	for _, l := range looks {
		w.panel.rows = append(w.panel.rows, l.quote)
		w.looks, w.quarter, w.next = append(w.looks, l.seen), append(w.quarter, l.quarter), append(w.next, l.next)
	}
	w.panel.index(len(t.Routes))
	w.lows()
	return w
}

// lookLead returns the lead time (days before departure) of the invented departure that represents
// a route on a day. The same departure represents the route on as many successive days as possible.
// When the next invented departure begins, the previous one has not left yet.
func lookLead(day fare.Day) int32 {
	const days = fare.MaxLead - departure.LiveDays
	return int32(days - day%days + departure.LiveDays - 1)
}

// lowerQuartile returns the lower quartile of a route's daily lows. Lows are weighted by age.
func lowerQuartile(s verdict.RouteSummary) fare.Cents {
	all, below := 0., 0.
	for _, l := range s.Lows {
		all += verdict.Weight(s.AsOf - l.Day)
	}
	for _, l := range s.Lows { // cheapest first
		if below += verdict.Weight(s.AsOf - l.Day); below >= all/4 {
			return l.Price
		}
	}
	return 0
}
