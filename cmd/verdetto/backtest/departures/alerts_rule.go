package departures

import (
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/store"
)

// alertKinds are the kinds of alert that are replayed. The alert of kind "threshold" uses quarter,
// the lower quartile of comparable prices, as its threshold.
var alertKinds = []struct {
	name  string
	watch func(quarter fare.Cents) notify.Watch
}{
	{"threshold", func(quarter fare.Cents) notify.Watch {
		return notify.Watch{Kind: store.Threshold, Threshold: quarter}
	}},
	{"verdict", func(fare.Cents) notify.Watch { return notify.Watch{Kind: store.Verdict} }},
	{"low of 30 days", func(fare.Cents) notify.Watch { return notify.Watch{Kind: store.Low, Days: 30} }},
	{"drop of 10 %", func(fare.Cents) notify.Watch { return notify.Watch{Kind: store.Drop, Percent: 10} }},
	{"change", func(fare.Cents) notify.Watch { return notify.Watch{Kind: store.Change} }},
}

// dueLooks returns the indexes of the observations for which the alert sends a message.
func dueLooks(w notify.Watch, looks []notify.Observation) (messages []int) {
	var s notify.State
	for i, seen := range looks {
		due, next := w.Due(s, seen)
		if due {
			messages = append(messages, i)
		}
		s = next
	}
	return messages
}
