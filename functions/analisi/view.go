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

// view is what the page shows. One of Notice, Verdict, Popular and Start says what it is about.
type view struct {
	T           *i18n.Language
	Lang        string // the language, where it was chosen
	From, To    string // as typed, or as the cities are called
	AskFrom     string // what leads to them again, which their names may not
	AskTo       string
	FromBad     bool
	ToBad       bool
	Title       string
	Description string
	Invented    bool

	Start      bool
	Notice     *notice
	Verdict    *judgement
	Popular    *popular
	Alert      string       // the route to hear of
	Base       string       // where the service is reached; empty where that is not known
	Card       string       // path of the picture for those who link here
	Itself     string       // path of this page under its lasting address, in its language
	Alternates []page.Other // and in each language, the default first

	status int
	route  fare.Route
	others []page.Other // the same question in other languages
}

type anchor struct{ Text, To string }

// Examples are cities to begin with: no store is asked for the page that says nothing yet.
func (v view) Examples() []anchor {
	var all []anchor
	for _, city := range []fare.City{"MIL", "ROM", "NAP", "LON", "PAR"} {
		name := places.Name(city, v.T.Code)
		all = append(all, anchor{v.T.Text("home.flights_from", "City", name), address(name, "", v.Lang)})
	}
	return all
}

// Sample is what a verdict looks like.
func (v view) Sample() drawn {
	s := chart.Scale{Percentile: 7, Low: 3, High: 17, Names: levelNames(v.T), Label: v.T.Text("home.example_note")}
	return drawn{s.SVG(680), s.SVG(328)}
}

// notice is an answer that is no verdict.
type notice struct {
	Title, Lede, Label string
	Route              string // that it is about; empty: none
	Links              []anchor
	Pro                bool
}

// drawn is a chart for wide screens and one for narrow ones, of which a browser shows one.
type drawn struct{ Wide, Narrow template.HTML }

// judgement is a verdict as it is shown.
type judgement struct {
	Route, Level, Headline string
	Facts                  []string
	Sure, SureDays         string // empty where there is no verdict
	Dots                   [3]bool
	Seasonal               bool
	Scale, History         drawn
	Months, Window         drawn
	MonthsText, WindowText string
	Fresh, Updated         string
	WeekRows               [][4]string
	MonthRows              [][3]string
	Share, Back, Others    anchor
}

type popular struct {
	City, Fresh string
	Rows        []destination
}

type destination struct {
	City, To, Price, Change, Way string
}

// start is a page that says nothing yet.
func (h home) start(q question) view {
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
			v.others = append(v.others, page.Other{Language: l, Address: address(q.from, q.to, l.Code)})
		}
	}
	v.Itself = page.Home(q.language)
	return v
}

// refuse makes the page an answer that is no verdict: why is the name of its texts behind "refusal.".
func (v *view) refuse(status int, why string, fill ...any) {
	v.status, v.Title = status, v.T.Text("refusal."+why+".title")
	v.Notice = &notice{Title: v.Title, Lede: v.T.Text("refusal."+why+".lede", fill...)}
	if v.route != (fare.Route{}) {
		v.Notice.Route = routeName(v.T, v.From, v.To)
	}
}

// about names what the page is about, in every language.
func (v *view) about(q question, from places.Place, to *places.Place) {
	in := func(l *i18n.Language) string {
		there := ""
		if to != nil {
			there = asked(to.City, nameIn(l.Code, *to))
		}
		lang := l.Code
		if l == i18n.Default() { // lasting addresses do not name it
			lang = ""
		}
		return address(asked(from.City, nameIn(l.Code, from)), there, lang)
	}
	for i, a := range v.Alternates {
		v.Alternates[i].Address = in(a.Language)
	}
	v.Itself = in(v.T)
	v.From, v.AskFrom = from.Name, asked(from.City, from.Name)
	v.Title = v.T.Text("home.flights_from", "City", from.Name)
	if to != nil {
		v.To, v.AskTo = to.Name, asked(to.City, to.Name)
		v.route = fare.Route{Origin: from.City, Destination: to.City}
		v.Title = routeName(v.T, from.Name, to.Name)
	}
}

// newest is the day of the newest fare of a sheet.
func newest(s verdict.RouteSummary) fare.Day { return fare.DayOf(time.Unix(s.Newest, 0)) }

