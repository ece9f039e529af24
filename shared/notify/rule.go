package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Observation is the cheapest fare that one refresh found for an alert, with its verdict.
type Observation struct {
	Day   fare.Day
	Price fare.Cents
	Level verdict.Level
	// Low is the number of days before Day in which no fare was as cheap. 0: unknown.
	Low fare.Day
}

// Watch is the condition under which a subscriber is notified of a fare. It is applied to the
// observations of an alert in order, one per day: Due for an observation that can be sent, Pass for
// one that cannot.
//
// The kinds of conditions differ in which fares count as new. With Threshold and Verdict, a fare is
// sent again only after an observation that did not meet the condition, or after a change of the
// condition. Drop and Change compare with the price in the last message or else with the first
// observation. Low is met if no fare of the last Days days was as cheap, or if a fare as low was
// due but not sent. With Paid, a fare below the Threshold is sent; while fares stay below it, only
// one below the price in the last message is sent again.
type Watch struct {
	Kind      string // a kind of package store
	Threshold fare.Cents
	Days      int        // for kind Low: the number of days in which no fare was as cheap
	Percent   int        // for kind Drop by a percentage
	Amount    fare.Cents // for kind Drop by an amount, in EUR cents
}

// State is what earlier observations and messages of an alert determine.
type State struct {
	LastDay fare.Day   // day of the refresh that the last message reported; 0: none
	Price   fare.Cents // price in the last message; before the first message, of the first observation
	// Unmet is true if, since the last message, an observation did not meet the condition, or the
	// subscriber changed the condition. The observation in the message itself counts too.
	Unmet bool
	// Missed, for kind Low, is the highest price that was due since the last message but was not
	// sent.
	Missed fare.Cents
}

// Due reports whether to notify the subscriber of an observation. next is the state after the
// message if due is true, else after Pass.
func (w Watch) Due(s State, seen Observation) (due bool, next State) {
	if !w.due(s, seen) {
		return false, w.Pass(s, seen)
	}
	return true, State{LastDay: seen.Day, Price: seen.Price}
}

// Pass returns the state after an observation that is not sent, for example because the alert is
// paused, or the next refresh came before mail was sent.
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

// meets reports whether an observation meets the condition, even if it was already sent.
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
