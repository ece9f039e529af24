package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/functions/analisi/page/chart"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

func newest(s verdict.RouteSummary) fare.Day { return fare.DayOf(time.Unix(s.Newest, 0)) }

func (v *view) sayingOf(asked answer.Question, a verdict.Analysis) wording.Verdict {
	of := wording.Verdict{Language: v.T, Of: a, Today: v.today}
	if w := asked.When; w != nil {
		of.On, of.Back, of.Around = w.Date, w.Back, w.Span != nil
	}
	return of
}

// showVerdict judges the price that the reader typed, if any, instead of the cheapest fare.
func (v *view) showVerdict(q question, asked answer.Question, answered answer.Answer, c *verdict.Calendario) {
	l, a := v.T, answered.Analysis
	said := v.sayingOf(asked, a)
	j := v.newVerdict(q, asked, a, said)
	j.Facts = append(j.Facts, nonEmpty(v.otherNights(asked, a.Prezzo, c))...)
	if !said.Judged() {
		if asked.When != nil {
			j.Facts = append(j.Facts, l.Text("departure.too_little", "Fares", l.Number(a.Verdetto.Campione)))
		} else {
			j.Facts = append(j.Facts, nonEmpty(wording.Collecting(l, a.Raccolta))...)
		}
		v.Description = strings.Join(j.Facts, " ")
		return
	}
	v.Title += l.Text("format.colon") + " " + said.Brief()
	j.Facts = append(j.Facts, nonEmpty(v.apart(asked, a), said.Known())...)
	if j.Market {
		j.Facts = append(j.Facts, said.Rank())
	} else {
		j.Judged = append(j.Judged, said.Rank())
	}
	v.Description = strings.Join(append([]string{j.Headline, j.Price}, j.Facts...), " ")
	j.SureDays = j.describeCertainty(said)
	j.Scale = scaleOf(l, a)
	v.Waits = waitsOf(said)
	if j.Market && v.AllFares {
		j.drawHistory(l, answered.Summary, a, v.today)
	}
	j.Judged = append(j.Judged, nonEmpty(said.Usual(), said.Adjusted())...)
	if q.ends[0].Means.Airport+q.ends[1].Means.Airport == "" { // no airport was asked for
		j.Judged, v.Places = append(j.Judged, v.Places...), nil
	}
}

// kindOf returns the part of text ids for a question about a route, a month, a day or the days
// around one.
func kindOf(asked answer.Question) string {
	switch w := asked.When; {
	case w == nil:
		return "route"
	case w.Span == nil:
		return "day"
	case ofMonth(w):
		return "month"
	}
	return "around"
}

// identify says which fare an answer is about, and when it was seen.
func (v *view) identify(asked answer.Question, p verdict.Prezzo) string {
	if p.Dichiarato {
		return wording.Sentence(v.T.Text("answer.own")) + "."
	}
	kind, seen, days := kindOf(asked), "", v.daysOf(p.Partenza, p.Ritorno)
	if kind == "day" {
		days = "" // of the question
	}
	if p.TrovatoIl != nil {
		seen = v.T.Text("near.seen", "When", wording.Ago(v.T, int(v.today-fare.DayOf(*p.TrovatoIl))))
	}
	parts := []string{v.T.Text("answer.lowest." + kind), days, seen, wording.Flight(v.T, p)}
	return wording.Sentence(strings.Join(nonEmpty(parts...), " · ")) + "."
}

// apart compares a fare with what its own day usually costs. It returns "" for a fare without a day
// and without a usual price.
func (v *view) apart(asked answer.Question, a verdict.Analysis) string {
	usual, level := a.SolitoPartenzaCent, a.LivelloPartenza
	if kindOf(asked) == "day" {
		usual, level = a.Verdetto.MedianaCent, a.Verdetto.Livello
	}
	if usual == nil || asked.When == nil {
		return ""
	}
	amount, sign := wording.Apart(v.T, level, a.Prezzo.Cent, *usual)
	return v.T.Text("answer.usual."+wording.Direction(sign), "Usual", v.T.About(*usual), "Amount", amount)
}

