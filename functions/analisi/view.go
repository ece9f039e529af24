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
	"verdetto/shared/places"
	"verdetto/shared/trends"
	"verdetto/shared/verdict"
)

// view is what the page shows. One of Notice, Verdict, Popular and Start says what it is about.
type view struct {
	W           *words
	Lang        string // the language, where it was chosen
	From, To    string // as typed, or as the cities are called
	AskFrom     string // what leads to them again, which their names may not
	AskTo       string
	FromBad     bool
	ToBad       bool
	Title       string
	Description string
	Invented    bool

	Start   bool
	Notice  *notice
	Verdict *judgement
	Popular *popular
	Alert   string // the route to hear of
	Base    string // where the service is reached; empty where that is not known
	Card    string // path of the picture for those who link here
	Itself  string // path of this page under its lasting address, in its language
	English string // and in each language
	Italian string

	status int
	route  fare.Route
	other  string // the same question in the other language
}

type anchor struct{ Text, To string }

// Examples are cities to begin with: no store is asked for the page that says nothing yet.
func (v view) Examples() []anchor {
	var all []anchor
	for _, city := range []fare.City{"MIL", "ROM", "NAP", "LON", "PAR"} {
		name := places.Name(city, v.W.Lang)
		all = append(all, anchor{v.W.popularFrom(name), address(name, "", v.Lang)})
	}
	return all
}

// Sample is what a verdict looks like.
func (v view) Sample() drawn {
	w := v.W
	s := chart.Scale{Percentile: 7, Low: 3, High: 17, Names: w.Levels, Label: w.ExampleNote}
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
		W: q.words, From: q.from, To: q.to, AskFrom: q.from, AskTo: q.to, Title: q.words.Title, Description: q.words.Description, status: http.StatusOK,
		Itself: address("", "", lasting(q.words.Lang)), Italian: "/", English: "/?lang=en",
	}
	if q.chosen {
		v.Lang = q.words.Lang
	}
	v.other = address(q.from, q.to, opposite(q.words.Lang))
	return v
}

func opposite(lang string) string {
	if lang == "it" {
		return "en"
	}
	return "it"
}

// lasting is how a language is named in lasting addresses: Italian, which the page speaks where nothing is chosen, is not.
func lasting(lang string) string {
	if lang == "it" {
		return ""
	}
	return lang
}

// refuse makes the page an answer that is no verdict.
func (v *view) refuse(status int, title, lede string) {
	v.status, v.Title = status, title
	v.Notice = &notice{Title: title, Lede: lede}
	if v.route != (fare.Route{}) {
		v.Notice.Route = v.W.route(v.From, v.To)
	}
}

// about names what the page is about, in both languages.
func (v *view) about(q question, from places.Place, to *places.Place) {
	in := func(lang string) string {
		there := ""
		if to != nil {
			there = asked(to.City, nameIn(lang, *to))
		}
		return address(asked(from.City, nameIn(lang, from)), there, lasting(lang))
	}
	v.Italian, v.English = in("it"), in("en")
	v.Itself = in(q.words.Lang)
	v.From, v.AskFrom = from.Name, asked(from.City, from.Name)
	v.Title = q.words.popularFrom(from.Name)
	if to != nil {
		v.To, v.AskTo = to.Name, asked(to.City, to.Name)
		v.route = fare.Route{Origin: from.City, Destination: to.City}
		v.Title = q.words.route(from.Name, to.Name)
	}
}

// newest is the day of the newest fare of a sheet.
func newest(s verdict.RouteSummary) fare.Day { return fare.DayOf(time.Unix(s.Newest, 0)) }

// judged shows a verdict.
func (v *view) judged(q question, sheet verdict.RouteSummary, a verdict.Analysis, today fare.Day) {
	w := v.W
	live, _ := sheet.Cheapest(today)
	level := a.Verdetto.Livello
	j := &judgement{
		Route: w.route(v.From, v.To), Level: level, Headline: w.verdict(a.Verdetto),
		Facts:   []string{w.today(w.money(live.Price), w.date(live.Depart))},
		Fresh:   w.fresh(w.ago(int(today-newest(sheet))), a.Osservazioni),
		Updated: a.AggiornatoIl.Format(time.RFC3339),
		Share:   anchor{w.Share, v.Itself},
		Back:    anchor{w.route(v.To, v.From), q.link(v.AskTo, v.AskFrom)},
		Others:  anchor{w.PopularOther + " " + v.From, q.link(v.AskFrom, "")},
	}
	v.Verdict, v.Alert = j, v.route.String()
	v.Card = "/card/" + v.route.String() + "-" + w.Lang + ".png"
	j.departures(w, sheet)
	scale, ok := verdict.ScaleOf(sheet)
	standing, known := verdict.StandingOf(sheet, today)
	if !ok || !known {
		j.Facts = append(j.Facts, w.tooLittle(a.Verdetto.Campione, verdict.MinSample))
		v.Description = j.Facts[1]
		return
	}
	v.Title += ": " + w.brief(live.Price, a.Verdetto)
	j.stand(w, standing, a.Verdetto)
	v.Description = j.Facts[0] + " " + j.Facts[1] + " " + j.Facts[2]
	j.picture(w, sheet, scale, standing, level, today)
}

