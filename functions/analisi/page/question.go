package page

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/daytext"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/httpapi"
)

// The question to the page at / is the query of its address:
//
//	da, a     the two cities; a may also be a country, a region or a continent. If only one of
//	          da and a is given, it may name both cities and the day
//	mese      the month of departure, such as 2027-03
//	quando    the day of departure, as people write it: 2027-03-20, 20 March, tomorrow
//	ritorno   the day of return, written like quando; without quando it is a fault
//	flessibile
//	          find the cheapest departure within 1, 3 or 7 days before or after quando
//	soggiorno the nights away without ritorno: 3, 2-4 or weekend
//	diretto   si: only fares without stops
//	vettore, senzaVettore
//	          only some airlines, or all but some: codes or names, separated by commas
//	visto     a fare that the reader has seen: 45, 45,50, $50 or 50 USD
//	massimo   the highest fare in a list of destinations, written like visto
//	valuta    the currency of amounts; the euro if absent
//	soglia, notti
//	          values for the form of an alert: a fare, in euros unless it names a currency, and a
//	          class of nights away
//	con       up to five cities, days or months to compare with, separated by commas
//	ordine    the order of a list of destinations: prezzo, differenza or partenza
//	vicini    si: also the fares from and to places nearby
//	lang      the language
//	era       from a form without a script: the month or day that the form showed before
//
// An empty parameter counts as missing, because a form without a script sends empty fields.

type question struct {
	from, to string
	trip
	alert      alertFields
	order      string
	near       string
	currency   string // ISO 4217; empty: euros
	currencyBy string
	language   *i18n.Language
	chosen     bool
	// cleared is "month" if the form sent a month and a day, of which the reader changed the day, and
	// "day" if the reader changed the month.
	cleared string
	ends    [2]answer.Named
}

type trip struct {
	Month, Date, Around, Back, Stay, NonStop, OwnPrice, Most, With string
	airlineChoice
	// month, out and back are Month, Date and Back as days, or 0 if the text is missing or cannot
	// be read.
	month, out, back fare.Day
}

func (t *trip) on(out, back fare.Day) {
	t.Month, t.Date, t.Back, t.month, t.out, t.back = "", "", "", 0, out, back
	if out != 0 {
		t.Date = out.String()
	}
	if back != 0 {
		t.Back = back.String()
	}
}

func (t *trip) in(day fare.Day) {
	t.on(0, 0)
	if t.Around = ""; day != 0 {
		t.Month = monthIn(day)
		t.month, _ = departure.Month.Ends(day)
	}
}

type airlineChoice struct{ Airline, WithoutAirline string }

type field struct {
	name string
	text *string
}

func (t *trip) fields() [11]field {
	return [...]field{{"mese", &t.Month}, {"quando", &t.Date}, {"flessibile", &t.Around}, {"ritorno", &t.Back},
		{"soggiorno", &t.Stay}, {"diretto", &t.NonStop}, {"vettore", &t.Airline}, {"senzaVettore", &t.WithoutAirline},
		{"visto", &t.OwnPrice}, {"massimo", &t.Most}, {"con", &t.With}}
}

