package wording

import (
	"math"
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
	Of     verdict.Analysis
	On     fare.Day // the day or month in question; 0: the route
	Back   fare.Day // the day of return in question; 0: none
	Around bool     // the question is about the cheapest of the days around On
	Today  fare.Day
}

// Judged reports whether the service knows enough fares for a level.
func (v Verdict) Judged() bool { return v.Of.Verdetto.Percentile != nil }

// question returns the kind of question, a part of text ids.
func (v Verdict) question() string {
	switch {
	case v.Of.Ambito == verdict.InMese:
		return "month"
	case v.Of.Ambito != verdict.InPartenza:
		return "route"
	case v.Around:
		return "around"
	}
	return "day"
}

// about writes the subject of the question, such as "for this route" or "for Monday 9 May". The
// days of a return are those of the judged fare.
func (v Verdict) about() string {
	back, err := fare.ParseDay(v.Of.Prezzo.Ritorno)
	if err != nil {
		back = v.Back
	}
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
	if v.Of.PrezzoPiuBasso != nil && !v.Of.Prezzo.Dichiarato {
		said = v.Text("headline.latest", "Line", said)
	}
	return Sentence(said)
}

// Brief is short enough for a title.
func (v Verdict) Brief() string {
	return v.Text("headline.brief", "Price", v.Money(v.Of.Prezzo.Cent), "Level", v.Level())
}

// Level writes the level of the judged fare. Inside the usual range, it is at most rather
// expensive.
func (v Verdict) Level() string {
	level := v.Of.Verdetto.Livello
	if dearWithin(v.Language, v.Of) {
		level = "caro-nella-norma"
	}
	return Level(v.Language, level, v.Of.Verdetto.Affidabilita)
}

// Level writes a level in words, as only probable if the reliability is low.
func Level(l *i18n.Language, level, reliability string) string {
	if reliability == verdict.Bassa {
		return l.Text("headline.perhaps", "Level", l.Text("level."+level))
	}
	return l.Text("level." + level)
}

// Than writes the distance to the usual fare of the question, without a full stop.
func (v Verdict) Than() string {
	by, usual := *v.Of.Verdetto.ScartoMedianaCent, v.Of.Verdetto.MedianaCent
	if usual == nil {
		median := v.Of.Prezzo.Cent - by
		usual = &median
	}
	level := v.Of.Verdetto.Livello
	amount, sign := Apart(v.Language, level, *usual+by, *usual)
	than := Direction(sign)
	switch { // less than one unit of the currency
	case sign == 0 && by < 0 && (level == verdict.Ottimo || level == verdict.Buono):
		than = "little_less"
	case sign == 0 && by > 0 && level == verdict.Caro:
		than = "little_more"
	}
	return v.Text("than."+than, "Amount", amount, "For", v.about())
}

// dearWithin reports whether an expensive fare lies within the usual range as Typical states it.
// The range is the middle half of comparable fares, while a fare is expensive if at least 70 % of
// them are lower.
func dearWithin(l *i18n.Language, a verdict.Analysis) bool {
	if a.Verdetto.Livello != verdict.Caro || a.Quartili == nil {
		return false
	}
	_, above := l.Apart(a.Prezzo.Cent, a.Quartili.Q3Cent)
	return above <= 0
}

// Apart returns the distance of a fare with the given level from a usual fare, and its Sign.
func Apart(l *i18n.Language, level string, price, usual fare.Cents) (amount string, sign int) {
	amount, _ = l.Apart(price, usual)
	return amount, Sign(l, level, price, usual)
}

