package analisi

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"time"

	"verdetto/shared/chart"
	"verdetto/shared/fare"
	"verdetto/shared/i18n"
	"verdetto/shared/page"
	"verdetto/shared/places"
	"verdetto/shared/trends"
	"verdetto/shared/verdict"
)

// view is what the page at / shows: exactly one of Notice, Verdict, Popular and Start.
type view struct {
	T           *i18n.Language
	Lang        string // the language, where it was chosen
	From, To    string // as typed, or as the cities are called
	AskFrom     string // queries that find them again, which their names may not
	AskTo       string
	FromBad     bool
	ToBad       bool
	Title       string
	Description string
	Invented    bool

	Start      bool
	Notice     *notice
	Verdict    *verdictView
	Popular    *destinationsView
	Alert      string       // the route that an alert is offered for
	Base       string       // where the service is reached; empty where that is not known
	Card       string       // path of the picture for sites that link here
	Itself     string       // canonical path of this page
	Alternates []page.Other // canonical paths in each language, the default first

	status int
	route  fare.Route
	others []page.Other // the same question in other languages
}

type link struct{ Text, To string }

// Examples links to the destinations of some cities. They are fixed: the first page reads nothing from the store.
func (v view) Examples() []link {
	var all []link
	for _, city := range []fare.City{"MIL", "ROM", "NAP", "LON", "PAR"} {
		name := places.Name(city, v.T.Code)
		all = append(all, link{v.T.Text("home.flights_from", "City", name), pageAddress(name, "", v.Lang)})
	}
	return all
}

// Sample is the scale of an invented verdict.
func (v view) Sample() responsiveChart {
	s := chart.Scale{Percentile: 7, Low: 3, High: 17, Names: levelNames(v.T), Label: v.T.Text("home.example_note")}
	return responsiveChart{s.SVG(680), s.SVG(328)}
}

// notice says why there is no verdict.
type notice struct {
	Title, Lede, Label string
	Route              string // that it is about; empty: none
	Links              []link
	Pro                bool
}

// responsiveChart is a chart for wide screens and one for narrow ones, of which a browser shows one.
type responsiveChart struct{ Wide, Narrow template.HTML }

// verdictView is a verdict as it is shown.
type verdictView struct {
	Route, Level, Headline string
	Facts                  []string
	Sure, SureDays         string // empty where there is no verdict
	Dots                   [3]bool
	Scale, History         responsiveChart
	Months, Window         responsiveChart
	MonthsText, WindowText string
	Fresh, Updated         string
	Stale                  string // empty where the fare was found lately
	WeekRows               [][4]string
	MonthRows              [][3]string
	Share, Back, Others    link
}

type destinationsView struct {
	City, Fresh string
	Rows        []destination
}

type destination struct {
	City, To, Price, Change, Way string
}

