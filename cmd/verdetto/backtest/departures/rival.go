package departures

import (
	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/fare"
	"verdetto/shared/verdict/departure"
)

// The rival, same lead, is what a user could do instead of asking the rule: look at the route's
// other fares, up to that day, of similar lead time (within 15 %) and season (within 45 days, any
// year). Its score is the percentile among them; ties count half, and it needs 8 fares. It learns
// the chance of a fall of each tenth of the percentiles during the replay, as the rule does.
const (
	leadWidth  = .15
	seasonDays = 45
	classes    = 10
)

// opinion is the rival's answer for one row (a fare on one day). A class of -1 means that the rival
// has no answer.
type opinion struct {
	score float32
	class int8
}

func (a answeredPanel) sameLead() voice {
	opinions := a.panel.opinions()
	v := voice{"same lead", a.panel.chances(opinions, a.outcomes), make([]float64, len(opinions))}
	for row, o := range opinions {
		v.score[row] = float64(o.score)
		if o.class < 0 {
			v.score[row] = unknown
		}
	}
	return v
}

// opinions computes the rival's answers for all rows (each a fare on one day), with the routes in
// parallel.
func (t *Trips) opinions() []opinion {
	all := make([]opinion, len(t.rows))
	routes := t.byRoute()
	stats.Parallel(len(routes), func(i int) {
		var r rivalRoute
		t.eachDay(routes[i], func(_ fare.Day, rows []int32) {
			for _, row := range rows {
				r.add(t.rows[row])
			}
			for _, row := range rows {
				all[row] = r.judge(t.rows[row])
			}
		})
	})
	return all
}

// rivalRoute holds the fares of a route seen so far, by lead time, in order of departure.
type rivalRoute struct{ byLead [][]departed }

type departed struct {
	day   fare.Day
	price fare.Cents
}

func (r *rivalRoute) add(q quote) {
	for len(r.byLead) <= int(q.lead) {
		r.byLead = append(r.byLead, nil)
	}
	r.byLead[q.lead] = append(r.byLead[q.lead], departed{q.departs(), q.price})
}

// judge returns the percentile of a fare among the route's fares of similar lead time and season.
func (r *rivalRoute) judge(q quote) opinion {
	cheaper, equal, n := 0, -1, -1 // the fare itself is in the lists, so both counts start at -1
	leads := min(len(r.byLead)-1, int(float64(q.lead)*(1+leadWidth)))
	const year = 365
	for lead := int(float64(q.lead)*(1-leadWidth) + .999999); lead <= leads; lead++ {
		fares := r.byLead[lead]
		for end := len(fares); end > 0; {
			// Go back by the fewest whole years that bring the newest remaining fare into season or
			// past it.
			years := max(0, (int(q.departs()-fares[end-1].day)+year-seasonDays-1)/year)
			center := q.departs() - fare.Day(years*year)
			for end > 0 && fares[end-1].day > center+seasonDays {
				end--
			}
			for end > 0 && fares[end-1].day >= center-seasonDays {
				end--
				n++
				if p := fares[end].price; p < q.price {
					cheaper++
				} else if p == q.price {
					equal++
				}
			}
			if end > 0 && years == int(max(0, (q.departs()-fares[end-1].day+year-seasonDays-1)/year)) {
				break // no remaining fare is in season, in any year
			}
		}
	}
	if n < departure.MinCount {
		return opinion{class: -1}
	}
	share := (float64(cheaper) + float64(equal)/2) / float64(n)
	return opinion{float32(share), int8(min(classes-1, int(share*classes)))}
}

// frequency learns the chance of a fall for each class of the rival from outcomes (did the fare
// fall?). A class with few cases gets nearly the chance of all classes, which starts at 10 %.
type frequency struct{ n, fell [classes]float64 }

const frequencyPrior = 20

func (f *frequency) chance(class int8) float64 {
	n, fell := 0., 0.
	for i := range f.n {
		n += f.n[i]
		fell += f.fell[i]
	}
	all := (fell + .1*frequencyPrior) / (n + frequencyPrior)
	return (f.fell[class] + frequencyPrior*all) / (f.n[class] + frequencyPrior)
}

func (f *frequency) learn(class int8, fell bool) {
	f.n[class]++
	f.fell[class] += stats.Share(fell)
}

// chances returns the rival's chance of a fall for each row (a fare on one day). It uses only
// outcomes (did the fare fall?) that were known before the row's day.
func (t *Trips) chances(of []opinion, became []outcome) []float64 {
	var f frequency
	all := make([]float64, len(t.rows))
	due := 0
	for i, q := range t.rows {
		for ; t.rows[due].day+departure.Week.Days() < q.day; due++ {
			if of[due].class >= 0 && became[due].known[0] {
				f.learn(of[due].class, became[due].fell[0])
			}
		}
		all[i] = unknown
		if of[i].class >= 0 {
			all[i] = f.chance(of[i].class)
		}
	}
	return all
}
