package departures

import (
	"math"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

// alertPanel is a panel of the fares that alerts watch. A row is an observation on one day: of one
// departure, or of the cheapest fare of one route. A random walk and shuffled prices change the
// prices, but not the rows.
type alertPanel struct {
	panel   *Trips
	looks   []notify.Observation
	quarter []fare.Cents // lower quartile of comparable prices; 0 if too few fares are known
	next    []fare.Cents // price of the same departure at the next refresh; 0 if not seen then
}

// watchDepartures returns an alertPanel with one row (a fare on one day) for each departure and day
// on which it is seen.
func (t *Trips) watchDepartures(cycle int) *alertPanel {
	said := t.ask(nil).answers
	w := &alertPanel{t, make([]notify.Observation, len(t.rows)), said.quarter, make([]fare.Cents, len(t.rows))}
	for i, q := range t.rows {
		w.looks[i] = notify.Observation{Day: q.day, Price: q.price, Level: verdict.Insufficient}
		if !math.IsNaN(said.percentile[i]) {
			w.looks[i].Level = departure.LevelOf(said.percentile[i]).String()
		}
	}
	for trip := range t.trips {
		rows := t.tripRows(int32(trip))
		for i := 1; i < len(rows); i++ {
			if t.rows[rows[i]].day == t.rows[rows[i-1]].day+fare.Day(cycle) {
				w.next[rows[i-1]] = t.rows[rows[i]].price
			}
		}
	}
	w.lows()
	return w
}

// lows sets Low for each row (a fare on one day): the number of days since the departure or route
// was last as cheap as in this row, or cheaper. If it never was, the days are counted from the
// first row.
func (w *alertPanel) lows() {
	for trip := range w.panel.trips {
		rows := w.panel.tripRows(int32(trip))
		for i, row := range rows {
			s, since := &w.looks[row], rows[0]
			for j := i - 1; j > 0; j-- {
				if w.looks[rows[j]].Price <= s.Price {
					since = rows[j]
					break
				}
			}
			s.Low = s.Day - w.looks[since].Day
		}
	}
}

// alert is an alert that the replay creates on one row. It holds the observations from that row to
// the alert's deadline.
type alert struct {
	row   int32
	days  int     // rows, by day; at least one
	looks []int32 // rows, by day; at least one
}

// alerts returns the alerts whose departure or route is seen until the deadline.
func (w *alertPanel) alerts(on alertSubject, o Options, r *AlertReport) (all []alert) {
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
		rows, before := t.tripRows(int32(trip)), len(all)
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

// mondayOf returns the Monday of a day's week.
func mondayOf(day fare.Day) fare.Day {
	return day - fare.Day((int(day.Time().Weekday())+6)%7)
}
