package page

import (
	"cmp"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/web/page"
)

// A view sets one of the fields Notice, Verdict, Cheap, Returns and Start.
type view struct {
	T           *i18n.Language
	Lang        string
	Currency    string
	Currencies  options
	From, To    string
	AskFrom     string
	AskTo       string
	FromBad     bool
	ToBad       bool
	Trip        trip
	Faults      faults
	Title       string
	Description string
	Invented    bool
	AllFares    bool
	Kept        []hidden
	Remaining   string
	Cleared     string
	Read        []string
	Printed     string

	Start       bool
	Collecting  string
	Anywhere    bool
	Orders      options
	Notice      *notice
	Verdict     *verdictView
	Waits       *waits
	Compared    *comparison
	Near        *nearView
	Cheap       *cheapView
	Returns     *staysView
	Places      []string
	Readings    []string
	Namesakes   []namesakes
	Form        alertFields
	Alert       string
	Area        *places.Area
	AlertWanted bool
	AlertNew    bool
	Telegram    bool
	Base        string
	Card        string
	Itself      string
	Share       string
	Alternates  []page.Other

	today fare.Day

	atOrigin fare.Day
	covered  []fare.City
	status   int
	plain    bool
	most     fare.Cents
	route    fare.Route
	ends     [2]string
	others   []page.Other
}

type link struct{ Text, To string }

func routeName(l *i18n.Language, from, to string) string {
	return l.Text("home.route", "From", from, "To", to)
}

const maxExamples = 6

func (v *view) Examples() []link {
	var all []link
	for _, city := range v.covered[:min(len(v.covered), maxExamples)] {
		name := places.Name(city, v.T.Code)
		all = append(all, link{name, pageAddress(places.Query(city, name), "", trip{}, v.Lang, v.Currency)})
	}
	return all
}

func (v *view) Sample() template.HTML {
	return chart.Range{Minimum: 1800, Q1: 2600, Median: 3100, Q3: 3900, Maximum: 8100, Price: 2199,
		Label: v.T.Text("home.example_note")}.SVG()
}

func (v *view) Months() (all options) {
	first := v.today.Time()
	first = time.Date(first.Year(), first.Month(), 1, 0, 0, 0, 0, time.UTC)
	for m := first; fare.DayOf(m) <= v.today+answer.MaxAhead; m = m.AddDate(0, 1, 0) {
		value := m.Format("2006-01")
		all = append(all, option{value, v.T.MonthOf(fare.DayOf(m)), value == v.Trip.Month})
	}
	return all
}

type option struct {
	Value, Text string
	Chosen      bool
}

type options []option

// HTML uses no template, for speed: a form has dozens of options.
func (o options) HTML() template.HTML {
	var b strings.Builder
	for _, one := range o {
		b.WriteString("<option")
		if one.Value != one.Text {
			b.WriteString(` value="` + page.Escape.Replace(one.Value) + `"`)
		}
		if one.Chosen {
			b.WriteString(" selected")
		}
		b.WriteString(">" + page.Escape.Replace(one.Text))
	}
	return template.HTML(b.String())
}

type rows [][]string

// HTML uses no template, for speed: a table can have a row for each week of half a year.
func (r rows) HTML() template.HTML {
	var b strings.Builder
	for _, row := range r {
		b.WriteString(`<tr><th scope="row">` + page.Escape.Replace(row[0]) + "</th>")
		for _, cell := range row[1:] {
			b.WriteString("<td>" + page.Escape.Replace(cell) + "</td>")
		}
		b.WriteString("</tr>\n")
	}
	return template.HTML(b.String())
}

func (v *view) FirstDay() string { return v.atOrigin.String() }
func (v *view) LastDay() string  { return (v.today + answer.MaxAhead).String() }

func (v *view) InMonths() bool { return v.Anywhere && v.Trip.Back == "" }

