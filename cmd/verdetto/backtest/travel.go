package backtest

import (
	"fmt"
	"slices"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// buckets are the ranges of days before departure for which the booking window is measured. Each
// range is named by its first day.
var buckets = verdict.LeadStarts()

// bucketName returns the text for a range of days before departure (a bucket). The last bucket is
// the advised booking window.
func bucketName(b int) string {
	switch {
	case b == len(buckets):
		return "advised"
	case b == len(buckets)-1:
		return fmt.Sprintf("%d+", buckets[b])
	}
	return fmt.Sprintf("%d-%d", buckets[b], buckets[b+1]-1)
}

func bucketOf(lead int) int {
	i, exact := slices.BinarySearch(buckets, lead)
	if !exact {
		i--
	}
	return i
}

// observedToTheEnd reports whether prices of a departure are known until it left. It must have left
// before the panel (observed fares) ended. Its last price must be less than LiveDays, or less than
// one refresh interval, older than the departure.
func (d departure) observedToTheEnd(s span) bool {
	last := d.quotes[len(d.quotes)-1].day
	return d.depart <= s.to && int(d.depart-last) < max(s.cycle, verdict.LiveDays)
}

// fullLead is the lead time (days before departure) from which a departure must have been seen to
// count as complete.
const fullLead = 61

// bookingWindow measures how much dearer each quote is than the cheapest quote of the same
// departure. It uses only complete departures. If a departure is seen only in its last weeks, its
// cheapest quote is too dear, so that late fares look too cheap.
func (m *measures) bookingWindow(route int, r routeReplay) {
	for _, d := range r.departures {
		if !d.observedToTheEnd(m.span) || int(d.depart-d.quotes[0].day) < fullLead {
			continue
		}
		low, _ := d.lowest(d.quotes[0].day-1, d.depart)
		for _, q := range d.quotes {
			if q.day < m.span.from {
				continue
			}
			lead := int(d.depart - q.day)
			at := bucketOf(lead)
			if j, ok := r.judgementOn(q.day); ok && j.window != nil && j.window.From <= lead && lead <= j.window.To {
				at = len(buckets)
			}
			m.premium[at].AddKept(m.blocks.Cell(route, q.day), float64(q.price)/float64(low)-1)
		}
	}
}

// policy is a way to choose the day on which to buy a fare for a given departure.
type policy struct {
	name string
	// buys reports whether a traveller buys at this quote. A traveller who reaches the last quote
	// always buys.
	buys func(s routeReplay, l departure, at int) bool
}

// The policies. The policy that knows all later prices is computed separately.
var policies = []policy{
	{"at once", func(routeReplay, departure, int) bool { return true }},
	{"clairvoyant", nil},
	{"ottimo or buono in the window", func(s routeReplay, l departure, at int) bool {
		return inWindow(s, l, at, func(level string) bool { return level == verdict.Ottimo || level == verdict.Buono })
	}},
	{"unless caro in the window", func(s routeReplay, l departure, at int) bool {
		return inWindow(s, l, at, func(level string) bool { return level != verdict.Caro })
	}},
	{"first day of the window", func(s routeReplay, l departure, at int) bool {
		return inWindow(s, l, at, func(string) bool { return true })
	}},
	{"lower quartile", func(s routeReplay, l departure, at int) bool {
		look, ok := s.judgementOn(l.quotes[at].day)
		return ok && l.quotes[at].price <= look.quartile
	}},
	{"always waiting", func(routeReplay, departure, int) bool { return false }},
}

const buyAtOnce, buyAtMinimum = 0, 1

// inWindow reports whether to buy for a policy that follows the advised booking window. Inside the
// window, the policy buys at the first level that is good enough, or else on the last day with a
// verdict. Without a window, or after the window's end, the policy buys at once.
func inWindow(s routeReplay, l departure, at int, enough func(level string) bool) bool {
	seen := l.quotes[at]
	look, ok := s.judgementOn(seen.day)
	if !ok || look.window == nil {
		return true // no advice to wait for
	}
	lead := int(l.depart - seen.day)
	switch {
	case lead > look.window.To:
		return false
	case lead-s.span.cycle < look.window.From:
		return true
	}
	return enough(look.verdict.Livello)
}

// travellerKinds are the two kinds of travellers. They differ in the day on which they start
// looking.
var travellerKinds = []string{"who starts on any day", "who starts before the window ends"}

// travellers simulates one traveller for each departure and each day with a verdict on which the
// departure was seen. Each traveller is simulated with every policy. Departures count only if
// observed to their end: for others the cost of waiting is unknown.
func (m *measures) travellers(route int, s routeReplay) {
	for _, l := range s.departures {
		if !l.observedToTheEnd(s.span) {
			continue
		}
		// The loop goes from the last quote backwards: a traveller who does not buy at a quote pays
		// what the traveller of the next quote pays.
		pays := make([]fare.Cents, len(policies))
		for at := len(l.quotes) - 1; at >= 0; at-- {
			seen := l.quotes[at]
			last := at == len(l.quotes)-1
			for i, p := range policies {
				switch {
				case last, p.buys != nil && p.buys(s, l, at):
					pays[i] = seen.price
				case p.buys == nil:
					pays[i] = min(pays[i], seen.price)
				}
			}
			look, ok := s.judgementOn(seen.day)
			if last || !ok || !look.hasVerdict() || seen.day < s.span.from {
				continue
			}
			groups := 1
			if look.window != nil && int(l.depart-seen.day) >= look.window.From {
				groups = 2
			}
			cell := m.blocks.Cell(route, seen.day)
			for g := range groups {
				for i := range policies {
					m.cost[g][i].Add(cell, float64(pays[i])/100*s.euro)
				}
			}
		}
	}
}
