package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Observation is an observation: the cheapest fare that one refresh saw for an alert, and its
// level.
type Observation struct {
	Day   fare.Day
	Price fare.Cents
	Level string // as in verdict
	// Low is the number of days before Day without a fare as cheap; 0 if unknown.
	Low fare.Day
}

// Watch is the condition under which a subscriber is notified of a fare.
//
// It folds over the observations, one per day. Due handles an observation that can be sent; Pass
// handles one that cannot. Under a Threshold and a Verdict, a fare is sent again only after an
// observation that did not meet the condition. A Drop and a Change compare with the price of the
// last message. Before the first message they compare with the first observation. A Low is met if
// no fare of the last Days was as cheap.
type Watch struct {
	Kind      string // as in store
	Threshold fare.Cents
	Days      int        // of Low
	Percent   int        // of Drop: by this share of the price,
	Amount    fare.Cents // or by this amount
}

// State is the result of the fold over earlier observations. The zero value is the state before the
// first.
type State struct {
	LastDay fare.Day   // day of the last message; 0: none
	Price   fare.Cents // of the last message; before the first one, of the first observation
	// Unmet reports whether the observation of the last message, or a later one, did not meet the
	// condition. It is also set if the condition has changed since.
	Unmet bool
	// Missed is the highest price since the last message that was a Low and was not sent.
	Missed fare.Cents
}

// Due reports whether to notify the subscriber of an observation, and the state after that message.
func (w Watch) Due(s State, seen Observation) (due bool, next State) {
	if !w.due(s, seen) {
		return false, w.Pass(s, seen)
	}
	return true, State{LastDay: seen.Day, Price: seen.Price}
}

// Pass returns the state after an observation that is not sent: mail did not go out before the next
// refresh, or the alert is paused.
func (w Watch) Pass(s State, seen Observation) State {
	if s.Price == 0 {
		s.Price = seen.Price
	}
	unknown := w.Kind == store.Verdict && seen.Level == verdict.Insufficient
	if !unknown && !w.meets(s, seen) {
		s.Unmet = true
	}
	if w.Kind == store.Low && w.due(s, seen) {
		s.Missed = max(s.Missed, seen.Price)
	}
	return s
}

func (w Watch) due(s State, seen Observation) bool {
	if seen.Level == verdict.Insufficient || s.LastDay > 0 && seen.Day <= s.LastDay || !w.meets(s, seen) {
		return false
	}
	return s.LastDay == 0 || s.Unmet || w.Kind != store.Threshold && w.Kind != store.Verdict
}

// meets reports whether an observation meets the condition, regardless of earlier messages.
func (w Watch) meets(s State, seen Observation) bool {
	switch w.Kind {
	case store.Threshold:
		return seen.Price <= w.Threshold
	case store.Low:
		return seen.Low >= fare.Day(w.Days) || seen.Price <= s.Missed
	case store.Drop:
		return s.Price > 0 && (w.Percent > 0 && seen.Price*100 <= s.Price*fare.Cents(100-w.Percent) || w.Amount > 0 &&
			seen.Price <= s.Price-w.Amount)
	case store.Change:
		return s.Price > 0 && seen.Price != s.Price
	}
	return seen.Level == verdict.Ottimo || seen.Level == verdict.Buono
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

// dueOf reports whether to notify an alert of the last observation of a history, and the state
// after that message. It first folds over the observations since the last message, including that
// day's. Observations from before the alert was made are ignored.
func dueOf(a store.Alert, h history) (due bool, s State) {
	w, s := watchOf(a), stateOf(a)
	if len(h) == 0 {
		return false, s
	}
	if store.IsWrongDay(a.Mailed, h[len(h)-1].Day) {
		a.Mailed, s.LastDay = 0, 0
	}
	for _, seen := range h[:len(h)-1] {
		if seen.Day >= max(a.Mailed, a.Since) {
			s = w.Pass(s, seen)
		}
	}
	last := h[len(h)-1]
	if last.Day < a.Paused || last.Day < a.Since {
		return false, s
	}
	if a.Digest { // the digest covers it
		return false, w.Pass(s, last)
	}
	return w.Due(s, last)
}
