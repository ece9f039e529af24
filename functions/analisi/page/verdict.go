package page

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/verdict"
)

func newest(s verdict.RouteSummary) fare.Day { return fare.DayOf(time.Unix(s.Newest, 0)) }

// newVerdict returns the parts that all verdicts share.
func (v *view) newVerdict(q question, a verdict.Analysis) *verdictView {
	l := v.T
	j := &verdictView{
		Route: routeName(l, v.From, v.To), Trip: v.Trip.text(l), Level: a.Verdetto.Livello,
		Headline: l.Text("headline." + wordingOf(a.Verdetto)),
		Facts:    []string{priceText(l, a, q.Around != "")},
		Fresh: l.Text("verdict.fresh", "When", ago(l, int(v.today-fare.DayOf(a.AggiornatoIl))), "Observations",
			l.Number(a.Osservazioni)),
		Updated: a.AggiornatoIl.Format(time.RFC3339),
		Share:   link{l.Text("home.share"), v.Itself},
		Back:    link{routeName(l, v.To, v.From), q.linkOn(trip{NonStop: q.NonStop}, v.AskTo, v.AskFrom)},
		Others:  link{l.Text("feed.title", "City", v.From), q.linkOn(q.ofAnywhere(fare.OneWay), v.AskFrom, "")},
	}
	if q.Back == "" {
		j.Trip = strings.TrimPrefix(j.Trip+" · "+l.Text("ask.one_way"), " · ")
	}
	v.Verdict, v.Alert = j, v.route.String()
	v.Card = "/card/" + cardName(v.route, q.trip, l)
	if p := a.Prezzo; p.TrovatoIl != nil {
		j.FoundAt = p.TrovatoIl.Format(time.RFC3339)
		if days := int(v.today - fare.DayOf(*p.TrovatoIl)); p.Stale() {
			j.Stale = l.Count("verdict.stale", days)
		} else {
			j.Age = l.Text("verdict.seen", "When", ago(l, days))
		}
	}
	v.describeWindow(j, a)
	return j
}

// showVerdict shows a verdict about the cheapest fare of a route, or about the reader's own
// price.
func (v *view) showVerdict(q question, asked answer.Question, answered answer.Answer, today fare.Day) {
	l, a, summary := v.T, answered.Analysis, answered.Summary
	j := v.newVerdict(q, a)
	scale, ok := verdict.ScaleOf(summary)
	standing, known := standingOf(summary, a.Prezzo, today)
	if !ok || !known {
		j.Facts = append(j.Facts, l.Count("verdict.too_little", a.Verdetto.Campione, "Needed", verdict.MinSample))
		v.Description = j.Facts[1]
		return
	}
	v.Title += l.Text("format.colon") + " " + brief(l, a.Prezzo.Cent, a.Verdetto)
	j.Facts = append(j.Facts, dearer(l, standing), usual(l, standing.Price, standing.Median, a.Verdetto.Livello))
	j.describeCertainty(l, a.Verdetto.Affidabilita, l.Text("verdict.observed", "Size", standing.Size))
	v.Description = j.Facts[0] + " " + j.Facts[1] + " " + j.Facts[2]
	s := scaleOf(l, standing, scale, a.Verdetto.Livello)
	j.Scale = responsiveChart{s.SVG(680), s.SVG(328)}
	if v.AllFares {
		j.drawHistory(l, summary, scale, standing, a.Verdetto.Livello, today)
	}
}

// standingOf returns the percentile of today's cheapest fare, or of the reader's own price.
func standingOf(s verdict.RouteSummary, p verdict.Prezzo, today fare.Day) (verdict.Percentile, bool) {
	if !p.Dichiarato {
		return verdict.PercentileOf(s, today)
	}
	return verdict.PercentileAt(s, s.FromEuro(p.Cent))
}

func (j *verdictView) describeCertainty(l *i18n.Language, reliability, restsOn string) {
	j.Sure, j.SureDays = l.Text("certainty."+reliability), restsOn
	certainty := 1 + slices.Index([]string{verdict.Bassa, verdict.Media, verdict.Alta}, reliability)
	for i := range j.Dots {
		j.Dots[i] = i < certainty
	}
}

