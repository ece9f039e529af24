package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
)

// Seen is what one refresh saw of the fares that an alert is for: the cheapest,
// and how it was judged.
type Seen struct {
	Day   fare.Day
	Price fare.Cents
	Level string // as in verdict
	// Low is for how many days before Day no fare was as cheap, as far as is known; 0 where that was not noted.
	Low fare.Day
}

// Watch is what has to be true of a fare for its subscriber to be notified.
//
// It is a fold over what refreshes saw, one look a day: Due for a look that can be sent, Pass for
// one that is not, whatever it saw. Under a Threshold and a Verdict a fare is sent again only after
// a look that did not meet the condition. A Drop and a Change compare with the price of the last
// message, before the first one with that of the first look; a Low is one while no fare of so many
// days before was as cheap.
type Watch struct {
	Kind      string // as in store
	Threshold fare.Cents
	Days      int        // of Low
	Percent   int        // of Drop: by so much of the price,
	Amount    fare.Cents // or by so much
}

// State is what earlier looks leave for the next. The zero value is that of an alert before its first look.
type State struct {
	Told  fare.Day   // the last look that was told; 0: none
	Price fare.Cents // that it told; before there was one, of the first look
	// Unmet tells that a look since then, or that one itself, did not meet the
	// condition, or that the condition is another one now.
	Unmet bool
	// Missed is the highest price that was a Low since then and was not told.
	Missed fare.Cents
}

// Due tells whether the subscriber is to be told of a look, and the state after it if that is done.
func (w Watch) Due(s State, seen Seen) (due bool, next State) {
	if !w.due(s, seen) {
		return false, w.Pass(s, seen)
	}
	return true, State{Told: seen.Day, Price: seen.Price}
}

// Pass is the state after a look that nobody is told of: mail did not go out before
// the next refresh, or the alert is paused.
func (w Watch) Pass(s State, seen Seen) State {
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

func (w Watch) due(s State, seen Seen) bool {
	if seen.Level == verdict.Insufficient || s.Told > 0 && seen.Day <= s.Told || !w.meets(s, seen) {
		return false
	}
	return s.Told == 0 || s.Unmet || w.Kind != store.Threshold && w.Kind != store.Verdict
}

// meets tells whether a look meets the condition, whatever was told before.
func (w Watch) meets(s State, seen Seen) bool {
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
	s := State{Told: a.Mailed, Price: a.State.First, Unmet: a.Fresh}
	if a.Mailed > 0 && a.State.Told > 0 {
		s.Price = a.State.Told
	}
	return s
}

// dueOf tells whether the last look of a history is to be told to an alert. Those
// since its last message, and that one itself, are passed over first; those before it was asked for are not its own.
// It gives the state after that look, if it is told.
func dueOf(a store.Alert, h history) (due bool, s State) {
	w, s := watchOf(a), stateOf(a)
	if len(h) == 0 {
		return false, s
	}
	if store.IsWrongDay(a.Mailed, h[len(h)-1].Day) {
		a.Mailed, s.Told = 0, 0
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
	if a.Digest { // a digest tells of it
		return false, w.Pass(s, last)
	}
	return w.Due(s, last)
}