// stand says how today's fare stands, and how sure that is.
func (j *judgement) stand(w *words, t verdict.Standing, a verdict.Verdetto) {
	j.Facts = append(j.Facts, w.dearer(t.Size-t.Below-t.Equal, t.Equal, t.Size), w.against(t.Price, t.Median, a.Livello))
	j.Sure, j.SureDays = w.Sure[a.Affidabilita], w.certainty(t.Size)
	certainty := 1 + slices.Index([]string{verdict.Bassa, verdict.Media, verdict.Alta}, a.Affidabilita)
	for i := range j.Dots {
		j.Dots[i] = i < certainty
	}
	j.Seasonal = t.Seasonal
}

// picture draws today against the past, with the same numbers as rows of a table.
func (j *judgement) picture(w *words, sheet verdict.RouteSummary, scale verdict.Scale, t verdict.Standing, level string, today fare.Day) {
	s := scaleOf(w, t)
	j.Scale = drawn{s.SVG(680), s.SVG(328)}
	weeks := verdict.Since(verdict.Weeks(sheet), today, freeWeeks)
	h := chart.History{
		Weeks: weeks, Scale: scale, Today: today, Price: t.Price, Level: level, Names: w.Levels,
		Money: w.money, Month: w.short,
		Label: w.historyIs(w.money(t.Price), w.money(t.Minimum), w.money(t.Median)),
	}
	j.History = drawn{h.SVG(680, 300), h.SVG(328, 260)}
	for _, week := range slices.Backward(weeks) {
		j.WeekRows = append(j.WeekRows, [4]string{w.date(week.First), w.money(week.Minimum), w.money(week.Median), w.count(week.Days)})
	}
}

func scaleOf(w *words, t verdict.Standing) chart.Scale {
	low, high := t.Interval()
	return chart.Scale{
		Percentile: t.Percentile(), Low: low, High: high, Names: w.Levels,
		Label: w.scaleLabel(t.Percentile(), int(math.Round(low)), int(math.Round(high))),
	}
}

// departures shows when to fly and when to book.
func (j *judgement) departures(w *words, sheet verdict.RouteSummary) {
	if len(sheet.Months) > 1 {
		var best []string
		for _, m := range sheet.Months[:min(2, len(sheet.Months)/2)] {
			best = append(best, fmt.Sprintf("%s (%s)", w.month(time.Month(m.Month)), w.money((m.Median+50)/100*100)))
		}
		j.MonthsText = w.monthsBest(best, len(sheet.Months))
		m := chart.Months{Months: sheet.Months, Best: len(best), Name: w.short, Label: j.MonthsText}
		j.Months.Wide = m.SVG(680, 190)
		m.Name = w.initial
		j.Months.Narrow = m.SVG(328, 170)
		for _, m := range sheet.Months {
			j.MonthRows = append(j.MonthRows, [3]string{w.month(time.Month(m.Month)), w.money(m.Median), w.count(m.Sample)})
		}
	}
	if sheet.Window != nil {
		// The saving of the API is between medians of many departures and seasons: no
		// reader should expect it of one.
		j.WindowText = w.window(sheet.Window.From, sheet.Window.To)
		c := chart.Window{Window: *sheet.Window, Ends: w.WindowEnds, Label: j.WindowText}
		j.Window = drawn{c.SVG(680), c.SVG(328)}
	}
}

// popular shows where one can fly to from a city.
func (v *view) popular(q question, from places.Place, all trends.Origin, today fare.Day) {
	w := v.W
	p := &popular{City: from.Name}
	for _, e := range all.Entries {
		live, ok := e.Cheapest(today)
		if !ok {
			continue
		}
		if len(p.Rows) == maxDestinations {
			break
		}
		name := places.Name(e.Destination, w.Lang)
		d := destination{City: name, To: q.link(v.AskFrom, asked(e.Destination, name)), Price: w.money(live.Price)}
		switch change := live.Price - e.Previous; {
		case e.Previous == 0:
		case change < 0:
			d.Change, d.Way = "−"+w.money(-change), "down"
		case change > 0:
			d.Change, d.Way = "+"+w.money(change), "up"
		default:
			d.Change = "="
		}
		p.Rows = append(p.Rows, d)
	}
	if len(p.Rows) == 0 {
		v.refuse(http.StatusNotFound, w.NoFareTitle, w.NoneLive)
		return
	}
	v.Popular = p
	v.Description = w.PopularLede
}
