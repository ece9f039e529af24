package departures

import (
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// watched is a panel as alerts see it: a row is a look at a departure, or at a
// route. Which rows there are depends on no price.
type watched struct {
	panel   *Trips
	seen    []notify.Seen
	quarter []fare.Cents // a quarter of what is usual costs less; 0 where too little is known to judge a fare
	next    []fare.Cents // what the very departure costs at the next refresh; 0 where it is not seen then
}

// watchDepartures looks at each departure whenever it is seen.
func (t *Trips) watchDepartures(cycle int) *watched {
	said := t.ask(nil).said
	w := &watched{t, make([]notify.Seen, len(t.rows)), said.quarter, make([]fare.Cents, len(t.rows))}
	for i, q := range t.rows {
		w.seen[i] = notify.Seen{Day: q.day, Price: q.price, Level: verdict.Insufficient}
		if !math.IsNaN(said.percentile[i]) {
			w.seen[i].Level = departure.LevelOf(said.percentile[i]).String()
		}
	}
	for trip := range t.trips {
		rows := t.of(int32(trip))
		for i := 1; i < len(rows); i++ {
			if t.rows[rows[i]].day == t.rows[rows[i-1]].day+fare.Day(cycle) {
				w.next[rows[i-1]] = t.rows[rows[i]].price
			}
		}
	}
	w.lows()
	return w
}

// lows notes for how many days before each look none was as cheap, as far as what is watched was seen then.
func (w *watched) lows() {
	for trip := range w.panel.trips {
		rows := w.panel.of(int32(trip))
		for i, row := range rows {
			s, since := &w.seen[row], rows[0]
			for j := i - 1; j > 0; j-- {
				if w.seen[rows[j]].Price <= s.Price {
					since = rows[j]
					break
				}
			}
			s.Low = s.Day - w.seen[since].Day
		}
	}
}

// alert is one that is asked for on a row, and what is seen until the deadline.
type alert struct {
	row   int32
	days  int     // to the deadline
	looks []int32 // rows, by day; at least one
}

// alerts lists those that can be followed to their deadline.
func (w *watched) alerts(on alertsOn, o Options, r *AlertReport) (all []alert) {
	t := w.panel
	asking := map[fare.Day]bool{} // the first day of each week
	week := fare.Day(math.MinInt32)
	for _, at := range t.days()[:len(t.days())-1] {
		day := t.rows[at].day
		if monday := mondayOf(day); monday != week {
			week = monday
			asking[day] = true
		}
	}
	routes, days := map[int32]bool{}, 0
	for trip := range t.trips {
		rows, before := t.of(int32(trip)), len(all)
		for i, row := range rows {
			q := t.rows[row]
			deadline, ok := on.deadline(q)
			if !ok || !asking[q.day] || q.day < o.From || deadline > t.last() {
				continue
			}
			until, found := slices.BinarySearchFunc(rows, deadline, func(row int32,
				day fare.Day) int {
				return int(t.rows[row].day - day)
			})
			if found {
				until++
			}
			switch {
			case w.quarter[row] == 0:
				r.Unjudged++
				continue
			case i+1 >= until || int(deadline-t.rows[rows[until-1]].day) >= max(o.Cycle, departure.LiveDays):
				r.Unwatched++
				continue
			}
			all = append(all, alert{row, int(deadline - q.day), rows[i+1 : until]})
			days += int(deadline - q.day)
			routes[q.route] = true
		}
		if len(all) > before {
			r.Departures++
		}
	}
	r.Alerts, r.Routes, r.Days = len(all), len(routes), float64(days)/float64(max(1, len(all)))
	return all
}

// mondayOf is the Monday of a day's week.
func mondayOf(day fare.Day) fare.Day {
	return day - fare.Day((int(day.Time().Weekday())+6)%7)
}