func (v *view) Question() string {
	to, parts := cmp.Or(v.To, v.AskTo), []string{v.Trip.textWith(v.T, v.shortDay)}
	if v.Anywhere {
		to = cmp.Or(to, v.T.Text("alerts.anywhere"))
	}
	if parts[0] == "" {
		parts[0] = v.T.Text("form.any_day")
	}
	if v.Trip.Back == "" && v.Trip.Stay == "" {
		parts = append(parts, v.T.Text("ask.one_way"))
	}
	if seen := v.SeenPrice(); seen != "" {
		parts = append(parts, v.T.Text("ask.seen_short", "Price", seen))
	}
	if v.Trip.With != "" {
		parts = append(parts, v.T.Text("compare.ask")+" "+v.Trip.With)
	}
	return v.From + " → " + to + dot + strings.Join(parts, dot)
}

func (v *view) Asking() bool {
	bad := v.FromBad || v.ToBad || v.status == http.StatusBadRequest
	return len(v.Faults) > 0 || bad && v.Notice.Links == nil
}

// dot separates the parts of a line. The first space of dot does not break, so no line begins with
// the dot.
const dot = "\u00a0· "

func unbroken(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }

// Before returns the month or day that the form shows. A form without a script sends this value back
// as era, so that the service can tell whether the reader changed the month or the day.
func (v *view) Before() string { return cmp.Or(v.Trip.Month, v.Trip.Date) }

type hidden struct{ Name, Value string }

// keep adds hidden fields for choices that the form does not show, so that a reader without a script
// does not lose them.
func (v *view) keep(q question) {
	for _, f := range []struct {
		field
		shown bool
	}{
		{field{"visto", &q.OwnPrice}, v.asksForPrice()}, {field{"massimo", &q.Most}, v.Anywhere},
		{field{"valuta", &v.Currency}, len(v.Currencies) > 0}, {field{"soglia", &q.alert.Under}, false},
	} {
		if !f.shown && *f.text != "" {
			v.Kept = append(v.Kept, hidden{f.name, *f.text})
		}
	}
}

func (v *view) asksForPrice() bool {
	return v.Start || v.Faults["visto"] != "" || v.Verdict != nil || v.Notice != nil && v.Notice.CanJudgeOwn
}

func (t trip) text(l *i18n.Language) string { return t.textWith(l, l.WeekdayDate) }

func (t trip) textWith(l *i18n.Language, write func(fare.Day) string) string {
	var all []string
	if t.month != 0 {
		all = append(all, l.MonthOf(t.month))
	}
	if t.out != 0 {
		if t.back != 0 {
			all = append(all, l.Text("ask.out_and_back", "Out", write(t.out), "Back", write(t.back)))
		} else {
			all = append(all, write(t.out))
		}
		if n, err := strconv.Atoi(t.Around); err == nil {
			all = append(all, l.Count("form.around", n))
		}
	}
	if t.Stay != "" {
		all = append(all, stayText(l, t.Stay))
	}
	if t.NonStop != "" {
		all = append(all, l.Text("ask.nonstop"))
	}
	if only := t.airlineChoice.text(l); only != "" {
		all = append(all, only)
	}
	return strings.Join(all, dot)
}

type notice struct {
	Title, Lede, Label string
	Facts              []string
	Route              string
	Links              []link
	Pair               *daysView
	Near               *daysView
	Wider              []link
	CanJudgeOwn        bool
}

type verdictView struct {
	Route, Asks, Level, Headline string
	Market                       bool
	Price                        string
	Facts                        []string
	Scale                        scale
	certainty
	Judged       []string
	Lowest       fare.Cents
	PaidMet      string
	Days         *daysView
	Past         *pastView
	Calendar     *calendarView
	Months       *monthsView
	Updated      string
	Back, Others link
	AnyDay       string
}

type scale struct {
	Chart                 template.HTML
	Lowest, Half, Highest string
}

type certainty struct {
	Sure, SureDays, SureMeans string
	Dots                      [3]bool
}

type pastView struct {
	Title, Answer, Text, Note string
	Chart                     template.HTML
	Heads                     []string
	Rows                      rows
}

