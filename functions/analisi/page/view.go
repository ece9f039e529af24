package page

import (
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
	"verdetto/shared/verdict"
	"verdetto/shared/web/page"
)

// view is what the page at / shows: exactly one of Notice, Verdict, Cheap and Start.
type view struct {
	T           *i18n.Language
	Lang        string // the language, where it was chosen
	From, To    string // as typed, or as the cities are called
	AskFrom     string // queries that find them again, which their names may not
	AskTo       string
	FromBad     bool
	ToBad       bool
	Trip        trip // as typed
	Faults      faults
	Title       string
	Description string
	Invented    bool
	AllFares    bool // past weeks may be shown

	Start      bool
	Anywhere   bool // no destination was named
	Notice     *notice
	Verdict    *verdictView
	Cheap      *cheapView
	Places     []string     // where the fares are of more than was asked for
	Form       alertFields  // that the form of an alert is filled in with
	Alert      string       // the route that an alert is offered for
	Telegram   bool         // it can come there
	Base       string       // where the service is reached; empty where that is not known
	Card       string       // path of the picture for sites that link here
	Itself     string       // canonical path of this page
	Alternates []page.Other // canonical paths in each language, the default first

	today   fare.Day
	covered []fare.City // cities that there are fares from, those nearby first
	status  int
	route   fare.Route
	others  []page.Other // the same question in other languages
}

type link struct{ Text, To string }

const maxExamples = 6

// Examples links to where it is cheap to fly from some cities that there are fares from.
func (v view) Examples() []link {
	var all []link
	for _, city := range v.covered[:min(len(v.covered), maxExamples)] {
		name := places.Name(city, v.T.Code)
		all = append(all, link{name, pageAddress(places.Query(city, name), "", trip{}, v.Lang)})
	}
	return all
}

// Sample is the scale of an invented verdict.
func (v view) Sample() responsiveChart {
	s := chart.Scale{
		Percentile: 7, Low: 3, High: 17, Level: verdict.Ottimo, Ends: [3]float64{10, 35, 70}, Names: levelNames(v.T),
		Label: v.T.Text("home.example_note"),
	}
	return responsiveChart{s.SVG(680), s.SVG(328)}
}

// Months are those that a departure can be asked for in.
func (v view) Months() (all []option) {
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

// FirstDay and LastDay are those that a departure can be asked for on.
func (v view) FirstDay() string { return v.today.String() }
func (v view) LastDay() string  { return (v.today + answer.MaxAhead).String() }

// TripOpen tells whether the fields of the trip are shown at once: on the first page, and where
// there is something to mend or to add.
func (v view) TripOpen() bool {
	return v.Start || v.Anywhere || len(v.Faults) > 0 || v.Notice != nil && v.Notice.Seen
}

// TripText returns the trip in words; empty if there is none.
func (v view) TripText() string { return v.Trip.text(v.T) }

func (t trip) text(l *i18n.Language) string {
	var all []string
	if m, err := time.Parse("2006-01", t.Month); err == nil {
		all = append(all, l.MonthOf(fare.DayOf(m)))
	}
	if d, err := fare.ParseDay(t.Date); err == nil {
		if back, err := fare.ParseDay(t.Back); err == nil {
			all = append(all, l.Text("ask.out_and_back", "Out", l.Date(d), "Back", l.Date(back)))
		} else {
			all = append(all, l.Date(d))
		}
		if n, err := strconv.Atoi(t.Around); err == nil {
			all = append(all, l.Count("form.around", n))
		}
	}
	if t.NonStop != "" {
		all = append(all, l.Text("ask.nonstop"))
	}
	return strings.Join(all, " · ")
}

type notice struct {
	Title, Lede, Label string
	Route              string // that it is about; empty: none
	Links              []link
	Wider              []link // questions that can be asked in its place
	Seen               bool   // a fare that the reader has seen can be judged all the same
}

// responsiveChart is a chart for wide screens and one for narrow ones, of which a browser shows one.
type responsiveChart struct{ Wide, Narrow template.HTML }

type verdictView struct {
	Route, Level, Headline string
	Trip                   string // in words; empty: any one-way fare
	Facts                  []string
	Sure, SureDays         string // empty where there is no verdict
	Dots                   [3]bool
	Scale, History         responsiveChart
	Range                  responsiveChart // of a departure or a month, in place of the two
	Waits                  *waits          // of a departure
	Moves                  *movesView      // of a departure
	Calendar               *calendarView   // nil: no departure has a fare
	Months, Window         responsiveChart
	MonthsText, WindowText string
	Lead                   string // how far ahead the departure is
	Seen, Found            string // when the fare was found, in words and exactly; empty where the reader gave it
	Fresh, Updated         string
	Stale                  string // empty where the fare was found lately
	WeekRows               [][4]string
	MonthRows              []monthRow
	Share, Back, Others    link
}

type monthRow struct {
	Name, Median, Fares string
	To                  string
}

func (h home) newView(q question) view {
	v := view{
		T: q.language, From: q.from, To: q.to, AskFrom: q.from, AskTo: q.to, Trip: q.trip, Form: q.alert,
		Telegram: h.Telegram, today: fare.DayOf(h.Now()),
		Title: q.language.Text("home.claim"), Description: q.language.Text("home.summary"), status: http.StatusOK,
	}
	if q.chosen {
		v.Lang = q.language.Code
	}
	for _, l := range i18n.Languages() {
		v.Alternates = append(v.Alternates, page.Other{Language: l, Address: page.Home(l)})
		if l != q.language {
			v.others = append(v.others, page.Other{Language: l, Address: pageAddress(q.from, q.to, q.trip, l.Code)})
		}
	}
	v.Itself = page.Home(q.language)
	return v
}

// refuse answers with a notice: reason names its texts in the catalogue, behind "refusal.".
func (v *view) refuse(status int, reason string, fill ...any) {
	v.status, v.Title = status, v.T.Text("refusal."+reason+".title")
	v.Notice = &notice{Title: v.Title, Lede: v.T.Text("refusal."+reason+".lede", fill...)}
	if v.route != (fare.Route{}) {
		v.Notice.Route = routeName(v.T, v.From, v.To)
	}
}

// refuseFaults answers that something in the question is wrong, and says beside each field what:
// without a destination too there are all fields then that something is wrong in.
func (v *view) refuseFaults(wrong faults) {
	v.Faults = wrong
	v.Anywhere = v.AskFrom != "" && v.AskTo == "" && wrong["quando"]+wrong["ritorno"]+wrong["visto"] == ""
	v.refuse(http.StatusBadRequest, "faults")
	for _, f := range v.Trip.fields() {
		if said := wrong[f.name]; said != "" {
			v.Notice.Links = append(v.Notice.Links, link{said, "#" + f.name})
		}
	}
}

// setRoute names the cities that the page is about, in every language.
func (v *view) setRoute(q question, from places.Place, to *places.Place) {
	in := func(l *i18n.Language) string { return canonical(l, from, to, q.trip) }
	for i, a := range v.Alternates {
		v.Alternates[i].Address = in(a.Language)
	}
	v.Itself = in(v.T)
	v.From, v.AskFrom = from.Name, places.Query(from.City, from.Name)
	v.Title = v.T.Text("feed.title", "City", from.Name)
	if to != nil {
		v.To, v.AskTo = to.Name, places.Query(to.City, to.Name)
		v.route = fare.Route{Origin: from.City, Destination: to.City}
		v.Title = routeName(v.T, from.Name, to.Name)
	}
}
