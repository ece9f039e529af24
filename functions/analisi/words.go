package analisi

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/verdict"
)

// words is how the page speaks in one language. What holds a number or a name
// is a function, because sentences are not built alike in two languages.
type words struct {
	Lang, Title, Description string

	From, To, Ask, Example             string
	Placeholders                       [2]string // cities that show what to write
	Claim, Lede                        string
	How                                [3][2]string // why it can be believed: a heading and a sentence each
	ExampleNote                        string
	Popular, PopularLede, PopularOther string

	Levels                [4]string         // names on the scale
	Verdicts              map[string]string // headline by level
	Hints                 map[string]string // likewise, where the certainty is low
	Brief, BriefHints     map[string]string // the same behind a price
	Barely                [2]string         // headline of a fare that ranks as caro and costs hardly more than usual, and the same behind a price
	Sure                  map[string]string // by reliability
	Seasonal              string
	History, HistoryNote  string
	ScaleNote             string
	Months, MonthsNote    string
	Window                string
	WindowEnds            [2]string
	WindowNote            string
	NoMonths, NoWindow    string
	Numbers, Week, Lowest string
	Median, Days, Month   string
	Fares, Destination    string
	Price, Change         string
	Share, Back, Others   string
	Invented              string

	Alert, AlertLede, Email, Threshold, ThresholdNote, Subscribe, Privacy string
	Pro, ProLede, Buy, ProNote                                            string

	UnknownTitle, Perhaps, SameTitle, SameLede                             string
	NotCoveredTitle, NotCoveredLede, NoFareTitle                           string
	TooManyTitle, TooManyLede, FaultTitle, FaultLede                       string
	BadTitle, BadLede, MissingTitle, MissingLede, NothingTitle             string
	Nothing, NoneLive, AlertAnyway, SendFailed, Sending, Offered, NoOffers string
	Sent, Refused, RefusedEmail, Later                                     string

	route       func(from, to string) string
	popularFrom func(city string) string
	unknown     func(name string) string
	noFare      func(newest string) string
	today       func(price, depart string) string
	dearer      func(dearer, equal, size int) string
	against     func(price, median fare.Cents, level string) string
	certainty   func(days int) string
	tooLittle   func(days, needed int) string
	monthsBest  func(months []string, known int) string // known: months that there are fares of
	window      func(from, to int) string
	fresh       func(when string, observations int) string
	asOf        func(day string) string
	scaleLabel  func(percentile, low, high int) string
	historyIs   func(price, low, median string) string
	ago         func(days int) string
	money       func(fare.Cents) string
	count       func(int) string
	months      [12]string
	first       string // behind the first day of a month
}

// whole writes an amount without its cents where there are none.
func whole(c fare.Cents, decimal, thousand string) string {
	sign := ""
	if c < 0 {
		sign, c = "−", -c
	}
	s := sign + grouped(int(c/100), thousand)
	if c%100 != 0 {
		s += fmt.Sprintf("%s%02d", decimal, c%100)
	}
	return s
}

// nearly tells whether a price is as good as the usual one: within the 2 % that a verdict makes nothing of.
func nearly(price, median fare.Cents) bool {
	return price*100 > median*98 && price*98 < median*100
}

// barely tells whether a fare is called expensive for its rank alone: on a route
// whose price hardly moves, a few cents more than usual are dearer than nearly all days.
func barely(a verdict.Verdetto) bool {
	return a.Livello == verdict.Caro && nearly(*a.MedianaCent+*a.ScartoMedianaCent, *a.MedianaCent)
}

// verdict is the headline of a verdict: what is little sure is said as a hint.
func (w *words) verdict(a verdict.Verdetto) string {
	switch {
	case barely(a):
		return w.Barely[0]
	case a.Affidabilita == verdict.Bassa:
		return w.Hints[a.Livello]
	}
	return w.Verdicts[a.Livello]
}

// brief is a verdict behind its price, for a title and a card.
func (w *words) brief(price fare.Cents, a verdict.Verdetto) string {
	if barely(a) {
		return w.money(price) + ", " + w.Barely[1]
	}
	said := w.Brief
	if a.Affidabilita == verdict.Bassa {
		said = w.BriefHints
	}
	return w.money(price) + ", " + said[a.Livello]
}

// grouped writes a number in groups of three digits.
func grouped(n int, thousand string) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + thousand + s[i:]
	}
	return s
}

func (w *words) month(m time.Month) string { return w.months[m-1] }

// short is a month in three letters.
func (w *words) short(m time.Month) string { return string([]rune(w.months[m-1])[:3]) }

// initial is a month's first letter.
func (w *words) initial(m time.Month) string { return strings.ToUpper(w.months[m-1][:1]) }

// date is a day as it is said.
func (w *words) date(d fare.Day) string {
	t := d.Time()
	first := ""
	if t.Day() == 1 {
		first = w.first
	}
	return fmt.Sprintf("%d%s %s %d", t.Day(), first, w.month(t.Month()), t.Year())
}

// plural counts things.
func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

// list joins names with commas.
func list(names []string, and string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " " + and + " " + names[n-1]
	}
	return strings.Join(names, "")
}

var languages = map[string]*words{"it": &italian, "en": &english}
