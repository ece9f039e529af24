package wording

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

type Verdict struct {
	*i18n.Language
	Of     verdict.Judgement
	On     fare.Day // the day or month asked about, if any
	Back   fare.Day // the day of return asked about, if any
	Around bool     // the question is about the cheapest of the days around On
	Today  fare.Day
}

func (v Verdict) Judged() bool {
	if v.question() == "month" || v.question() == "around" {
		return v.Of.OwnDay.Judged() || v.Of.Declared && v.Of.Verdict.Judged()
	}
	return v.Of.Verdict.Judged()
}

func (v Verdict) OfMarket() bool { return v.Of.Scope == verdict.OfRoute && !v.Of.Declared }

func (v Verdict) question() string {
	switch {
	case v.Of.Scope == verdict.OfMonth:
		return "month"
	case v.Of.Scope != verdict.OfDeparture:
		return "route"
	case v.Around:
		return "around"
	}
	return "day"
}

func (v Verdict) about() string {
	back := cmp.Or(v.Of.Fare.Return(), v.Back)
	if v.question() == "day" && back != 0 {
		return v.Text("for.return", "Out", v.WeekdayDay(v.On), "Back", v.WeekdayDay(back))
	}
	return v.Text("for."+v.question(), "Day", v.WeekdayDay(v.On), "Month", v.MonthOf(v.On))
}

// ForDay returns false if the fare cannot be judged for its own departure.
func (v Verdict) ForDay() (Verdict, bool) {
	if v.question() == "day" {
		return v, v.Judged()
	}
	if !v.Of.OwnDay.Judged() {
		return v, false
	}
	v.Of.Verdict, v.Of.Quartiles, v.Of.Scope = v.Of.OwnDay, v.Of.OwnQuartiles, verdict.OfDeparture
	v.On, v.Around = v.Of.Fare.Depart, false
	return v, true
}

func (v Verdict) judgement() Verdict {
	if ofDay, ok := v.ForDay(); ok && !v.OfMarket() {
		return ofDay
	}
	return v
}

func (v Verdict) Headline() string { return Sentence(v.headline()) + "." }

func (v Verdict) headline() string {
	on := "its"
	_, hasDay := v.ForDay()
	switch judged := v.judgement().Of; {
	case !v.Judged():
		return strings.TrimSuffix(v.Text("headline.dati-insufficienti"), ".")
	case v.OfMarket():
		return v.Text("headline.market", "Level", v.Level())
	case !hasDay:
		on = "stated"
	case v.question() == "day" && judged.Fare.Return() != 0:
		on = "days"
	case v.question() == "day":
		on = "day"
	}
	return v.Text("headline."+on, "Level", v.Level())
}

func (v Verdict) Brief() string {
	if v.OfMarket() {
		return v.headline()
	}
	return v.Text("headline.brief", "Price", v.Money(v.Of.Fare.Price), "Level", v.Level())
}

func (v Verdict) Level() string {
	if v.OfMarket() {
		return v.Text("market." + string(v.Of.Verdict.Level))
	}
	return v.Text("level." + string(v.LevelName()))
}

func (v Verdict) LevelName() verdict.Level { return v.judgement().Of.Verdict.Level }

// Than returns "" if the fare is not judged for a day, because there is then no usual price.
func (v Verdict) Than() string {
	ofDay, ok := v.ForDay()
	if !ok {
		return ""
	}
	amount, id := v.apart(ofDay.Of)
	return v.Text("than."+id, "Amount", amount)
}

func (v Verdict) Usual() string {
	ofDay, ok := v.ForDay()
	if !ok {
		return ""
	}
	amount, id := v.apart(ofDay.Of)
	return v.Text("usual."+id, "Usual", v.About(ofDay.Of.Verdict.Median), "Amount", amount)
}

func (v Verdict) apart(j verdict.Judgement) (amount, id string) {
	return apart(v.Language, j.Fare.Price, j.Verdict.Median, cmp.Or(j.Euro, oneEuro))
}

const oneEuro = 100

// Than expects price and usual in euro cents.
func Than(l *i18n.Language, price, usual fare.Cents) string {
	amount, id := apart(l, price, usual, oneEuro)
	return l.Text("than."+id, "Amount", amount)
}

func Usual(l *i18n.Language, price, usual fare.Cents) string {
	amount, id := apart(l, price, usual, oneEuro)
	return l.Text("usual."+id, "Usual", l.About(usual), "Amount", amount)
}

func Signed(l *i18n.Language, price, usual fare.Cents) string {
	if _, id := apart(l, price, usual, oneEuro); id == same {
		return "0"
	}
	return l.Signed(price, usual)
}

const same = "same"

// apart decides in euros whether price is near usual. euro is the value of 1 EUR in the currency of
// price and usual.
func apart(l *i18n.Language, price, usual, euro fare.Cents) (amount, id string) {
	amount, sign := l.Apart(price, usual)
	if departure.Near(price*oneEuro/euro, usual*oneEuro/euro) {
		return amount, same
	}
	return amount, Direction(sign)
}

func Direction(sign int) string { return [...]string{"less", same, "more"}[sign+1] }

