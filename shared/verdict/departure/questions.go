package departure

import (
	"slices"

	"verdetto/shared/fare"
)

type Questions []question

type question struct {
	day, depart fare.Day
	price       fare.Cents
	cells       Cells
	known       [horizons]bool // the departure was seen again within the horizon
	fell        [horizons]bool
	learned     [horizons]bool
}

func (qs *Questions) Ask(day fare.Day, q Quote, cells Cells) {
	*qs = append(*qs, question{day: day, depart: day + fare.Day(q.Lead), price: q.Price, cells: cells})
}

func (qs Questions) See(day, depart fare.Day, price fare.Cents) {
	for i := range qs {
		q := &qs[i]
		if q.depart != depart || q.day >= day {
			continue
		}
		for h := range horizons {
			if day <= q.day+h.Days() {
				q.known[h] = true
				q.fell[h] = q.fell[h] || Fell(q.price, price)
			}
		}
	}
}

// Due returns the outcomes of the questions whose horizon h ended before the given day, by day of the
// question, oldest first. Later calls do not return the same outcomes again.
func (qs *Questions) Due(h Horizon, day fare.Day) (days [][]Outcome) {
	byDay := map[fare.Day][]Outcome{}
	var asked []fare.Day
	for i := range *qs {
		q := &(*qs)[i]
		if q.learned[h] || q.day+h.Days() >= day {
			continue
		}
		q.learned[h] = true
		if q.known[h] {
			if byDay[q.day] == nil {
				asked = append(asked, q.day)
			}
			byDay[q.day] = append(byDay[q.day], Outcome{q.cells, q.fell[h]})
		}
	}
	slices.Sort(asked)
	for _, d := range asked {
		days = append(days, byDay[d])
	}
	*qs = slices.DeleteFunc(*qs, func(q question) bool { return q.learned == [horizons]bool{true, true} })
	return days
}