// lowest returns 0 if no fare is known besides the one that the reader typed.
func lowest(q question, a verdict.Analysis) fare.Cents {
	of := []*verdict.Prezzo{a.PrezzoNoto}
	if q.OwnPrice == "" {
		of = append(of, &a.Prezzo)
	}
	if q.Date == "" && q.Month == "" {
		of = append(of, a.PrezzoPiuBasso)
	}
	least := fare.Cents(0)
	for _, p := range of {
		if p != nil && (least == 0 || p.Cent < least) {
			least = p.Cent
		}
	}
	return least
}

func (v *view) newVerdict(q question, asked answer.Question, a verdict.Analysis, said wording.Verdict) *verdictView {
	l := v.T
	j := &verdictView{
		Route: routeName(l, v.From, v.To), Level: a.Verdetto.Livello, Headline: said.Headline(),
		Market: asked.When == nil, Price: l.Money(a.Prezzo.Cent), Facts: []string{v.identify(asked, a.Prezzo)},
		Updated: a.AggiornatoIl.Format(time.RFC3339),
		Back: link{routeName(l, v.To, v.From),
			q.linkOn(trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}, v.AskTo, v.AskFrom)},
		Others: link{v.listTitle(v.From), q.linkOn(q.ofAnywhere(fare.OneWay), v.AskFrom, "")},
		Judged: []string{l.Text("verdict.price_for") + " " + l.Text("verdict.found")},
	}
	if trip := v.Trip.of(a.Prezzo).text(l); trip != "" {
		j.Route += " · " + trip
	}
	j.Asks = l.Text("answer.asks.fare")
	if j.Market {
		j.Asks = l.Text("answer.asks.market")
	} else {
		j.AnyDay = q.linkOn(trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}, v.AskFrom, v.AskTo)
	}
	if known := a.PrezzoNoto; known != nil && known.Cent < a.Prezzo.Cent {
		j.PaidMet = l.Text("form.paid_met", "Price", l.Money(known.Cent), "Date", v.AlertFirst())
	}
	j.Lowest = lowest(q, a)
	v.Verdict, v.Alert, v.Share = j, v.alertRoute(), v.shared(q)
	if q.airlineChoice == (airlineChoice{}) { // a card is about all airlines
		v.Card = "/card/" + cardName(v.route, q.trip, l, v.Currency)
	}
	return j
}

// of returns the trip that a fare is judged for. It differs from the question's if the only known
// fare comes back on another day.
func (t trip) of(p verdict.Prezzo) trip {
	if t.Around == "" && t.Back != "" && p.Ritorno != "" {
		t.Back = p.Ritorno
	}
	return t
}