func (h home) newView(q question) view {
	v := view{
		T: q.language, From: q.from, To: q.to, AskFrom: q.from, AskTo: q.to, Trip: q.trip, Form: q.alert, AlertWanted: q.alert != alertFields{},
		Telegram: h.Telegram, plain: q.order+q.near == "" && q.area(1) == nil, today: fare.DayOf(h.Now()), atOrigin: answer.Today(q.ends[0].Means.Place, h.Now()),
		Title: q.language.Text("home.claim"), Description: q.language.Text("home.summary"), status: http.StatusOK,
	}
	if q.chosen {
		v.Lang = q.language.Code
	}
	if q.cleared != "" {
		v.Cleared = v.T.Text("ask.cleared." + q.cleared)
	}
	for _, l := range i18n.Languages() {
		v.Alternates = append(v.Alternates, page.Other{Language: l, Address: page.Home(l)})
		if l != q.language {
			v.others = append(v.others, page.Other{Language: l,
				Address: q.withChoices(pageAddress(q.from, q.to, q.trip, l.Code, q.currency))})
		}
	}
	v.Itself = page.Home(q.language)
	return v
}

func (v *view) refuse(status int, reason string, fill ...any) {
	v.notify(status, v.T.Text("refusal."+reason+".title"), v.T.Text("refusal."+reason+".lede", fill...))
}

func (v *view) notify(status int, title, lede string) {
	v.status, v.Title = status, title
	v.Notice = &notice{Title: title, Lede: lede}
	if v.route != (fare.Route{}) {
		v.Notice.Route = routeName(v.T, v.From, v.To)
	}
}

func (v *view) refuseFaults(wrong faults) {
	v.Faults = wrong
	v.Anywhere = v.AskFrom != "" && v.AskTo == "" && wrong["quando"]+wrong["ritorno"]+wrong["visto"] == ""
	v.refuse(http.StatusBadRequest, "faults")
	for _, f := range v.Trip.fields() {
		if fault := wrong[f.name]; fault != "" {
			v.Notice.Links = append(v.Notice.Links, link{fault, "#" + f.name})
		}
	}
}

func (v *view) setAirports(q question, data answer.SeriesData) {
	if data.Series.Airports != (fare.Airports{}) {
		v.setRoute(q, named(data.Origin, q.language), new(named(data.Destination, q.language)))
	}
}

func (v *view) shared(q question) string {
	address := q.withChoices(v.Itself)
	if l := "lang=" + v.T.Code; !strings.Contains(address, l) {
		address += "&" + l
	}
	if v.Currency != "" {
		address += "&valuta=" + v.Currency
	}
	return address
}

type namesakes struct {
	Before string
	Links  []link
	After  string
}

func (v *view) explain(q question) {
	for i, end := range q.ends {
		v.Readings = append(v.Readings, wording.Reading(v.T, end.Means)...)
		var n namesakes
		for _, c := range end.Means.Namesakes() {
			to := q.link(places.Query(c, ""), v.AskTo)
			if i == 1 {
				to = q.link(v.AskFrom, places.Query(c, ""))
			}
			n.Links = append(n.Links, link{wording.Where(v.T, c), to})
		}
		if n.Links != nil {
			text := v.T.Text("place.namesakes", "Where", wording.Where(v.T, end.Means.City), "Others", "\x00")
			n.Before, n.After, _ = strings.Cut(text, "\x00")
			v.Namesakes = append(v.Namesakes, n)
		}
	}
}

func (v *view) listTitle(city string) string {
	area := ""
	if v.Area != nil {
		area = v.Area.NameIn(v.T.Code)
	}
	return v.T.Text("cheap.title", "City", city, "Area", area)
}

func (v *view) alertRoute() string { return v.ends[0] + "-" + v.ends[1] }

// If to is nil, the page is about the origin only.
func (v *view) setRoute(q question, from places.Place, to *places.Place) {
	in := func(l *i18n.Language) string { return canonical(l, from, to, q.trip) }
	for i, a := range v.Alternates {
		v.Alternates[i].Address = in(a.Language)
	}
	v.Itself = in(v.T)
	v.From, v.AskFrom = from.Name, from.Query()
	v.Title = v.listTitle(from.Name)
	if to != nil {
		v.To, v.AskTo = to.Name, to.Query()
		v.route = fare.Route{Origin: from.City, Destination: to.City}
		v.ends = [...]string{cmp.Or(from.Airport, string(from.City)), cmp.Or(to.Airport, string(to.City))}
		v.Title = routeName(v.T, from.Name, to.Name)
	}
}
