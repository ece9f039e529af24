package wording

import (
	"cmp"
	"unicode"
	"unicode/utf8"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Verdict writes the sentences about one analysis. Every sentence with a level or a difference
// names its question: the route, a month or a day.
type Verdict struct {
	*i18n.Language
	Of     verdict.Judgement
	On     fare.Day // the day or month in question; 0: the route
	Back   fare.Day // the day of return in question; 0: none
	Around bool     // the question is about the cheapest of the days around On
	Today  fare.Day
}

// Judged reports whether the service knows enough fares for a level.
func (v Verdict) Judged() bool { return v.Of.Verdict.Judged() }

// question returns the kind of question, a part of text ids.
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

// about writes the subject of the question, such as "for this route" or "for Monday 9 May". The
// days of a return are those of the judged fare.
func (v Verdict) about() string {
	back := cmp.Or(v.Of.Fare.Return(), v.Back)
	if v.question() == "day" && back != 0 {
		return v.Text("for.return", "Out", v.WeekdayDay(v.On), "Back", v.WeekdayDay(back))
	}
	return v.Text("for."+v.question(), "Day", v.WeekdayDay(v.On), "Month", v.MonthOf(v.On))
}

// Headline writes the level of the fare and its distance to the usual fare. If Lower names a lower
// fare of the last days, the headline says that it is about the latest one.
func (v Verdict) Headline() string {
	if !v.Judged() {
		return v.Text("headline.dati-insufficienti")
	}
	line := "line"
	if dearWithin(v.Language, v.Of) {
		line = "within"
	}
	said := v.Text("headline."+line, "Level", v.Level(), "Than", v.Than())
	if v.Of.Lower != nil && !v.Of.Declared {
		said = v.Text("headline.latest", "Line", said)
	}
	return Sentence(said)
}

// Brief is short enough for a title.
func (v Verdict) Brief() string {
	return v.Text("headline.brief", "Price", v.Money(v.Of.Fare.Price), "Level", v.Level())
}

// Level writes the level of the judged fare. Inside the usual range, it is at most rather
// expensive.
func (v Verdict) Level() string {
	level := v.Of.Verdict.Level
	if dearWithin(v.Language, v.Of) {
		level = "caro-nella-norma"
	}
	return Level(v.Language, level, v.Of.Verdict.Reliability)
}

// Level writes a level in words, as only probable if the reliability is low.
func Level(l *i18n.Language, level verdict.Level, reliability verdict.Reliability) string {
	if reliability == verdict.LowReliability {
		return l.Text("headline.perhaps", "Level", l.Text("level."+string(level)))
	}
	return l.Text("level." + string(level))
}

// Than writes the distance to the usual fare of the question, without a full stop.
func (v Verdict) Than() string {
	by, level := v.Of.Difference(), v.Of.Verdict.Level
	amount, sign := Apart(v.Language, level, v.Of.Fare.Price, v.Of.Verdict.Median)
	than := Direction(sign)
	switch { // less than one unit of the currency
	case sign == 0 && by < 0 && (level == verdict.Great || level == verdict.Good):
		than = "little_less"
	case sign == 0 && by > 0 && level == verdict.Expensive:
		than = "little_more"
	}
	return v.Text("than."+than, "Amount", amount, "For", v.about())
}

// dearWithin reports whether an expensive fare lies within the usual range as Typical states it.
// The range is the middle half of comparable fares, while a fare is expensive if at least 70 % of
// them are lower.
func dearWithin(l *i18n.Language, a verdict.Judgement) bool {
	if a.Verdict.Level != verdict.Expensive || a.Quartiles == nil {
		return false
	}
	_, above := l.Apart(a.Fare.Price, a.Quartiles.Q3)
	return above <= 0
}

// Apart returns the distance of a fare with the given level from a usual fare, and its Sign.
func Apart(l *i18n.Language, level verdict.Level, price, usual fare.Cents) (amount string, sign int) {
	amount, _ = l.Apart(price, usual)
	return amount, Sign(l, level, price, usual)
}

// Sign returns the sign of what Apart returns. Percentiles of departures go in steps of 5 % of a
// fare, so a difference can contradict its level by at most one step; it then counts as none.
func Sign(l *i18n.Language, level verdict.Level, price, usual fare.Cents) int {
	sign := l.Sign(price, usual)
	cheap := level == verdict.Great || level == verdict.Good
	if cheap && sign > 0 || level == verdict.Expensive && sign < 0 {
		return 0
	}
	return sign
}

// Direction returns the part of text ids for a sign.
func Direction(sign int) string { return [...]string{"less", "same", "more"}[sign+1] }

// OwnDay compares the judged fare with the usual fare of its own departure, the reference of every
// fare with a date, whatever the question. It returns "" if the question is about that day, or if
// the usual fare is unknown.
func (v Verdict) OwnDay() string {
	own := v.Of.OwnDay
	if !own.Judged() || v.Of.Declared || v.question() == "day" {
		return ""
	}
	amount, sign := Apart(v.Language, own.Level, v.Of.Fare.Price, own.Median)
	return v.Text("own_day."+Direction(sign), "Usual", v.About(own.Median), "Amount", amount,
		"But", v.Judged() && int(v.Of.Difference())*sign < 0)
}

// Lower states a lower known fare of another departure, and compares it with the usual fare of the
// route and of its own day. It returns "" if there is none.
func (v Verdict) Lower() string {
	lower := v.Of.Lower
	if lower == nil || v.Of.Declared && v.Of.Known != nil { // Known names it then
		return ""
	}
	l, than := lower.Fare, ""
	if v.Judged() {
		amount, sign := v.Apart(l.Price, v.Of.Verdict.Median)
		than = v.Text("than."+Direction(sign), "Amount", amount, "For", v.about())
	}
	said := v.Text("fare.lower", "Price", v.Money(l.Price), "Departure", v.date(l.Depart), "Back", v.date(l.Return()),
		"When", v.seen(l), "Than", than)
	if own := lower.Verdict; own.Judged() && v.Judged() {
		amount, sign := Apart(v.Language, own.Level, l.Price, own.Median)
		said += " " + v.Text("fare.lower_day", "Price", v.Money(l.Price), "Than",
			v.Text("compare."+Direction(sign), "Amount", amount))
	}
	return said
}

// Usual states the usual fare of the question, and between which amounts half of the comparable
// fares lie. It needs a verdict.
func (v Verdict) Usual() string {
	of := v.Of.Quartiles
	return v.Text("departure.usual_"+v.question(), "Usual", v.About(of.Median), "Low", v.About(of.Q1),
		"High", v.About(of.Q3), "Soon", soon(v.Of))
}

// Adjusted states that the amounts of Usual are adjusted to the lead time. It returns "" for the
// route, whose amounts are observed fares.
func (v Verdict) Adjusted() string {
	if v.question() == "route" {
		return ""
	}
	return v.Text("departure.adjusted")
}

// Typical states the usual range of fares. It needs a verdict.
func (v Verdict) Typical() string {
	if v.question() != "around" {
		return Typical(v.Language, v.Of)
	}
	of := v.Of.Quartiles
	return v.Text("departure.typical_around", "Low", v.About(of.Q1), "High", v.About(of.Q3),
		"Within", dearWithin(v.Language, v.Of))
}

// Fare states the judged fare, its days and its age.
func (v Verdict) Fare() string {
	of := v.Of.Fare
	if v.Of.Declared {
		return v.Text("fare.stated", "Price", v.Quoted(of.Quoted))
	}
	said := v.Text("fare."+v.question(), "Price", v.Money(of.Price), "Departure", v.date(of.Depart), "Back",
		v.date(of.Return()), "When", v.seen(of))
	if flight := FlightSentence(v.Language, of); flight != "" {
		said += " " + flight
	}
	return said
}

// Known compares the price that a reader entered with the lowest known fare. It returns "" if there
// is none.
func (v Verdict) Known() string {
	known := v.Of.Known
	if known == nil {
		return ""
	}
	if lower := v.Of.Lower; lower != nil && lower.Fare.Price < known.Price {
		known = &lower.Fare
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

// Past states the lowest earlier fare of the same departure, if that was at least 5 % lower. It
// returns "" for an expensive fare.
func (v Verdict) Past() string {
	low, level := v.Of.Lowest, v.Of.Verdict.Level
	const clearly = 95 // percent of the judged fare
	if low == nil || level == verdict.Expensive || level == verdict.Unjudged || low.Price*100 > v.Of.Fare.Price*clearly {
		return ""
	}
	return v.Text("fare.past", "Price", v.Money(low.Price), "Day", v.date(low.Day))
}

// Certainty returns how sure the verdict is, and on which fares or, for the route, how many
// observed days it rests.
func (v Verdict) Certainty() (certainty, restsOn string) {
	of := v.Of.Verdict
	certainty = v.Text("certainty." + string(of.Reliability))
	if v.question() == "route" {
		since, _ := v.since()
		return certainty, v.Text("verdict.observed", "Days", of.Sample, "Since", since)
	}
	return certainty, Compared(v.Language, of)
}

// Compared states how many fares of which kind a departure or month is compared with.
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

// since returns false if the verdict is not about days that can be counted.
func (v Verdict) since() (string, bool) {
	days := v.Of.Verdict.Days
	if days == nil {
		return "", false
	}
	return v.Date(days.Since), true
}

// Rank states on how many days a lower fare was seen. For a departure, a month, or airports
// compared with whole cities, it states the estimated share of comparable fares that are lower. It
// states an interval if days were not observed and it is wider than the rounding.
func (v Verdict) Rank() string {
	of := v.Of.Verdict
	since, ok := v.since()
	switch {
	case !ok:
		return Comparables(v.Language, of.Percentile)
	case of.Days.Lower == 0:
		return v.Text("verdict.never_lower", "Days", of.Sample, "Since", since, "Same", of.Days.Equal)
	}
	low, high := 0, 0
	if i := of.Interval; i != nil && i.To-i.From > 1 {
		low, high = i.From, i.To
	}
	return v.Text("verdict.lower", "Days", of.Sample, "Since", since, "Lower", of.Days.Lower,
		"Low", low, "High", high)
}

// Waiting states what waiting to buy brought in recorded cases. It returns "" for a price that the
// reader entered, or if the analysis is not about a single departure.
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

// date writes a day with its weekday, or "" for 0.
func (v Verdict) date(d fare.Day) string {
	if d == 0 {
		return ""
	}
	return v.WeekdayDate(d)
}

// Ago writes, for example, "2 days ago".
func Ago(l *i18n.Language, days int) string {
	switch {
	case days <= 0:
		return l.Text("ago.today")
	case days == 1:
		return l.Text("ago.yesterday")
	}
	return l.Count("ago.days", days)
}

// Sentence capitalises the first letter.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