// newView makes a page without an answer yet.
func (h home) newView(q question) view {
	v := view{
		T: q.language, From: q.from, To: q.to, AskFrom: q.from, AskTo: q.to,
		Title: q.language.Text("home.claim"), Description: q.language.Text("home.summary"), status: http.StatusOK,
	}
	if q.chosen {
		v.Lang = q.language.Code
	}
	for _, l := range i18n.Languages() {
		v.Alternates = append(v.Alternates, page.Other{Language: l, Address: page.Home(l)})
		if l != q.language {
			v.others = append(v.others, page.Other{Language: l, Address: pageAddress(q.from, q.to, l.Code)})
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

// setRoute names the cities that the page is about, in every language.
func (v *view) setRoute(q question, from places.Place, to *places.Place) {
	in := func(l *i18n.Language) string {
		there := ""
		if to != nil {
			there = queryFor(to.City, nameIn(l.Code, *to))
		}
		lang := l.Code
		if l == i18n.Default() { // canonical addresses do not name it
			lang = ""
		}
		return pageAddress(queryFor(from.City, nameIn(l.Code, from)), there, lang)
	}
	for i, a := range v.Alternates {
		v.Alternates[i].Address = in(a.Language)
	}
	v.Itself = in(v.T)
	v.From, v.AskFrom = from.Name, queryFor(from.City, from.Name)
	v.Title = v.T.Text("home.flights_from", "City", from.Name)
	if to != nil {
		v.To, v.AskTo = to.Name, queryFor(to.City, to.Name)
		v.route = fare.Route{Origin: from.City, Destination: to.City}
		v.Title = routeName(v.T, from.Name, to.Name)
	}
}

// newest is the day of the newest fare of a route.
func newest(s verdict.RouteSummary) fare.Day { return fare.DayOf(time.Unix(s.Newest, 0)) }

// showVerdict answers with a verdict.
func (v *view) showVerdict(q question, summary verdict.RouteSummary, a verdict.Analysis, today fare.Day) {
	l := v.T
	live, _ := summary.Cheapest(today)
	level := a.Verdetto.Livello
	j := &verdictView{
		Route: routeName(l, v.From, v.To), Level: level, Headline: l.Text("headline." + wordingOf(a.Verdetto)),
		Facts:   []string{l.Text("verdict.today", "Price", l.Money(a.Prezzo.Cent), "Departure", l.Date(live.Depart))},
		Fresh:   l.Text("verdict.fresh", "When", ago(l, int(today-newest(summary))), "Observations", l.Number(a.Osservazioni)),
		Updated: a.AggiornatoIl.Format(time.RFC3339),
		Share:   link{l.Text("home.share"), v.Itself},
		Back:    link{routeName(l, v.To, v.From), q.link(v.AskTo, v.AskFrom)},
		Others:  link{l.Text("home.others_from", "City", v.From), q.link(v.AskFrom, "")},
	}
	v.Verdict, v.Alert = j, v.route.String()
	v.Card = "/card/" + v.route.String() + "-" + l.Code + ".png"
	j.describeDepartures(l, summary)
	if a.Prezzo.Stale() {
		j.Stale = l.Count("verdict.stale", *a.Prezzo.EtaOre/24)
	}
	scale, ok := verdict.ScaleOf(summary)
	standing, known := verdict.StandingOf(summary, today)
	if !ok || !known {
		j.Facts = append(j.Facts, l.Count("verdict.too_little", a.Verdetto.Campione, "Needed", verdict.MinSample))
		v.Description = j.Facts[1]
		return
	}
	v.Title += ": " + brief(l, a.Prezzo.Cent, a.Verdetto)
	j.describeStanding(l, standing, a.Verdetto)
	v.Description = j.Facts[0] + " " + j.Facts[1] + " " + j.Facts[2]
	j.drawHistory(l, summary, scale, standing, level, today)
}

// describeStanding says how today's fare compares, and how sure that is.
func (j *verdictView) describeStanding(l *i18n.Language, t verdict.Standing, a verdict.Verdetto) {
	j.Facts = append(j.Facts, dearer(l, t), usual(l, t.Price, t.Median, a.Livello))
	j.Sure, j.SureDays = l.Text("certainty."+a.Affidabilita), l.Text("verdict.observed", "Size", t.Size)
	certainty := 1 + slices.Index([]string{verdict.Bassa, verdict.Media, verdict.Alta}, a.Affidabilita)
	for i := range j.Dots {
		j.Dots[i] = i < certainty
	}
}

// drawHistory draws today against the past, with the same numbers as rows of a table.
func (j *verdictView) drawHistory(l *i18n.Language, summary verdict.RouteSummary, scale verdict.Scale, t verdict.Standing, level string, today fare.Day) {
	s := scaleOf(l, t)
	j.Scale = responsiveChart{s.SVG(680), s.SVG(328)}
	weeks := verdict.Since(verdict.Weeks(summary), today, freeWeeks)
	h := chart.History{
		Weeks: weeks, Scale: scale, Today: today, Price: t.Price, Level: level, Names: levelNames(l),
		Money: l.Money, Month: l.MonthShort,
		Label: l.Text("verdict.history", "Price", l.Money(t.Price), "Lowest", l.Money(t.Minimum), "Median", l.Money(t.Median)),
	}
	j.History = responsiveChart{h.SVG(680, 300), h.SVG(328, 260)}
	for _, week := range slices.Backward(weeks) {
		j.WeekRows = append(j.WeekRows, [4]string{l.Date(week.First), l.Money(week.Minimum), l.Money(week.Median), l.Number(week.Days)})
	}
}

func scaleOf(l *i18n.Language, t verdict.Standing) chart.Scale {
	low, high := t.Interval()
	return chart.Scale{
		Percentile: t.Percentile(), Low: low, High: high, Names: levelNames(l),
		Label: l.Text("verdict.scale", "Percentile", t.Percentile(), "Low", int(math.Round(low)), "High", int(math.Round(high))),
	}
}

// describeDepartures shows when to fly and when to book.
func (j *verdictView) describeDepartures(l *i18n.Language, summary verdict.RouteSummary) {
	if len(summary.Months) > 1 {
		var best []string
		for _, m := range summary.Months[:min(2, len(summary.Months)/2)] {
			best = append(best, fmt.Sprintf("%s (%s)", l.Month(time.Month(m.Month)), l.Money((m.Median+50)/100*100)))
		}
		j.MonthsText = months(l, best, len(summary.Months))
		m := chart.Months{Months: summary.Months, Best: len(best), Name: l.MonthShort, Label: j.MonthsText}
		j.Months.Wide = m.SVG(680, 190)
		m.Name = l.MonthInitial
		j.Months.Narrow = m.SVG(328, 170)
		for _, m := range summary.Months {
			j.MonthRows = append(j.MonthRows, [3]string{l.Month(time.Month(m.Month)), l.Money(m.Median), l.Number(m.Sample)})
		}
	}
	if summary.Window != nil {
		// The API's saving is between medians of many departures and seasons, so it is
		// not shown: no reader should expect it of one departure.
		j.WindowText = l.Text("verdict.window", "From", summary.Window.From, "To", summary.Window.To)
		c := chart.Window{Window: *summary.Window, Ends: [2]string{l.Text("verdict.window_far"), l.Text("verdict.window_near")}, Label: j.WindowText}
		j.Window = responsiveChart{c.SVG(680), c.SVG(328)}
	}
}

// showDestinations answers with the destinations from a city.
func (v *view) showDestinations(q question, from places.Place, all trends.Origin, today fare.Day) {
	l := v.T
	p := &destinationsView{City: from.Name}
	for _, e := range all.Entries {
		live, ok := e.Cheapest(today)
		if !ok {
			continue
		}
		if len(p.Rows) == maxDestinations {
			break
		}
		name := places.Name(e.Destination, l.Code)
		d := destination{City: name, To: q.link(v.AskFrom, queryFor(e.Destination, name)), Price: l.Money(live.Price)}
		switch change := live.Price - e.Previous; {
		case e.Previous == 0:
		case change < 0:
			d.Change, d.Way = "−"+l.Money(-change), "down"
		case change > 0:
			d.Change, d.Way = "+"+l.Money(change), "up"
		default:
			d.Change = "="
		}
		p.Rows = append(p.Rows, d)
	}
	if len(p.Rows) == 0 {
		v.refuse(http.StatusNotFound, "no_fares")
		return
	}
	v.Popular = p
	v.Description = l.Text("popular.lede")
}