func parseQuestion(r *http.Request) (q question, ok bool) {
	given, err := url.ParseQuery(r.URL.RawQuery)
	q.language = i18n.ForHeader(r.Header.Get("Accept-Language"))
	if chosen, known := i18n.Find(given.Get("lang")); known {
		q.language, q.chosen = chosen, true
	}
	ok = err == nil
	for _, f := range q.parameters() {
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
	switch before := given.Get("era"); { // with both a month and a day, the one that the reader changed counts
	case q.Month == "" || q.Date == "" || before == "":
	case before == q.Month:
		q.Month, q.cleared = "", "month"
	case before == q.Date:
		q.Date, q.Back, q.cleared = "", "", "day"
	}
	if q.Date == "" || !slices.Contains(arounds, q.Around) {
		q.Around = ""
	}
	if q.Back != "" {
		q.Stay = ""
	}
	if _, _, fits := nights(q.Stay); q.Stay != "" && !fits {
		ok, q.Stay = false, ""
	}
	if !slices.Contains(orders, q.order) {
		ok, q.order = false, ""
	}
	if q.near != "" && q.near != "si" {
		ok, q.near = false, ""
	}
	q.chooseCurrency()
	return q, ok
}

func (q *question) parameters() []field {
	fields := q.fields()
	return slices.Concat([]field{{"da", &q.from}, {"a", &q.to}}, q.alert.fields(),
		[]field{{"valuta", &q.currency}, {"ordine", &q.order}, {"vicini", &q.near}}, fields[:])
}

// splitEnds reads the cities and the day from one field, such as "da Roma a Londra, 14 marzo".
func (q *question) splitEnds(today fare.Day) (read []string) {
	typed := q.from + q.to
	if q.from != "" && q.to != "" {
		return nil
	}
	from, to, ok := places.Ends(typed)
	in := daytext.Reader{Language: q.language.Code, Today: today}
	if rest, day, dated := in.Cut(typed); !ok && dated {
		from, to, ok = places.Ends(rest)
		switch month, err := in.Month(day); {
		case !ok || q.Date != "" || q.Month != "":
		case err == nil:
			q.Month = month.String()[:len("2006-01")]
		default:
			q.Date = day
		}
	}
	if !ok {
		return nil
	}
	q.from, q.to = from, to
	meant := routeName(q.language, from, to)
	if strings.EqualFold(typed, meant) {
		return nil
	}
	return []string{q.language.Text("ask.read_as", "Typed", typed, "Meant", meant)}
}

// A day that readDays cannot read stays as typed, and trip.read reports the fault.
func (t *trip) readDays(l *i18n.Language, today fare.Day) (read []string) {
	in := daytext.Reader{Language: l.Code, Today: today}
	for _, date := range []struct {
		typed *string
		day   *fare.Day
	}{{&t.Date, &t.out}, {&t.Back, &t.back}} {
		if day, err := in.Day(*date.typed); err == nil {
			if sentence := wording.Day(l, *date.typed, day); sentence != "" {
				read = append(read, sentence)
			}
			*date.typed, *date.day, in.After = day.String(), day, day
		}
	}
	if first, err := time.Parse("2006-01", t.Month); err == nil {
		t.month = fare.DayOf(first)
	}
	return read
}

// forgetPast removes a past day or month, as in an old link, so that the question is about any
// day.
func (q *question) forgetPast(today fare.Day) (read []string) {
	out, when := q.out, q.language.WeekdayDate(q.out)
	if out == 0 && q.month != 0 {
		_, out = departure.Month.Ends(q.month)
		when = q.language.MonthOf(q.month)
	}
	if out == 0 || out >= today || q.Month != "" && q.Date != "" {
		return nil
	}
	q.trip = q.inMonth(0)
	return []string{wording.Sentence(q.language.Text("ask.past", "When", when))}
}

func (q question) link(from, to string) string { return q.linkOn(q.trip, from, to) }

func (q question) linkOn(t trip, from, to string) string {
	lang := ""
	if q.chosen {
		lang = q.language.Code
	}
	return pageAddress(from, to, t, lang, q.currency)
}

func pageAddress(from, to string, t trip, lang, currency string) string {
	address, separator := []byte("/"), byte('?')
	add := func(name, value string) {
		if value != "" {
			address = append(append(append(address, separator), name...), '=')
			address, separator = append(address, url.QueryEscape(value)...), '&'
		}
	}
	add("da", from)
	add("a", to)
	for _, f := range t.fields() {
		add(f.name, *f.text)
	}
	add("lang", lang)
	add("valuta", currency)
	return string(address)
}

func (q question) withChoices(address string) string {
	for _, f := range []field{{"ordine", &q.order}, {"vicini", &q.near}} {
		if *f.text != "" {
			address += "&" + f.name + "=" + *f.text
		}
	}
	return address
}

func (q question) city(name string) (places.Place, bool) {
	for _, end := range q.ends {
		if end.Name == name && name != "" {
			return named(end.Means.Place, q.language), end.Means.City != ""
		}
	}
	p, ok := places.Find(name)
	if ok {
		p = named(p, q.language)
	}
	return p, ok
}

// localNames caches names, because a page needs the names of both cities in every language.
var localNames sync.Map

func named(p places.Place, l *i18n.Language) places.Place {
	key := [...]string{string(p.City), p.Airport, p.Name, l.Code}
	name, ok := localNames.Load(key)
	if !ok {
		name, _ = localNames.LoadOrStore(key, p.NameIn(l.Code))
	}
	p.Name, _ = name.(string)
	return p
}

func (t trip) ofAnywhere(kind fare.Trip) trip {
	anywhere := trip{NonStop: t.NonStop, Most: t.Most, airlineChoice: t.airlineChoice}
	if kind != fare.OneWay {
		anywhere.on(t.out, t.back)
	} else {
		anywhere.in(cmp.Or(t.month, t.out))
	}
	return anywhere
}

type faults map[string]string

// Amounts that name no currency are in the given currency.
func (t trip) read(l *i18n.Language, currency string) (answer.Question, faults) {
	wrong := faults{}
	in := published.Trip{Partenza: t.Date, Flessibile: t.Around, Mese: t.Month, Ritorno: t.Back,
		Diretto: t.NonStop != "", Valuta: cmp.Or(currency, "EUR")}
	if _, err := time.Parse("2006-01", t.Month); t.Month != "" && err != nil {
		wrong["mese"] = l.Text("ask.fault.month")
	}
	for _, day := range []field{{"quando", &t.Date}, {"ritorno", &t.Back}} {
		if _, err := (daytext.Reader{Language: l.Code}).Day(*day.text); *day.text != "" && err != nil {
			wrong[day.name] = wording.DayFault(l, *day.text, err)
		}
	}
	if t.Month != "" && t.Date != "" && wrong["mese"] == "" {
		wrong["mese"] = l.Text("ask.fault.both")
	}
	if t.Back != "" && t.Date == "" && wrong["ritorno"] == "" {
		wrong["ritorno"] = l.Text("ask.fault.back_alone")
	}
	limit := t.airlines(l, wrong)
	seen, ok := parsePrice(t.OwnPrice, currency)
	if fault := priceFault(l, t.OwnPrice, currency); fault != "" && t.OwnPrice != "" {
		wrong["visto"] = fault
	}
	if len(wrong) > 0 {
		return answer.Question{}, wrong
	}
	q, err := in.Question(func(parameter string) string { return pageNames[parameter] })
	q.Airlines = limit
	if err != nil {
		wrong["quando"] = wording.DayFault(l, t.Date, err)
	}
	if ok {
		q.Price = &answer.Price{Parameter: "visto", Amount: float64(seen.Amount) / 100, Currency: seen.Currency.String(),
			CurrencyParameter: "visto"}
	}
	return q, wrong
}

var pageNames = map[string]string{"partenza": "quando", "mese": "mese", "ritorno": "ritorno",
	"diretto": "diretto", "valuta": "valuta"}

// refused returns false if err does not report a fault of the question.
func (f faults) refused(l *i18n.Language, err error) bool {
	var (
		date     *answer.BadDate
		price    *answer.BadPrice
		currency *answer.UnknownCurrency
	)
	switch {
	case errors.As(err, &date):
		switch date.Fault {
		case answer.Far:
			f[date.Parameter] = l.Text("ask.fault.far", "Last", l.Date(date.From+answer.MaxAhead))
		case answer.BackFirst:
			f[date.Parameter] = l.Text("ask.fault.back_first")
		case answer.BackFar:
			f[date.Parameter] = l.Text("ask.fault.back_far", "Last", l.Date(date.From+fare.MaxNights))
		}
	case errors.As(err, &price):
		f[price.Parameter] = l.Text("ask.fault.price")
	case errors.As(err, &currency):
		ended := ""
		if currency.Ended != 0 {
			ended = l.Date(currency.Ended)
		}
		f[currency.Parameter] = l.Text("ask.fault.currency", "Code", currency.Currency, "Ended", ended)
	default:
		return false
	}
	return true
}
