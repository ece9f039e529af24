package departures

import (
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// watchRoutes looks at the cheapest fare of each route whenever something was
// found on it, and judges it as the verdict of a route does. Fares stay as quoted:
// a route has one currency here, and none is of a departure further ahead than any
// can be sold. The panel of these looks is one of fares of one departure of each
// route at a time, so that it can be watched in turn with other prices.
func (t *Trips) watchRoutes(cycle int) *watched {
	rows := slices.DeleteFunc(slices.Clone(t.rows), func(q quote) bool { return q.lead > fare.MaxLead })
	type look struct {
		notify.Seen
		quarter, next fare.Cents
	}
	looks := map[routeDay]look{}
	prices := map[routeDay]map[fare.Day]fare.Cents{} // the cheapest of each departure
	ofRoute := make([][]fare.Observation, len(t.Routes))
	for _, q := range rows {
		ofRoute[q.route] = append(ofRoute[q.route], fare.Observation{Found: q.day.Time().Unix(), Depart: q.departs(), Price: q.price})
		at := routeDay{q.route, q.day}
		if prices[at] == nil {
			prices[at] = map[fare.Day]fare.Cents{}
		}
		if known, ok := prices[at][q.departs()]; !ok || q.price < known {
			prices[at][q.departs()] = q.price
		}
	}
	for route, observations := range ofRoute {
		slices.SortFunc(observations, fare.Observation.Compare)
		summaries := verdict.NewDays(observations, verdict.Options{})
		for i, o := range observations {
			day := o.FoundDay()
			if i > 0 && observations[i-1].FoundDay() == day {
				continue
			}
			summary := summaries.On(day)
			live, _ := summary.Cheapest(day)
			l := look{Seen: notify.Seen{Day: day, Price: live.Price, Level: verdict.Insufficient}, next: prices[routeDay{int32(route), day + fare.Day(cycle)}][live.Depart]}
			if standing, ok := verdict.PercentileAt(summary, live.Price); ok {
				l.Level, l.quarter = standing.Level(), lowerQuartile(summary)
			}
			looks[routeDay{int32(route), day}] = l
		}
	}
	m := &Trips{Routes: t.Routes, Dropped: t.Dropped, Read: t.Read, Notes: t.Notes}
	w := &watched{panel: m}
	for i, q := range rows {
		if i > 0 && rows[i-1].day == q.day && rows[i-1].route == q.route {
			continue
		}
		l := looks[routeDay{q.route, q.day}]
		m.rows = append(m.rows, quote{route: q.route, trip: q.route, day: q.day, lead: lookLead(q.day - t.rows[0].day), price: l.Price})
		w.seen, w.quarter, w.next = append(w.seen, l.Seen), append(w.quarter, l.quarter), append(w.next, l.next)
	}
	m.index(len(t.Routes))
	w.lows()
	return w
}

// lookLead is how many days ahead the departure is that stands for a route on a
// day of the panel: of as many neighbouring days as there can be the same, which lives on when the next begins.
func lookLead(day fare.Day) int32 {
	const days = fare.MaxLead - departure.LiveDays
	return int32(days - day%days + departure.LiveDays - 1)
}

// routeDay is a route on a day.
type routeDay struct {
	route int32
	day   fare.Day
}

// lowerQuartile is the price under which a quarter of the weight of a route's lows lies.
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
