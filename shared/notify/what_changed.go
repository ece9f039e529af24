package notify

import (
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

// If there was no message about an alert of kind Drop or Change, price is the first known price, or 0,
// and day is 0.
func before(a store.Alert, h history) (price fare.Cents, day fare.Day) {
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

func known(a store.Alert, h history) (price fare.Cents) {
	if a.Mailed > 0 || a.RequestDay == 0 || len(h) == 0 {
		return a.State.LastPrice
	}
	for _, seen := range h[:len(h)-1] {
		if price == 0 || seen.Day <= a.RequestDay {
			price = seen.Price
		}
	}
	return price
}

func Subject(a store.Alert, f Fare, l *i18n.Language) string {
	var id, other string
	switch {
	case a.Kind == store.Paid:
		id, other = "paid", l.Amount(a.Threshold)
	case f.Known > 0 && f.Known != f.Price:
		id, other = "was", l.Amount(f.Known)
	case f.ForDay != nil:
		id, other = "usual", l.About(f.ForDay.Usual)
	case f.Market() != "":
		return l.Text("mail.alert.subject.market", "Route", f.Origin+"–"+f.Destination, "Price", l.Amount(f.Price),
			"Level", l.Text("market."+string(f.Market())))
	default:
		return f.Origin + "–" + f.Destination + l.Text("format.colon") + " " + l.Amount(f.Price)
	}
	return l.Text("mail.alert.subject."+id, "Route", f.Origin+"–"+f.Destination, "Price", l.Amount(f.Price), "Other", other)
}

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

// Since returns a sentence about what is new about a fare, or "" if there is nothing to say.
func Since(a store.Alert, f Fare, l *i18n.Language) string {
	switch a.Condition() {
	case store.Paid:
		if f.Price < a.Threshold {
			return l.Text("since.paid", "Saved", l.Amount(a.Threshold-f.Price), "Amount", AmountOf(a, a.Threshold, l))
		}
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
			l.WeekdayDate(f.LastDay))
	case store.Change:
		switch {
		case f.Before == 0:
		case f.LastDay == 0:
			return l.Text("since.change_first", "Amount", l.Amount(f.Before), "Price", l.Amount(f.Price))
		default:
			return l.Text("since.change", "Amount", l.Amount(f.Before), "Price", l.Amount(f.Price), "Date",
				l.WeekdayDate(f.LastDay))
		}
	}
	return ""
}
