package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

// What is new about a fare, by the kind of alert.

// before returns the price in the last message of an alert, and its day. Before the first message,
// a Drop or a Change returns the first price that it saw, and day 0. The price is 0 if it is
// unknown.
func before(a store.Alert, h history) (price fare.Cents, told fare.Day) {
	if a.Mailed > 0 && a.State.LastPrice > 0 {
		return a.State.LastPrice, a.Mailed
	}
	if a.Mailed > 0 || a.Kind != store.Drop && a.Kind != store.Change || len(h) == 0 {
		return 0, 0
	}
	w, s := watchOf(a), stateOf(a)
	for _, seen := range h[:len(h)-1] {
		if seen.Day >= a.Since {
			s = w.Pass(s, seen)
		}
	}
	return s.Price, 0
}

// lowest returns the lowest known fare of the given number of days before the news; 0 if none is
// known.
func (n news) lowest(days fare.Day, h history) (low fare.Cents) {
	take := func(price fare.Cents) {
		if price > 0 && (low == 0 || price < low) {
			low = price
		}
	}
	for _, e := range h {
		if e.Day < n.Day && e.Day >= n.Day-days {
			take(e.Price)
		}
	}
	for back := range min(int(days)/7, weeks) { // only weeks that lie wholly within these days
		take(n.Lows[weeks-1-back])
	}
	return low
}

// Since returns the sentence on what is new about a fare. It is empty if the kind of alert needs
// none, or the facts are unknown.
func Since(a store.Alert, f Fare, l *i18n.Language) string {
	switch a.Condition() {
	case store.Low:
		switch {
		case f.Lowest == 0 || f.Price == f.Lowest:
			return l.Text("since.low", "Days", a.Days)
		case f.Price < f.Lowest:
			return l.Text("since.low_until", "Days", a.Days, "Amount", l.Amount(f.Lowest))
		}
	case store.Drop:
		if f.Before <= f.Price {
			return ""
		}
		saved, share := l.Amount(f.Before-f.Price), wording.Percent(l, float64(f.Before-f.Price)/float64(f.Before))
		if f.LastDay == 0 {
			return l.Text("since.drop_first", "Saved", saved, "Share", share, "Amount", l.Amount(f.Before))
		}
		return l.Text("since.drop", "Saved", saved, "Share", share, "Amount", l.Amount(f.Before), "Date",
			l.Date(f.LastDay))
	case store.Change:
		switch {
		case f.Before == 0:
		case f.LastDay == 0:
			return l.Text("since.change_first", "Amount", l.Amount(f.Before), "Price", l.Amount(f.Price))
		default:
			return l.Text("since.change", "Amount", l.Amount(f.Before), "Price", l.Amount(f.Price), "Date",
				l.Date(f.LastDay))
		}
	}
	return ""
}