// judged shows a verdict.
func (v *view) judged(q question, sheet verdict.RouteSummary, a verdict.Analysis, today fare.Day) {
	l := v.T
	live, _ := sheet.Cheapest(today)
	level := a.Verdetto.Livello
	j := &judgement{
		Route: routeName(l, v.From, v.To), Level: level, Headline: l.Text("headline." + kind(a.Verdetto)),
		Facts:   []string{l.Text("verdict.today", "Price", l.Money(live.Price), "Departure", l.Date(live.Depart))},
		Fresh:   l.Text("verdict.fresh", "When", ago(l, int(today-newest(sheet))), "Observations", l.Number(a.Osservazioni)),
		Updated: a.AggiornatoIl.Format(time.RFC3339),
		Share:   anchor{l.Text("home.share"), v.Itself},
		Back:    anchor{routeName(l, v.To, v.From), q.link(v.AskTo, v.AskFrom)},
		Others:  anchor{l.Text("home.others_from", "City", v.From), q.link(v.AskFrom, "")},
	}
	v.Verdict, v.Alert = j, v.route.String()
	v.Card = "/card/" + v.route.String() + "-" + l.Code + ".png"
	j.departures(l, sheet)
	scale, ok := verdict.ScaleOf(sheet)
	standing, known := verdict.StandingOf(sheet, today)
	if !ok || !known {
		j.Facts = append(j.Facts, l.Count("verdict.too_little", a.Verdetto.Campione, "Needed", verdict.MinSample))
		v.Description = j.Facts[1]
		return
	}
	v.Title += ": " + brief(l, live.Price, a.Verdetto)
	j.stand(l, standing, a.Verdetto)
	v.Description = j.Facts[0] + " " + j.Facts[1] + " " + j.Facts[2]
	j.picture(l, sheet, scale, standing, level, today)
}

// stand says how today's fare stands, and how sure that is.
func (j *judgement) stand(l *i18n.Language, t verdict.Standing, a verdict.Verdetto) {
	j.Facts = append(j.Facts, dearer(l, t), usual(l, t.Price, t.Median, a.Livello))
	j.Sure, j.SureDays = l.Text("certainty."+a.Affidabilita), l.Text("verdict.observed", "Size", t.Size)
	certainty := 1 + slices.Index([]string{verdict.Bassa, verdict.Media, verdict.Alta}, a.Affidabilita)
	for i := range j.Dots {
		j.Dots[i] = i < certainty
	}
	j.Seasonal = t.Seasonal
}

// picture draws today against the past, with the same numbers as rows of a table.
func (j *judgement) picture(l *i18n.Language, sheet verdict.RouteSummary, scale verdict.Scale, t verdict.Standing, level string, today fare.Day) {
	s := scaleOf(l, t)
	j.Scale = drawn{s.SVG(680), s.SVG(328)}
	weeks := verdict.Since(verdict.Weeks(sheet), today, freeWeeks)
	h := chart.History{
		Weeks: weeks, Scale: scale, Today: today, Price: t.Price, Level: level, Names: levelNames(l),
		Money: l.Money, Month: l.MonthShort,
		Label: l.Text("verdict.history", "Price", l.Money(t.Price), "Lowest", l.Money(t.Minimum), "Median", l.Money(t.Median)),
	}
	j.History = drawn{h.SVG(680, 300), h.SVG(328, 260)}
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

// departures shows when to fly and when to book.
func (j *judgement) departures(l *i18n.Language, sheet verdict.RouteSummary) {
	if len(sheet.Months) > 1 {
		var best []string
		for _, m := range sheet.Months[:min(2, len(sheet.Months)/2)] {
			best = append(best, fmt.Sprintf("%s (%s)", l.Month(time.Month(m.Month)), l.Money((m.Median+50)/100*100)))
		}
		j.MonthsText = months(l, best, len(sheet.Months))
		m := chart.Months{Months: sheet.Months, Best: len(best), Name: l.MonthShort, Label: j.MonthsText}
		j.Months.Wide = m.SVG(680, 190)
		m.Name = l.MonthInitial
		j.Months.Narrow = m.SVG(328, 170)
		for _, m := range sheet.Months {
			j.MonthRows = append(j.MonthRows, [3]string{l.Month(time.Month(m.Month)), l.Money(m.Median), l.Number(m.Sample)})
		}
	}
	if sheet.Window != nil {
		// The saving of the API is between medians of many departures and seasons: no
		// reader should expect it of one.
		j.WindowText = l.Text("verdict.window", "From", sheet.Window.From, "To", sheet.Window.To)
		c := chart.Window{Window: *sheet.Window, Ends: [2]string{l.Text("verdict.window_far"), l.Text("verdict.window_near")}, Label: j.WindowText}
		j.Window = drawn{c.SVG(680), c.SVG(328)}
	}
}

// popular shows where one can fly to from a city.
func (v *view) popular(q question, from places.Place, all trends.Origin, today fare.Day) {
	l := v.T
	p := &popular{City: from.Name}
	for _, e := range all.Entries {
		live, ok := e.Cheapest(today)
		if !ok {
			continue
		}
		if len(p.Rows) == maxDestinations {
			break
		}
		name := places.Name(e.Destination, l.Code)
		d := destination{City: name, To: q.link(v.AskFrom, asked(e.Destination, name)), Price: l.Money(live.Price)}
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
