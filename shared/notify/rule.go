package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// shouldNotify tells whether what the last refresh saw is to be sent to an alert
// whose subscriber was last notified of the refresh of a day; 0 is never, and a
// threshold of 0 stands for the verdict.
//
// A refresh sees one price and one level of each route. An alert with a threshold
// is met where the price is at or under it; one without is met where the level is
// ottimo or buono. The subscriber is notified when what the last refresh saw meets
// the alert, and either nothing was sent before, or a refresh since then (the one
// that was sent included, for thresholds change) saw what does not meet it: a
// fare that stays cheap is sent once. Too little data notifies nobody. It says
// nothing about the level, so it does not end a time of good levels either; its
// price counts for thresholds.
func shouldNotify(threshold fare.Cents, notified fare.Day, h history) bool {
	if len(h) == 0 {
		return false
	}
	last := h[len(h)-1]
	if last.Level == verdict.Insufficient || !meets(last, threshold) {
		return false
	}
	if notified == 0 {
		return true
	}
	for _, e := range h[:len(h)-1] {
		unknown := threshold == 0 && e.Level == verdict.Insufficient
		if e.Day >= notified && !unknown && !meets(e, threshold) {
			return true
		}
	}
	return false
}

func meets(e entry, threshold fare.Cents) bool {
	if threshold > 0 {
		return e.Price <= threshold
	}
	return e.Level == verdict.Ottimo || e.Level == verdict.Buono
}
