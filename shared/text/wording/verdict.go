package wording

import (
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

// Verdict writes the sentences about one answer. Pages, cards, feeds and the tools for agents use
// the same sentences. Every sentence with a level or a difference says which question it answers.
type Verdict struct {
	*i18n.Language
	Of     verdict.Analysis
	On     fare.Day // the day or the month of the question; 0: the route
	Around bool     // the question is about the cheapest of the days around On
	Today  fare.Day
}

// Judged reports whether there are enough data for a level.
func (v Verdict) Judged() bool { return v.Of.Verdetto.Percentile != nil }

// question returns the kind of the question, as part of a text id in the catalogue.
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

// about writes what the question is about: "for this route", "for Monday 9 May".
func (v Verdict) about() string {
	return v.Text("for."+v.question(), "Day", v.WeekdayDay(v.On), "Month", v.MonthOf(v.On))
}

// Headline writes the answer: the level, and the difference from the usual fare.
func (v Verdict) Headline() string {
	if !v.Judged() {
		return v.Text("headline.dati-insufficienti")
	}
	return Sentence(v.Text("headline.line", "Level", v.Level(), "Than", v.Than()))
}

// Brief writes the price with its level, for a title.
func (v Verdict) Brief() string {
	return v.Text("headline.brief", "Price", v.Money(v.Of.Prezzo.Cent), "Level", v.Level())
}

// Level writes the level in words.
func (v Verdict) Level() string {
	return Level(v.Language, v.Of.Verdetto.Livello, v.Of.Verdetto.Affidabilita)
}

// Level writes a level. If the reliability is low, it adds that the level is only probable.
func Level(l *i18n.Language, level, reliability string) string {
	if reliability == verdict.Bassa {
		return l.Text("headline.perhaps", "Level", l.Text("level."+level))
	}
	return l.Text("level." + level)
}

// Than says how far the fare is from the usual fare, without a full stop. Percentiles are exact
// only to a few percent of a fare. So a small difference that contradicts the level is treated as
// no difference.
func (v Verdict) Than() string {
	difference, level := *v.Of.Verdetto.ScartoMedianaCent, v.Of.Verdetto.Livello
	amount := v.About(max(difference, -difference))
	cheap := level == verdict.Ottimo || level == verdict.Buono
	switch {
	case Whole(max(difference, -difference)) == 0, cheap && difference > 0, level == verdict.Caro && difference < 0:
		return v.Text("than.same", "For", v.about())
	case difference < 0:
		return v.Text("than.less", "Amount", amount, "For", v.about())
	}
	return v.Text("than.more", "Amount", amount, "For", v.about())
}

// Fare states the judged fare, its days of departure and return, and how old it is.
func (v Verdict) Fare() string {
	p := v.Of.Prezzo
	if p.Dichiarato {
		return v.Text("fare.stated", "Price", v.quoted(p.Quotato))
	}
	said := v.Text("fare."+v.question(), "Price", v.Money(p.Cent), "Departure", v.date(p.Partenza), "Back",
		v.date(p.Ritorno), "When", v.seen(p))
	if flight := Flight(v.Language, p); flight != "" {
		said += " " + Sentence(flight) + "."
	}
	return said
}

// Known states the lowest fare that the service knows, next to a price that the reader entered; ""
// if there is none.
func (v Verdict) Known() string {
	known := v.Of.PrezzoNoto
	if known == nil {
		return ""
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
	return v.Text("known."+id, "For", v.about(), "Price", v.Money(known.Cent), "Departure", departure, "When", v.seen(*known),
		"Difference", v.Money(max(difference, -difference)))
}

// Past states the lowest earlier fare of the same departure if it contradicts a level that calls
// the fare cheap; otherwise "".
func (v Verdict) Past() string {
	low, level := v.Of.MinimoPartenza, v.Of.Verdetto.Livello
	const clearly = 95 // percent of the judged fare
	if low == nil || level != verdict.Ottimo && level != verdict.Buono || low.Cent*100 > v.Of.Prezzo.Cent*clearly {
		return ""
	}
	return v.Text("fare.past", "Price", v.Money(low.Cent), "Day", v.date(low.Giorno))
}

// Certainty states how sure the verdict is, and the number of days or fares behind it.
func (v Verdict) Certainty() (certainty, restsOn string) {
	of := v.Of.Verdetto
	certainty = v.Text("certainty." + of.Affidabilita)
	if v.question() == "route" {
		return certainty, v.Text("verdict.observed", "Size", of.Campione)
	}
	return certainty, Compared(v.Language, of)
}

// Compared says with which fares a verdict about a departure or a month compares.
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

// Rank says how many comparable fares cost less. low and high are the margin of error for a route;
// 0: not known.
func (v Verdict) Rank(low, high float64) string {
	of := v.Of.Verdetto
	switch {
	case v.question() != "route":
		return Comparables(v.Language, *of.Percentile)
	case *of.Percentile == 0:
		return v.Text("verdict.never_lower", "Size", of.Campione)
	case *of.Percentile >= 99:
		return v.Text("departure.hardly_more")
	}
	return v.Text("verdict.lower", "Percent", *of.Percentile, "Low", int(math.Round(low)), "High", int(math.Round(high)))
}

// Waiting says what waiting brought in the recorded cases. It returns "" for a price that the
// reader entered, and if the answer is not about a single departure.
func (v Verdict) Waiting() string {
	if v.Of.Prezzo.Dichiarato {
		return ""
	}
	return Advice(v.Language, v.Of)
}

// quoted writes an amount in the currency in which the reader gave it.
func (v Verdict) quoted(q verdict.Quotato) string {
	decimals := 2
	if q.Importo == math.Trunc(q.Importo) {
		decimals = 0
	}
	return v.Price(strconv.FormatFloat(q.Importo, 'f', decimals, 64), q.Valuta)
}

// seen states when a fare was found.
func (v Verdict) seen(p verdict.Prezzo) string {
	if p.TrovatoIl == nil {
		return ""
	}
	return Ago(v.Language, int(v.Today-fare.DayOf(*p.TrovatoIl)))
}

// date writes a published day with its weekday. An empty one stays empty.
func (v Verdict) date(published string) string {
	d, err := fare.ParseDay(published)
	if err != nil {
		return published
	}
	return v.WeekdayDate(d)
}

// Ago states a number of days before today.
func Ago(l *i18n.Language, days int) string {
	switch {
	case days <= 0:
		return l.Text("ago.today")
	case days == 1:
		return l.Text("ago.yesterday")
	}
	return l.Count("ago.days", days)
}

// Sentence capitalises the first letter of a text.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
