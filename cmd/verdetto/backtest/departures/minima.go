package departures

import (
	"cmp"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// A question about a month, or about some days around a date, asks about the cheapest of many
// departures. Each departure counts with its newest price of the last LiveDays days. The service
// compares such a cheapest price only with cheapest prices of as many departure dates on other
// days.

// span is a range of departure dates of a route: a month, or days around a date. day defines the
// lead time (days before departure) of the range; see departure.Span.From.
type span struct {
	route int32
	day   fare.Day
}

// minima replays departures as refreshes do. On each day with a fare, it judges the cheapest fare
// of each month, or of the days around each departure. It returns a panel (observed fares) of these
// cheapest fares, and the answers. The chances of a fall are those of the cheapest departure, as in
// the service's answers.
func (t *Trips) minima(s departure.Span) (*Trips, ruleAnswers) {
	var (
		m      = &Trips{Routes: t.Routes, Dropped: t.Dropped, Read: t.Read, Notes: t.Notes}
		trips  = map[span]int32{}
		said   ruleAnswers
		states = make([]departure.Learner, len(t.Routes))
		recent = make([][]departure.Live, len(t.Routes)) // fares of the days that can be shown
		pooled = departure.Start(t.rows[0].day)
		begin  = t.days()
	)
	pooled.StartCurve(t.rows[0].day, t.onSale(begin[0], begin[1]))
	for i := range len(begin) - 1 {
		today := t.rows[begin[i]].day
		view := pooled.View(today)
		var learned, folded departure.Statistics
		t.eachRoute(begin[i], begin[i+1], func(route int32, from, to int) {
			state, fares := &states[route], fares(t.rows[from:to])
			recent[route] = append(slices.DeleteFunc(recent[route],
				func(l departure.Live) bool { return l.FoundDay() < today-departure.LiveDays }), fares...)
			state.Learn(view, &learned)
			state.Stand(today, recent[route])
			asked, _ := state.Day(pooled, today)
			begun := len(m.rows)
			for _, live := range asked.Live() {
				of := span{route, s.From(live.Depart)}
				if last := len(m.rows) - 1; last >= begun && m.rows[last].departs() == of.day {
					continue // the same month
				}
				if _, ok := trips[of]; !ok {
					trips[of] = int32(len(trips))
				}
				cheapest, _ := asked.Cheapest(s, live.Depart)
				m.rows = append(m.rows, quote{route: route, trip: trips[of], day: today,
					lead: int32(of.day - today), price: cheapest.Price})
				said.add(asked, s, live.Depart, cheapest)
			}
			state.Fold(view, fares, &folded)
		})
		for h := range fallSpans {
			pooled.Learn(fallSpans[h], today, &learned)
		}
		pooled.Fold(today, &folded)
	}
	m.index(len(trips))
	return m, said
}

// add judges the cheapest fare of a range of dates. It also computes the chance that the fare of
// the cheapest departure falls.
func (s *ruleAnswers) add(asked *departure.StateDay, of departure.Span, date fare.Day, cheapest departure.Live) {
	a, q, _ := asked.JudgeSpan(of, date, cheapest.Price)
	one, _ := asked.Judge(cheapest.Depart, 0)
	percentile, in := unknown, inside(0)
	if a.Known {
		percentile = a.Percentile
		if q.Q1 <= cheapest.Price && cheapest.Price <= q.Q3 {
			in = insideHalf
		}
	}
	s.percentile, s.quartiles = append(s.percentile, percentile), append(s.quartiles, in)
	for h := range s.chance {
		s.chance[h] = append(s.chance[h], one.Chance[h])
	}
}

// fares returns the fares in the rows of a route on a day. There is one fare per departure, the
// cheapest, in order of departure.
func fares(rows []quote) []departure.Live {
	all := make([]departure.Live, 0, len(rows))
	for _, q := range rows {
		all = append(all, departure.Live{Depart: q.departs(), Price: q.price, Found: q.day.Time().Unix(),
			DayOnly: true})
	}
	slices.SortFunc(all, func(a, b departure.Live) int {
		return cmp.Or(cmp.Compare(a.Depart, b.Depart), cmp.Compare(a.Price, b.Price))
	})
	return slices.CompactFunc(all, func(a, b departure.Live) bool { return a.Depart == b.Depart })
}
