package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

type Observation struct {
	Day   fare.Day
	Price fare.Cents
	Level verdict.Level
	// Low is the number of days since a fare was as cheap as Price, or since the oldest known fare. 0
	// means unknown.
	Low fare.Day
}

// A Watch is the condition of an alert. In the order of days, call Due with an observation that can
// be sent, and Pass with any other.
type Watch struct {
	Kind      string
	Threshold fare.Cents
	Days      int
	Percent   int
	Amount    fare.Cents
}

type State struct {
	LastDay fare.Day   // day of the refresh whose fares the last message reported, or 0; digests do not count
	Price   fare.Cents // price in the last message, or else in the first observation
	// Unmet is true if an observation since the last message did not meet the condition, or if the
	// condition was changed.
	Unmet bool
	// Missed, for kind Low, is the highest price that was due since the last message but was not
	// sent.
	Missed fare.Cents
}

// If due is true, next is the state after the message, else the state after Pass.
func (w Watch) Due(s State, seen Observation) (due bool, next State) {
	if !w.due(s, seen) {
		return false, w.Pass(s, seen)
	}
	return true, State{LastDay: seen.Day, Price: seen.Price}
}

func (w Watch) Pass(s State, seen Observation) State {
	if s.Price == 0 {
		s.Price = seen.Price
	}
	unknown := w.Kind == store.Verdict && seen.Level == verdict.Unjudged
	if !unknown && !w.meets(s, seen) {
		s.Unmet = true
	}
	if w.Kind == store.Low && w.due(s, seen) {
		s.Missed = max(s.Missed, seen.Price)
	}
	return s
}

func (w Watch) due(s State, seen Observation) bool {
	if seen.Level == verdict.Unjudged || s.LastDay > 0 && seen.Day <= s.LastDay || !w.meets(s, seen) {
		return false
	}
	if s.LastDay == 0 || s.Unmet {
		return true
	}
	switch w.Kind {
	case store.Threshold, store.Verdict:
		return false
	case store.Paid:
		return seen.Price < s.Price
	}
	return true
}

// meets ignores whether the observation was already sent.
func (w Watch) meets(s State, seen Observation) bool {
	switch w.Kind {
	case store.Threshold:
		return seen.Price <= w.Threshold
	case store.Paid:
		return seen.Price < w.Threshold
	case store.Low:
		return seen.Low >= fare.Day(w.Days) || seen.Price <= s.Missed
	case store.Drop:
		return s.Price > 0 && (w.Percent > 0 && seen.Price*100 <= s.Price*fare.Cents(100-w.Percent) || w.Amount > 0 &&
			seen.Price <= s.Price-w.Amount)
	case store.Change:
		return s.Price > 0 && seen.Price != s.Price
	}
	return seen.Level == verdict.Great || seen.Level == verdict.Good
}

func watchOf(a store.Alert) Watch {
	return Watch{Kind: a.Condition(), Threshold: a.Threshold, Days: a.Days, Percent: a.Percent, Amount: a.Amount}
}

func stateOf(a store.Alert) State {
	s := State{LastDay: a.Mailed, Price: a.State.First, Unmet: a.Fresh}
	if a.Mailed > 0 && a.State.LastPrice > 0 {
		s.Price = a.State.LastPrice
	}
	return s
}
