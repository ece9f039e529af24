package departure

import (
	"slices"

	"verdetto/shared/fare"
)

// Questions are those of a route whose outcome is not known yet. A refresh asks
// one for each fare it sees, and learns from them a week and a fortnight later.
// No answer needs them.
type Questions []question

// question is what has to be known of it when its outcome is.
type question struct {
	asked, depart fare.Day
	price         fare.Cents
	cells         Cells
	known, fell   [horizons]bool // so far
	learned       [horizons]bool
}

// Ask notes a question of a day, with the cells of its answer.
func (qs *Questions) Ask(day fare.Day, q Quote, cells Cells) {
	*qs = append(*qs, question{asked: day, depart: day + fare.Day(q.Lead), price: q.Price, cells: cells})
}

// See tells all questions about a departure what it costs on a day.
func (qs Questions) See(day, depart fare.Day, price fare.Cents) {
	for i := range qs {
		q := &qs[i]
		if q.depart != depart || q.asked >= day {
			continue
		}
		for h := range horizons {
			if day <= q.asked+h.Days() {
				q.known[h] = true
				q.fell[h] = q.fell[h] || Fell(q.price, price)
			}
		}
	}
}

// Due takes out what there is to learn on a day: the outcomes of each day's
// questions whose horizon ended before it, oldest day first. Of a departure that
// was not seen again nothing is known.
func (qs *Questions) Due(h Horizon, day fare.Day) (days [][]Outcome) {
	byDay := map[fare.Day][]Outcome{}
	var asked []fare.Day
	for i := range *qs {
		q := &(*qs)[i]
		if q.learned[h] || q.asked+h.Days() >= day {
			continue
		}
		q.learned[h] = true
		if q.known[h] {
			if byDay[q.asked] == nil {
				asked = append(asked, q.asked)
			}
			byDay[q.asked] = append(byDay[q.asked], Outcome{q.cells, q.fell[h]})
		}
	}
	slices.Sort(asked)
	for _, d := range asked {
		days = append(days, byDay[d])
	}
	*qs = slices.DeleteFunc(*qs, func(q question) bool { return q.learned == [horizons]bool{true, true} })
	return days
}