// drawHistory draws today's fare against the past, with the same numbers in a table.
func (j *verdictView) drawHistory(l *i18n.Language, summary verdict.RouteSummary, scale verdict.Scale,
	t verdict.Percentile, level string, today fare.Day) {
	weeks := verdict.Since(verdict.Weeks(summary), today, published.FreeWeeks)
	h := chart.History{
		Weeks: weeks, Scale: scale, Today: today, Price: t.Price, Level: level, Names: levelNames(l),
		Money: l.Money, Month: l.MonthShort,
		Label: l.Text("verdict.history", "Price", l.Money(t.Price), "Lowest", l.Money(t.Minimum),
			"Median", l.Money(t.Median)),
	}
	j.History = responsiveChart{h.SVG(680, 300), h.SVG(328, 260)}
	for _, week := range slices.Backward(weeks) {
		j.WeekRows = append(j.WeekRows, [4]string{l.Date(week.First), l.Money(week.Minimum), l.Money(week.Median),
			l.Number(week.Days)})
	}
}

func scaleOf(l *i18n.Language, t verdict.Percentile, s verdict.Scale, level string) chart.Scale {
	low, high := t.Interval()
	c := chart.Scale{
		Percentile: t.Percent(), Low: low, High: high, Level: level, Names: levelNames(l),
		Label: l.Text("verdict.scale", "Percentile", t.Percent(), "Low", int(math.Round(low)), "High",
			int(math.Round(high))),
	}
	for i, share := range s.Shares {
		c.Ends[i] = 100 * share
	}
	return c
}

// describeMonths shows when to fly. Each month links to its departures in the calendar, or to its
// question.
func (v *view) describeMonths(q question, a verdict.Analysis) {
	l, j, known := v.T, v.Verdict, len(a.MesiPerConvenienza)
	if known < 2 {
		return
	}
	var best []string
	for _, m := range a.MesiPerConvenienza[:min(2, known/2)] {
		best = append(best, fmt.Sprintf("%s (%s)", l.Month(time.Month(m.Mese)), l.Money((m.MedianaCent+50)/100*100)))
	}
	j.MonthsText = months(l, best, known)
	c := chart.Months{Best: len(best), Name: l.MonthShort, Full: l.Month,
		To: func(m time.Month) string { return v.departuresIn(q, m) }, Label: j.MonthsText}
	for _, m := range a.MesiPerConvenienza {
		c.Months = append(c.Months, verdict.Month{Month: m.Mese, Median: m.MedianaCent, Sample: m.Campione})
		j.MonthRows = append(j.MonthRows, monthRow{l.Month(time.Month(m.Mese)), l.Money(m.MedianaCent),
			l.Number(m.Campione), v.askMonth(q, time.Month(m.Mese))})
	}
	j.Months.Wide = c.SVG(680, 190)
	c.Name = l.MonthInitial
	j.Months.Narrow = c.SVG(328, 170)
}

// departuresIn returns the link to the departures of the next month m: in the calendar if it has
// some.
func (v *view) departuresIn(q question, m time.Month) string {
	if of := v.Verdict.Calendar; of != nil {
		id := calendarID(nextMonth(v.today, m))
		for _, month := range of.Months {
			if month.ID == id {
				return "#" + id
			}
		}
	}
	return v.askMonth(q, m)
}

func (v *view) askMonth(q question, m time.Month) string {
	t := q.trip
	t.Date, t.Around, t.Back, t.Month = "", "", "", nextMonth(v.today, m)
	return q.linkOn(t, v.AskFrom, v.AskTo)
}

// nextMonth returns the next occurrence of a month of the year, this month included.
func nextMonth(today fare.Day, m time.Month) string {
	t := today.Time()
	year := t.Year()
	if m < t.Month() {
		year++
	}
	return fmt.Sprintf("%04d-%02d", year, m)
}

// describeWindow shows when to book, and where the departure lies in the window.
func (v *view) describeWindow(j *verdictView, a verdict.Analysis) {
	l, w := v.T, a.AnticipoConsigliato
	if lead := a.AnticipoGiorni; lead != nil {
		switch leaves := l.Count("verdict.leaves", *lead); {
		case w == nil:
			j.Lead = leaves + "."
		case *lead > w.AGiorni:
			j.Lead = leaves + l.Text("verdict.leaves_early")
		case *lead < w.DaGiorni:
			j.Lead = leaves + l.Text("verdict.leaves_late")
		default:
			j.Lead = leaves + l.Text("verdict.leaves_inside")
		}
	}
	if w == nil {
		return
	}
	// The saving in the API's answer compares medians of many departures and seasons. It is not
	// shown, because it does not apply to a single departure.
	j.WindowText = l.Text("verdict.window", "From", w.DaGiorni, "To", w.AGiorni)
	c := chart.Window{
		Window: verdict.Window{From: w.DaGiorni, To: w.AGiorni}, Lead: a.AnticipoGiorni,
		Ends:  [2]string{l.Text("verdict.window_far"), l.Text("verdict.window_near")},
		Label: strings.TrimSpace(j.Lead + " " + j.WindowText),
	}
	j.Window = responsiveChart{c.SVG(680), c.SVG(328)}
}