// otherNights states that the judged fare has other nights away than the question, and names the
// lowest known fare nearby that has the question's. It returns "" if the nights are the same.
func (v *view) otherNights(asked answer.Question, p verdict.Prezzo, c *verdict.Calendario) string {
	w := asked.When
	if w == nil || w.Back == 0 {
		return ""
	}
	wanted := int(w.Back - w.Date)
	known, ok := trip{}.nightsOf(verdict.Giorno{Partenza: p.Partenza, Ritorno: p.Ritorno})
	if !ok || known == wanted {
		return ""
	}
	var best verdict.Giorno
	price, days := "", ""
	if c != nil && v.AllFares {
		for _, g := range c.Giorni {
			out, _ := fare.ParseDay(g.Partenza)
			n, ok := trip{}.nightsOf(g)
			near := ok && n == wanted && w.Date-daysAround <= out && out <= w.Date+daysAround
			if near && (best.Cent == nil || *g.Cent < *best.Cent) {
				best, price, days = g, v.T.Money(*g.Cent), v.daysOf(g.Partenza, g.Ritorno)
			}
		}
	}
	return v.T.Text("departure.other_nights", "Asked", v.T.Count("stays.nights", wanted), "Known",
		v.T.Count("stays.nights", known), "Price", price, "Days", days)
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

func rangeOf(l *i18n.Language, a verdict.Analysis) chart.Range {
	of := a.Quartili
	return chart.Range{
		Minimum: of.MinimoCent, Q1: of.Q1Cent, Median: of.MedianaCent, Q3: of.Q3Cent, Maximum: of.MassimoCent,
		Price: a.Prezzo.Cent,
		Label: l.Text("departure.range", "Price", l.Money(a.Prezzo.Cent), "Low", l.About(of.Q1Cent), "High",
			l.About(of.Q3Cent), "Median", l.About(of.MedianaCent), "Minimum", l.About(of.MinimoCent), "Maximum",
			l.About(of.MassimoCent)),
	}
}

func scaleOf(l *i18n.Language, a verdict.Analysis) scale {
	of, id := a.Quartili, "time"
	if a.Ambito == verdict.Rotta {
		id = "days"
	}
	return scale{rangeOf(l, a).SVG(), l.About(of.MinimoCent), l.Text("answer.half."+id, "Low", l.About(of.Q1Cent), "High",
		l.About(of.Q3Cent)), l.About(of.MassimoCent)}
}

// describeCertainty sets how sure a verdict is, and returns on which fares it rests.
func (c *certainty) describeCertainty(said wording.Verdict) (restsOn string) {
	c.Sure, restsOn = said.Certainty()
	c.SureMeans = said.Text("certainty.means." + said.Of.Verdetto.Affidabilita)
	steps := 1 + slices.Index([]string{verdict.Bassa, verdict.Media, verdict.Alta}, said.Of.Verdetto.Affidabilita)
	for i := range c.Dots {
		c.Dots[i] = i < steps
	}
	return restsOn
}

// drawHistory also fills a table with the numbers of the chart.
func (j *verdictView) drawHistory(l *i18n.Language, summary verdict.RouteSummary, a verdict.Analysis, today fare.Day) {
	weeks := verdict.Since(verdict.Weeks(summary), today, published.FreeWeeks)
	if len(weeks) == 0 {
		return
	}
	drawn := slices.Clone(weeks) // in the reader's currency, so that the axis has round amounts
	for i := range drawn {
		drawn[i].Minimum, drawn[i].Median = l.Convert(drawn[i].Minimum), l.Convert(drawn[i].Median)
	}
	h := chart.History{
		Weeks: drawn, Today: today, Price: l.Convert(a.Prezzo.Cent), Money: l.InUnits, Month: l.MonthShort,
		Label: l.Text("verdict.history", "Price", l.Money(a.Prezzo.Cent), "Median", l.About(a.Quartili.MedianaCent)),
	}
	p := &pastView{Title: l.Text("verdict.history_title"), Note: l.Text("verdict.history_note"), Chart: h.SVG(),
		Heads: []string{l.Text("verdict.week"), l.Text("verdict.lowest"), l.Text("verdict.median"), l.Text("verdict.days")}}
	low, high := weeks[0].Minimum, weeks[0].Minimum
	for _, week := range slices.Backward(weeks) {
		low, high = min(low, week.Minimum), max(high, week.Minimum)
		p.Rows = append(p.Rows, []string{l.Date(week.First), l.Money(week.Minimum), l.Money(week.Median),
			l.Number(week.Days)})
	}
	p.Answer = between(l, low, high)
	j.Past = p
}

func between(l *i18n.Language, low, high fare.Cents) string {
	return l.Text("answer.between", "Low", l.About(low), "High", l.About(high))
}

// inMonth keeps the nights away of a return.
func (t trip) inMonth(month string) trip {
	out, err1 := fare.ParseDay(t.Date)
	back, err2 := fare.ParseDay(t.Back)
	if n := int(back - out); err1 == nil && err2 == nil && 0 < n && n <= maxStay {
		t.Stay = strconv.Itoa(n)
	}
	t.Date, t.Around, t.Back, t.Month = "", "", "", month
	return t
}

// nextMonth returns the next month m as 2027-03, which can be the current one.
func nextMonth(today fare.Day, m time.Month) string {
	t := today.Time()
	year := t.Year()
	if m < t.Month() {
		year++
	}
	return fmt.Sprintf("%04d-%02d", year, m)
}
