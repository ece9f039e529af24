package departures

import (
	"math"

	"verdetto/cmd/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// The rival compares a fare with the route's fares up to the same day whose lead time differs by at
// most 15 % and whose date of departure, in any year, differs by at most seasonDays.
const (
	leadWidth  = .15
	seasonDays = 45
	classes    = 10
)

func (a answered) sameLead() voice {
	t := a.panel
	v, class := voice{"same lead", make([]float64, len(t.Rows)), make([]float64, len(t.Rows))}, make([]int, len(t.Rows))
	routes := t.byRoute()
	stats.Parallel(len(routes), func(i int) {
		var r rivalRoute
		for rows := routes[i]; len(rows) > 0; {
			n := 0
			for ; n < len(rows) && t.Rows[rows[n]].Day == t.Rows[rows[0]].Day; n++ {
				r.add(t.Rows[rows[n]])
			}
			for _, row := range rows[:n] {
				share := r.judge(t.Rows[row])
				v.score[row], class[row] = float64(float32(share)), min(classes-1, int(share*classes))
			}
			rows = rows[n:]
		}
	})
	// Outcomes count only if they were known before the day of the row.
	var learned frequency
	due := 0
	for i, q := range t.Rows {
		for ; t.Rows[due].Day+departure.Week.Days() < q.Day; due++ {
			if v.answers(due) && a.outcomes[due].known[0] {
				learned.n[class[due]]++
				learned.fell[class[due]] += stats.Share(a.outcomes[due].fell[0])
			}
		}
		if v.answers(i) {
			v.chance[i] = learned.chance(class[i])
		}
	}
	return v
}

type rivalRoute struct{ byLead [][]departed }

type departed struct {
	day   fare.Day
	price fare.Cents
}

func (r *rivalRoute) add(q Row) {
	for len(r.byLead) <= int(q.Lead) {
		r.byLead = append(r.byLead, nil)
	}
	r.byLead[q.Lead] = append(r.byLead[q.Lead], departed{q.departs(), q.Price})
}

func (r *rivalRoute) judge(q Row) float64 {
	const year = 365
	cheaper, equal, n := 0, -1, -1 // the fare itself is in the lists, so equal and n start at -1
	leads := min(len(r.byLead)-1, int(float64(q.Lead)*(1+leadWidth)))
	for lead := int(float64(q.Lead)*(1-leadWidth) + .999999); lead <= leads; lead++ {
		for _, other := range r.byLead[lead] {
			apart := (year + (q.departs()-other.day)%year) % year
			if apart > seasonDays && apart < year-seasonDays {
				continue
			}
			n++
			cheaper += int(stats.Share(other.price < q.Price))
			equal += int(stats.Share(other.price == q.Price))
		}
	}
	if n < departure.MinCount {
		return math.NaN()
	}
	return (float64(cheaper) + float64(equal)/2) / float64(n)
}

// In a class with few cases, chance returns about the share of falls in all classes.
type frequency struct{ n, fell [classes]float64 }

func (f *frequency) chance(class int) float64 {
	const prior = 20
	n, fell := 0., 0.
	for i := range f.n {
		n += f.n[i]
		fell += f.fell[i]
	}
	all := (fell + .1*prior) / (n + prior)
	return (f.fell[class] + prior*all) / (f.n[class] + prior)
}
