package departures

import (
	"slices"

	"verdetto/cmd/verdetto/backtest/stats"
	"verdetto/shared/notify"
)

const alertStill = 1.02 // a later fare of at most 1.02 times the price counts as the same fare

// follower simulates travellers who follow alerts, on one set of prices, recorded or invented.
type follower struct {
	*alertPanel
	alerts []alert
	sample
}

// purchase is what a traveller with an alert does. A look is a day on which the watched fare was
// seen; purchase holds the looks with a message and the look at which the traveller buys.
type purchase struct {
	messages []int
	look     int
}

func (f *follower) kinds() (all []AlertKind) {
	for _, kind := range alertKinds {
		done := make([]purchase, len(f.alerts))
		for i, a := range f.alerts {
			done[i] = purchase{dueLooks(kind.watch(f.quarter[a.row]), f.look(a)), len(a.looks) - 1}
			if len(done[i].messages) > 0 {
				done[i].look = done[i].messages[0]
			}
		}
		all = append(all, f.measure(kind.name, done))
	}
	none, best := make([]purchase, len(f.alerts)), make([]purchase, len(f.alerts))
	for i, a := range f.alerts {
		looks := f.look(a)
		none[i].look = len(looks) - 1
		for at, s := range looks {
			none[i].messages = append(none[i].messages, at)
			if s.Price < looks[best[i].look].Price {
				best[i].look = at
			}
		}
	}
	return append(all, f.measure(noAlert, none), f.measure(bestDay, best))
}

// Two imaginary kinds of alert for comparison, printed in the table of alert kinds.
const (
	noAlert = "no alert"          // buys at the deadline; each day with a fare counts as a message
	bestDay = "the cheapest look" // buys on the cheapest day, which only later prices show
)

func (f *follower) look(a alert) []notify.Observation {
	all := make([]notify.Observation, len(a.looks))
	for i, row := range a.looks {
		all[i] = f.looks[row]
	}
	return all
}

func (f *follower) measure(name string, done []purchase) AlertKind {
	k := AlertKind{Name: name}
	estimates := []**Estimate{&k.WithMessage, &k.Messages, &k.SeenNext, &k.Still, &k.AtOnce, &k.Later, &k.Random,
		&k.Deadline, &k.SameWaits}
	all := f.Averages(1, len(estimates))[0]
	add := func(of **Estimate, row int32, value float64) {
		all[slices.Index(estimates, of)].Add(f.cells[row], value)
	}
	price := func(row int32) float64 { return float64(f.looks[row].Price) }
	waits := f.meansOfWaits(done)
	for i, a := range f.alerts {
		p, last := done[i], len(a.looks)-1
		add(&k.WithMessage, a.row, stats.Share(len(p.messages) > 0))
		add(&k.Messages, a.row, float64(len(p.messages)))
		for _, at := range p.messages {
			look := a.looks[at]
			next := float64(f.next[look])
			add(&k.SeenNext, a.row, stats.Share(next > 0))
			if next > 0 {
				add(&k.Still, a.row, stats.Share(next <= alertStill*price(look)))
			}
		}
		sum := price(a.row)
		for _, look := range a.looks {
			sum += price(look)
		}
		paid := price(a.looks[p.look])
		add(&k.AtOnce, a.row, paid/price(a.row)-1)
		add(&k.Later, a.row, price(a.looks[min(p.look+1, last)])/price(a.row)-1)
		add(&k.Random, a.row, paid/(sum/float64(1+len(a.looks)))-1)
		add(&k.Deadline, a.row, paid/price(a.looks[last])-1)
		add(&k.SameWaits, a.row, paid/waits[i]-1)
	}
	for i, of := range estimates {
		if a := all[i]; a.Count > 0 {
			*of = &Estimate{a.Count, a.Mean(), a.Interval()}
		}
	}
	return k
}

// meansOfWaits returns, for each alert, a mean price for comparison. It takes the waits, in days,
// of all alerts with the same number of days to the deadline. It averages this alert's prices after
// each of these waits. The comparison shows whether the alert chose a good day, or only waited as
// long as others.
func (f *follower) meansOfWaits(done []purchase) []float64 {
	wait := func(a alert, look int32) int { return int(f.panel.rows[look].day - f.panel.rows[a.row].day) }
	waits := map[int][]int{} // by days to the deadline: number of purchases after each length of wait
	for i, a := range f.alerts {
		if waits[a.days] == nil {
			waits[a.days] = make([]int, a.days+1)
		}
		waits[a.days][wait(a, a.looks[done[i].look])]++
	}
	all := make([]float64, len(done))
	for i, a := range f.alerts {
		sum, count, at := 0., 0, 0
		for days, n := range waits[a.days] {
			for at < len(a.looks)-1 && wait(a, a.looks[at]) < days {
				at++
			}
			sum += float64(n) * float64(f.looks[a.looks[at]].Price)
			count += n
		}
		all[i] = sum / float64(count)
	}
	return all
}