// Sign returns the sign of what Apart returns. Percentiles of departures go in steps of 5 % of a
// fare, so a difference can contradict its level by at most one step; it then counts as none.
func Sign(l *i18n.Language, level string, price, usual fare.Cents) int {
	sign := l.Sign(price, usual)
	cheap := level == verdict.Ottimo || level == verdict.Buono
	if cheap && sign > 0 || level == verdict.Caro && sign < 0 {
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
	usual := v.Of.SolitoPartenzaCent
	if usual == nil || v.Of.Prezzo.Dichiarato || v.question() == "day" {
		return ""
	}
	amount, sign := Apart(v.Language, v.Of.LivelloPartenza, v.Of.Prezzo.Cent, *usual)
	apart := v.Of.Verdetto.ScartoMedianaCent
	return v.Text("own_day."+Direction(sign), "Usual", v.About(*usual), "Amount", amount,
		"But", apart != nil && int(*apart)*sign < 0)
}

// Lower states a lower known fare of another departure, and compares it with the usual fare of the
// route and of its own day. It returns "" if there is none.
func (v Verdict) Lower() string {
	p := v.Of.PrezzoPiuBasso
	if p == nil || v.Of.Prezzo.Dichiarato && v.Of.PrezzoNoto != nil { // Known names it then
		return ""
	}
	than := ""
	if usual := v.Of.Verdetto.MedianaCent; usual != nil && v.Judged() {
		amount, sign := v.Apart(p.Cent, *usual)
		than = v.Text("than."+Direction(sign), "Amount", amount, "For", v.about())
	}
	said := v.Text("fare.lower", "Price", v.Money(p.Cent), "Departure", v.date(p.Partenza), "Back", v.date(p.Ritorno),
		"When", v.seen(*p), "Than", than)
	if usual := v.Of.SolitoPiuBassoCent; usual != nil && v.Judged() {
		amount, sign := Apart(v.Language, v.Of.LivelloPiuBasso, p.Cent, *usual)
		said += " " + v.Text("fare.lower_day", "Price", v.Money(p.Cent), "Than",
			v.Text("compare."+Direction(sign), "Amount", amount))
	}
	return said
}

// Usual states the usual fare of the question, and between which amounts half of the comparable
// fares lie. It needs a verdict.
func (v Verdict) Usual() string {
	of := v.Of.Quartili
	return v.Text("departure.usual_"+v.question(), "Usual", v.About(of.MedianaCent), "Low", v.About(of.Q1Cent),
		"High", v.About(of.Q3Cent), "Soon", soon(v.Of))
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
	of := v.Of.Quartili
	return v.Text("departure.typical_around", "Low", v.About(of.Q1Cent), "High", v.About(of.Q3Cent),
		"Within", dearWithin(v.Language, v.Of))
}

// Fare states the judged fare, its days and its age.
func (v Verdict) Fare() string {
	p := v.Of.Prezzo
	if p.Dichiarato {
		return v.Text("fare.stated", "Price", v.quoted(p.Quotato))
	}
	said := v.Text("fare."+v.question(), "Price", v.Money(p.Cent), "Departure", v.date(p.Partenza), "Back",
		v.date(p.Ritorno), "When", v.seen(p))
	if flight := FlightSentence(v.Language, p); flight != "" {
		said += " " + flight
	}
	return said
}

// Known compares the price that a reader entered with the lowest known fare. It returns "" if there
// is none.
func (v Verdict) Known() string {
	known := v.Of.PrezzoNoto
	if known == nil {
		return ""
	}
	if lower := v.Of.PrezzoPiuBasso; lower != nil && lower.Cent < known.Cent {
		known = lower
	}
	id, difference, departure := "same", known.Cent-v.Of.Prezzo.Cent, ""
	switch {
	case difference < 0:
		id = "less"
	case difference > 0:
		id = "more"
	}
	if v.question() != "day" {
		departure = v.date(known.Partenza)
	}
	if known.Ritorno != "" {
		departure = v.Text("ask.out_and_back", "Out", v.date(known.Partenza), "Back", v.date(known.Ritorno))
	}
	return v.Text("known."+id, "For", v.about(), "Price", v.Money(known.Cent), "Departure", departure, "When",
		v.seen(*known), "Difference", v.Money(max(difference, -difference)))
}

// Past states the lowest earlier fare of the same departure, if that was at least 5 % lower. It
// returns "" for an expensive fare.
func (v Verdict) Past() string {
	low, level := v.Of.MinimoPartenza, v.Of.Verdetto.Livello
	const clearly = 95 // percent of the judged fare
	if low == nil || level == verdict.Caro || level == verdict.Insufficient || low.Cent*100 > v.Of.Prezzo.Cent*clearly {
		return ""
	}
	return v.Text("fare.past", "Price", v.Money(low.Cent), "Day", v.date(low.Giorno))
}

// Certainty returns how sure the verdict is, and on which fares or, for the route, how many
// observed days it rests.
func (v Verdict) Certainty() (certainty, restsOn string) {
	of := v.Of.Verdetto
	certainty = v.Text("certainty." + of.Affidabilita)
	if v.question() == "route" {
		since, _ := v.since()
		return certainty, v.Text("verdict.observed", "Days", of.Campione, "Since", since)
	}
	return certainty, Compared(v.Language, of)
}

// Compared states how many fares of which kind a departure or month is compared with.
func Compared(l *i18n.Language, v verdict.Verdetto) string {
	fares := l.Number(v.Campione)
	switch v.Confronto {
	case verdict.DiOggi:
		return l.Text("departure.compared_on_sale", "Days", fares)
	case verdict.Entrambe:
		return l.Text("departure.compared_both", "Fares", fares)
	}
	return l.Text("departure.observed", "Fares", fares)
}

// since returns false if the verdict is not about days that can be counted.
func (v Verdict) since() (string, bool) {
	day, err := fare.ParseDay(v.Of.Verdetto.Dal)
	if err != nil {
		return "", false
	}
	return v.Date(day), true
}

// Rank states on how many days a lower fare was seen. For a departure, a month, or airports
// compared with whole cities, it states the estimated share of comparable fares that are lower. It
// states an interval if days were not observed and it is wider than the rounding.
func (v Verdict) Rank() string {
	of := v.Of.Verdetto
	since, ok := v.since()
	switch {
	case !ok:
		return Comparables(v.Language, *of.Percentile)
	case *of.GiorniInferiori == 0:
		return v.Text("verdict.never_lower", "Days", of.Campione, "Since", since, "Same", *of.GiorniUguali)
	}
	low, high := 0, 0
	if i := of.Intervallo; i != nil && i.A-i.Da > 1 {
		low, high = i.Da, i.A
	}
	return v.Text("verdict.lower", "Days", of.Campione, "Since", since, "Lower", *of.GiorniInferiori,
		"Low", low, "High", high)
}

// Waiting states what waiting to buy brought in recorded cases. It returns "" for a price that the
// reader entered, or if the analysis is not about a single departure.
func (v Verdict) Waiting() string {
	if v.Of.Prezzo.Dichiarato {
		return ""
	}
	return Advice(v.Language, v.Of)
}

func (v Verdict) quoted(q verdict.Quotato) string {
	currency, _ := fare.ParseCurrency(q.Valuta)
	return v.Quoted(fare.Money{Amount: fare.Cents(math.Round(100 * q.Importo)), Currency: currency})
}

func (v Verdict) seen(p verdict.Prezzo) string {
	if p.TrovatoIl == nil {
		return ""
	}
	return Ago(v.Language, int(v.Today-fare.DayOf(*p.TrovatoIl)))
}

// date writes a day of the form 2006-01-02 with its weekday, or "" if it is empty.
func (v Verdict) date(published string) string {
	d, err := fare.ParseDay(published)
	if err != nil {
		return published
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