func (v Verdict) Lower() string {
	l := v.Of.Lower
	if l == nil || v.Of.Declared {
		return ""
	}
	return v.Text("fare.lower", "Price", v.Money(l.Price), "Departure", v.date(l.Depart), "Back", v.date(l.Return()),
		"When", v.seen(*l))
}

func (v Verdict) Scale() verdict.Judgement { return v.judgement().Of }

func (v Verdict) Half() string {
	judged, route := v.judgement().Of, ""
	if judged.Scope == verdict.OfRoute {
		route = "_route"
	}
	low, high := Half(v.Language, judged)
	return v.Text("departure.half"+route, "Low", low, "High", high)
}

// Half rounds the result high so that an Expensive fare is above high.
func Half(l *i18n.Language, a verdict.Judgement) (low, high string) {
	q := a.Quartiles
	high = l.About(q.HalfHigh)
	if price := l.Convert(a.Fare.Price); a.Verdict.Level == verdict.Expensive && (l.Convert(q.HalfHigh)+50)/100*100 >= price {
		high = l.InUnits((price - 1) / 100 * 100)
	}
	return l.About(min(q.HalfLow, q.HalfHigh)), high
}

func (v Verdict) Adjusted() string {
	if v.question() == "route" {
		return ""
	}
	return v.Text("departure.adjusted")
}

func (v Verdict) Fare() string {
	offer := v.Of.Fare
	if v.Of.Declared {
		return v.Text("fare.stated", "Price", v.Quoted(offer.Quoted))
	}
	sentence := v.Text("fare."+v.question(), "Price", v.Money(offer.Price), "Departure", v.date(offer.Depart), "Back",
		v.date(offer.Return()), "When", v.seen(offer))
	if flight := FlightSentence(v.Language, offer); flight != "" {
		sentence += " " + flight
	}
	return sentence
}

func (v Verdict) Known() string {
	known := v.Of.Known
	if known == nil {
		return ""
	}
	id, difference, departure := "same", known.Price-v.Of.Fare.Price, ""
	switch {
	case difference < 0:
		id = "less"
	case difference > 0:
		id = "more"
	}
	if v.question() != "day" {
		departure = v.date(known.Depart)
	}
	if known.Return() != 0 {
		departure = v.Text("ask.out_and_back", "Out", v.date(known.Depart), "Back", v.date(known.Return()))
	}
	return v.Text("known."+id, "For", v.about(), "Price", v.Money(known.Price), "Departure", departure, "When",
		v.seen(*known), "Difference", v.Money(max(difference, -difference)))
}

func (v Verdict) Past() string {
	low, level := v.Of.Lowest, v.LevelName()
	const clearly = 95
	if low == nil || level == verdict.Expensive || level == verdict.Unjudged || low.Price*100 > v.Of.Fare.Price*clearly {
		return ""
	}
	return v.Text("fare.past", "Price", v.Money(low.Price), "Day", v.date(low.Day))
}

func (v Verdict) Certainty() (certainty, restsOn string) {
	v = v.judgement()
	judged := v.Of.Verdict
	certainty = v.Text("certainty." + string(judged.Reliability))
	if v.question() == "route" {
		since, _ := v.since()
		return certainty, v.Text("verdict.observed", "Days", judged.Sample, "Since", since)
	}
	return certainty, Compared(v.Language, judged)
}

func Compared(l *i18n.Language, v verdict.Verdict) string {
	fares := l.Number(v.Sample)
	switch v.Comparison {
	case verdict.OnSaleToday:
		return l.Text("departure.compared_on_sale", "Days", fares)
	case verdict.OnSaleAndEarlier:
		return l.Text("departure.compared_both", "Fares", fares)
	}
	return l.Text("departure.observed", "Fares", fares)
}

func (v Verdict) since() (string, bool) {
	days := v.Of.Verdict.Days
	if days == nil {
		return "", false
	}
	return v.Date(days.Since), true
}

func (v Verdict) Rank() string {
	v = v.judgement()
	judged := v.Of.Verdict
	since, ok := v.since()
	switch {
	case !ok:
		return Comparables(v.Language, judged.Percentile)
	case judged.Days.Lower == 0:
		return v.Text("verdict.never_lower", "Days", judged.Sample, "Since", since, "Same", judged.Days.Equal)
	}
	return v.Text("verdict.lower", "Days", judged.Sample, "Since", since, "Lower", judged.Days.Lower)
}

func (v Verdict) Missed() string {
	judged := v.judgement().Of.Verdict
	if i := judged.Interval; judged.Days != nil && judged.Days.Lower > 0 && i != nil && i.To-i.From > 1 {
		return v.Text("verdict.missed", "Low", i.From, "High", i.To)
	}
	return ""
}

func (v Verdict) Waiting() string {
	if v.Of.Declared {
		return ""
	}
	return Advice(v.Language, v.Of)
}

func (v Verdict) seen(l verdict.Live) string {
	if l.Found == 0 {
		return ""
	}
	return Ago(v.Language, int(v.Today-l.FoundDay()))
}

func (v Verdict) date(d fare.Day) string {
	if d == 0 {
		return ""
	}
	return v.WeekdayDate(d)
}

func Ago(l *i18n.Language, days int) string {
	switch {
	case days <= 0:
		return l.Text("ago.today")
	case days == 1:
		return l.Text("ago.yesterday")
	}
	return l.Count("ago.days", days)
}

func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
