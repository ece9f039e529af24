package page

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/httpapi"
)

// What is asked of the page at /, which says all of it in its address:
//
//	da, a     the two cities
//	mese      the month of departure, 2027-03
//	quando    the day of departure, 2027-03-20
//	ritorno   the day of the way back, with quando
//	flessibile
//	          with quando: the cheapest departure within 1, 3 or 7 days either side
//	diretto   si: only fares without stops
//	visto     a fare in euros that the reader has seen, 45 or 45,50
//	massimo   without a: only destinations up to so many euros
//	soglia, notti
//	          what the form of an alert is filled in with beside the trip: a fare in
//	          euros, a class of nights away
//	lang      the language
//
// What is empty, as a form without a script sends it, is not said.

type question struct {
	from, to string // as typed
	trip
	alert    alertFields
	language *i18n.Language
	chosen   bool // the language was chosen, and is kept in links
}

// trip is what is said of the journey beside its cities, as typed.
type trip struct{ Month, Date, Around, Back, NonStop, Seen, Most string }

type field struct {
	name string
	text *string
}

func (t *trip) fields() []field {
	return []field{{"mese", &t.Month}, {"quando", &t.Date}, {"flessibile", &t.Around}, {"ritorno", &t.Back},
		{"diretto", &t.NonStop}, {"visto", &t.Seen}, {"massimo", &t.Most}}
}

// parseQuestion reads the question; false where it is malformed.
func parseQuestion(r *http.Request) (q question, ok bool) {
	given, err := url.ParseQuery(r.URL.RawQuery)
	q.language = i18n.Accepted(r.Header.Get("Accept-Language"))
	if chosen, known := i18n.Find(given.Get("lang")); known {
		q.language, q.chosen = chosen, true
	}
	ok = err == nil
	for _, f := range slices.Concat([]field{{"da", &q.from}, {"a", &q.to}}, q.alert.fields(), q.fields()) {
		if len(given[f.name]) > 1 || httpapi.Unfit(given.Get(f.name), false) != "" {
			ok = false
			continue
		}
		*f.text = strings.TrimSpace(given.Get(f.name))
	}
	switch q.NonStop {
	case "", "si":
	default:
		ok, q.NonStop = false, ""
	}
	if q.Date == "" || !slices.Contains(arounds, q.Around) { // days around nothing, or how many nobody offers
		q.Around = ""
	}
	return q, ok
}

// link is the page of a question about two cities, with the same trip and in the language that was chosen.
func (q question) link(from, to string) string { return q.linkOn(q.trip, from, to) }

func (q question) linkOn(t trip, from, to string) string {
	lang := ""
	if q.chosen {
		lang = q.language.Code
	}
	return pageAddress(from, to, t, lang)
}

// pageAddress is the address of a question's page; what is empty is left out.
func pageAddress(from, to string, t trip, lang string) string {
	var b strings.Builder
	for _, f := range append(append([]field{{"da", &from}, {"a", &to}}, t.fields()...), field{"lang", &lang}) {
		if *f.text != "" {
			b.WriteString(map[bool]string{true: "?", false: "&"}[b.Len() == 0] + f.name + "=" +
				url.QueryEscape(*f.text))
		}
	}
	return "/" + b.String()
}

func (q question) city(name string) (places.Place, bool) {
	p, ok := places.Find(name)
	if ok {
		p.Name = p.NameIn(q.language.Code)
	}
	return p, ok
}

// ofAnywhere is what of a trip can be asked without a destination: of one way its
// month, of returns, whose days say how many nights away, the days.
func (t trip) ofAnywhere(of fare.Trip) trip {
	if of != fare.OneWay {
		return trip{Date: t.Date, Back: t.Back, NonStop: t.NonStop, Most: t.Most}
	}
	if t.Month == "" && len(t.Date) >= len("2006-01") {
		t.Month = t.Date[:len("2006-01")]
	}
	return trip{Month: t.Month, NonStop: t.NonStop, Most: t.Most}
}

// amount is a fare as people write it: 45, 45.50, 45,50, € 45, 45 euro.
var amount = regexp.MustCompile(`^(?:€\s*)?([0-9]{1,9})(?:[.,]([0-9]{1,2}))?\s*(?:€|(?i:euro?s?))?$`)

// seen is the fare that the reader has seen, in cents.
func (t trip) seen() (fare.Cents, bool) { return centsOf(t.Seen) }

// most is the limit of the fares of a list, in cents, 0 where there is none; false where it is the price of no fare.
func (t trip) most() (fare.Cents, bool) {
	if t.Most == "" {
		return 0, true
	}
	most, ok := centsOf(t.Most)
	return most, ok && most > 0 && most <= fare.MaxPrice
}

func centsOf(text string) (fare.Cents, bool) {
	m := amount.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	cents, err := strconv.Atoi(m[1] + (m[2] + "00")[:2])
	return fare.Cents(cents), err == nil
}

// faults say what is wrong with the fields of a question, by parameter, in the reader's language.
type faults map[string]string

// read makes of a trip what package answer is asked; what cannot be read is among the faults.
func (t trip) read(l *i18n.Language) (answer.Question, faults) {
	wrong := faults{}
	in := published.Trip{Partenza: t.Date, Flessibile: t.Around, Mese: t.Month, Ritorno: t.Back,
		Diretto: t.NonStop != "", Valuta: "EUR"}
	if _, err := time.Parse("2006-01", t.Month); t.Month != "" && err != nil {
		wrong["mese"] = l.Text("ask.fault.month")
	}
	for _, day := range []field{{"quando", &t.Date}, {"ritorno", &t.Back}} {
		if _, err := fare.ParseDay(*day.text); *day.text != "" && err != nil {
			wrong[day.name] = l.Text("ask.fault.day")
		}
	}
	if t.Month != "" && t.Date != "" && wrong["mese"] == "" {
		wrong["mese"] = l.Text("ask.fault.both")
	}
	if t.Back != "" && t.Date == "" && wrong["ritorno"] == "" {
		wrong["ritorno"] = l.Text("ask.fault.back_alone")
	}
	if cents, ok := t.seen(); ok {
		in.Prezzo = fmt.Sprintf("%d.%02d", cents/100, cents%100)
	} else if t.Seen != "" {
		wrong["visto"] = l.Text("ask.fault.price")
	}
	if len(wrong) > 0 {
		return answer.Question{}, wrong
	}
	q, err := in.Question(func(parameter string) string { return pageNames[parameter] })
	if err != nil { // all that it refuses was refused above
		wrong["quando"] = l.Text("ask.fault.day")
	}
	return q, wrong
}

var pageNames = map[string]string{"partenza": "quando", "mese": "mese", "ritorno": "ritorno",
	"diretto": "diretto", "prezzo": "visto"}

// refused adds to the faults what package answer refuses; false for any other error.
func (f faults) refused(l *i18n.Language, err error) bool {
	var (
		date  *answer.BadDate
		price *answer.BadPrice
	)
	switch {
	case errors.As(err, &date):
		switch date.Fault {
		case answer.Past:
			f[date.Parameter] = l.Text("ask.fault.past")
		case answer.Far:
			f[date.Parameter] = l.Text("ask.fault.far", "Last", l.Date(date.From+answer.MaxAhead))
		case answer.BackFirst:
			f[date.Parameter] = l.Text("ask.fault.back_first")
		case answer.BackFar:
			f[date.Parameter] = l.Text("ask.fault.back_far", "Last", l.Date(date.From+fare.MaxNights))
		}
	case errors.As(err, &price):
		f[price.Parameter] = l.Text("ask.fault.price")
	default:
		return false
	}
	return true
}
