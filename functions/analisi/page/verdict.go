package page

import (
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

func (v *view) sayingOf(asked answer.Question, a verdict.Judgement) wording.Verdict {
	saying := wording.Verdict{Language: v.T, Of: a, Today: v.today}
	if w := asked.When; w != nil {
		saying.On, saying.Back, saying.Around = w.Date, w.Back, w.Span != nil
	}
	return saying
}

// showVerdict shows the judgement of the price that the reader typed, or else of the cheapest fare.
func (v *view) showVerdict(q question, asked answer.Question, answered answer.Answer, c *verdict.Calendar) {
	l, a := v.T, answered.Judgement
	saying := v.sayingOf(asked, a)
	j := v.newVerdict(q, asked, a, saying)
	j.Facts = append(j.Facts, nonEmpty(v.otherNights(asked, a.Fare, c))...)
	if !saying.Judged() {
		if asked.When != nil {
			j.Facts = append(j.Facts, l.Text("departure.too_little", "Fares", l.Number(a.Verdict.Sample)))
		} else {
			j.Facts = append(j.Facts, nonEmpty(wording.Collecting(l, a.Collection))...)
		}
		v.Description = strings.Join(j.Facts, " ")
		return
	}
	v.Title += l.Text("format.colon") + " " + saying.Brief()
	if j.Market {
		j.Facts = append(j.Facts, nonEmpty(saying.Known(), saying.Rank())...)
	} else {
		j.Facts = append(j.Facts, nonEmpty(saying.Usual(), saying.Known())...)
		j.Judged = append(j.Judged, saying.Rank())
	}
	v.Description = strings.Join(append([]string{j.Headline, j.Price}, j.Facts...), " ")
	j.SureDays = j.describeCertainty(saying)
	j.Scale = scaleOf(saying)
	v.Waits = waitsOf(saying)
	if j.Market && v.AllFares {
		j.drawHistory(l, answered.Summary, a, v.today)
	}
	j.Judged = append(j.Judged, nonEmpty(saying.Adjusted())...)
	if asksAirport := q.ends[0].Means.Of != (fare.Airport{}) || q.ends[1].Means.Of != (fare.Airport{}); !asksAirport {
		j.Judged, v.Places = append(j.Judged, v.Places...), nil
	}
}

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

func (v *view) identify(asked answer.Question, a verdict.Judgement) string {
	if a.Declared {
		return wording.Sentence(v.T.Text("answer.own")) + "."
	}
	offer := a.Fare
	kind, days := kindOf(asked), v.daysOf(offer.Depart, offer.Return())
	if kind == "day" {
		days = ""
	}
	parts := []string{v.T.Text("answer.lowest." + kind), days, v.seen(offer), wording.Flight(v.T, offer)}
	return wording.Sentence(strings.Join(nonEmpty(parts...), dot)) + "."
}

func (v *view) seen(l verdict.Live) string {
	return v.T.Text("near.seen", "When", wording.Ago(v.T, int(v.today-l.FoundDay())))
}

func (v *view) newVerdict(q question, asked answer.Question, a verdict.Judgement, saying wording.Verdict) *verdictView {
	l := v.T
	j := &verdictView{
		Route: routeName(l, v.From, v.To), Level: string(saying.LevelName()), Headline: saying.Headline(),
		Market: asked.When == nil, Price: l.Money(a.Fare.Price), Facts: []string{v.identify(asked, a)},
		Updated: a.Newest.Format(time.RFC3339),
		Back: link{routeName(l, v.To, v.From),
			q.linkOn(trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}, v.AskTo, v.AskFrom)},
		Others: link{v.listTitle(v.From), q.linkOn(q.ofAnywhere(fare.OneWay), v.AskFrom, "")},
		Judged: []string{l.Text("verdict.price_for") + " " + l.Text("verdict.found")},
	}
	if trip := v.Trip.judgedFor(a.Fare).text(l); trip != "" {
		j.Route += dot + trip
	}
	j.Asks = l.Text("answer.asks.fare")
	if saying.OfMarket() {
		j.Asks = l.Text("answer.asks.market")
	}
	if !j.Market {
		j.AnyDay = q.linkOn(trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}, v.AskFrom, v.AskTo)
	}
	switch known := a.Known; {
	case !a.Declared:
		j.Lowest = a.Fare.Price
	case known != nil:
		if j.Lowest = known.Price; known.Price < a.Fare.Price {
			j.PaidMet = l.Text("form.paid_met", "Price", l.Money(known.Price), "Date", v.AlertFirst())
		}
	}
	v.Verdict, v.Alert, v.Share = j, v.alertRoute(), v.shared(q)
	if q.airlineChoice == (airlineChoice{}) { // a card is about all airlines
		v.Card = "/card/" + cardName(v.route, q.trip, l, v.Currency)
	}
	return j
}

// The judged trip differs from the question's if the only known fare comes back on another day.
func (t trip) judgedFor(l verdict.Live) trip {
	if t.Around == "" && t.Back != "" && l.Return() != 0 {
		t.on(t.out, l.Return())
	}
	return t
}

func (v *view) otherNights(asked answer.Question, l verdict.Live, c *verdict.Calendar) string {
	w := asked.When
	if w == nil || w.Back == 0 {
		return ""
	}
	wanted := int(w.Back - w.Date)
	known := int(l.Nights)
	if known == 0 || known == wanted {
		return ""
	}
	best, price, days := fare.Cents(0), "", ""
	if c != nil && v.AllFares {
		for _, day := range c.Days {
			offer := day.Fare
			near := int(offer.Nights) == wanted && w.Date-daysAround <= offer.Depart && offer.Depart <= w.Date+daysAround
			if near && (best == 0 || offer.Price < best) {
				best, price, days = offer.Price, v.T.Money(offer.Price), v.daysOf(offer.Depart, offer.Return())
			}
		}
	}
	return v.T.Text("departure.other_nights", "Asked", v.T.Count("stays.nights", wanted), "Known",
		v.T.Count("stays.nights", known), "Price", price, "Days", days)
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

func scaleOf(saying wording.Verdict) scale {
	l, a := saying.Language, saying.Scale()
	quartiles, id, route := a.Quartiles, "time", ""
	if a.Scope == verdict.OfRoute {
		id, route = "days", "_route"
	}
	low, high := wording.Half(l, a)
	drawn := rangeOf(a)
	drawn.Label = l.Text("departure.range"+route, "Price", l.Money(a.Fare.Price), "Low", low, "High", high, "Minimum",
		l.About(quartiles.Minimum), "Maximum", l.About(quartiles.Maximum))
	return scale{drawn.SVG(), l.About(min(quartiles.Minimum, a.Fare.Price)), l.Text("answer.half."+id, "Low", low, "High", high),
		l.About(max(quartiles.Maximum, a.Fare.Price))}
}

func rangeOf(a verdict.Judgement) chart.Range {
	quartiles := a.Quartiles
	return chart.Range{Minimum: quartiles.Minimum, Q1: quartiles.HalfLow, Median: quartiles.Median, Q3: quartiles.HalfHigh, Maximum: quartiles.Maximum,
		Price: a.Fare.Price}
}

func (c *certainty) describeCertainty(saying wording.Verdict) (restsOn string) {
	c.Sure, restsOn = saying.Certainty()
	c.SureMeans = strings.Join(nonEmpty(saying.Text("certainty.means."+string(saying.Of.Verdict.Reliability)), saying.Missed()), " ")
	steps := 1 + slices.Index([]verdict.Reliability{verdict.LowReliability, verdict.MediumReliability, verdict.HighReliability},
		saying.Of.Verdict.Reliability)
	for i := range c.Dots {
		c.Dots[i] = i < steps
	}
	return restsOn
}

func (j *verdictView) drawHistory(l *i18n.Language, summary verdict.RouteSummary, a verdict.Judgement, today fare.Day) {
	weeks := verdict.Since(verdict.Weeks(summary), today, published.FreeWeeks)
	if len(weeks) == 0 {
		return
	}
	drawn := slices.Clone(weeks) // in the reader's currency, so that the axis has round amounts
	for i := range drawn {
		drawn[i].Minimum = l.Convert(drawn[i].Minimum)
	}
	h := chart.History{
		Weeks: drawn, Today: today, Price: l.Convert(a.Fare.Price), Money: l.InUnits, Month: l.MonthShort,
		Label: l.Text("verdict.history", "Price", l.Money(a.Fare.Price)),
	}
	p := &pastView{Title: l.Text("verdict.history_title"), Note: l.Text("verdict.history_note"), Chart: h.SVG(),
		Heads: []string{l.Text("verdict.week"), l.Text("verdict.lowest")}}
	low, high := weeks[0].Minimum, weeks[0].Minimum
	for _, week := range slices.Backward(weeks) {
		low, high = min(low, week.Minimum), max(high, week.Minimum)
		p.Rows = append(p.Rows, []string{l.Date(week.First), l.Money(week.Minimum)})
	}
	p.Answer = between(l, low, high)
	j.Past = p
}

func between(l *i18n.Language, low, high fare.Cents) string {
	if l.About(low) == l.About(high) {
		return l.About(low)
	}
	return l.Text("answer.between", "Low", l.About(low), "High", l.About(high))
}

func (t trip) inMonth(month fare.Day) trip {
	if n := int(t.back - t.out); t.out != 0 && 0 < n && n <= maxStay {
		t.Stay = strconv.Itoa(n)
	}
	t.in(month)
	return t
}

func nextMonth(today fare.Day, m time.Month) fare.Day {
	t := today.Time()
	year := t.Year()
	if m < t.Month() {
		year++
	}
	return fare.DayOf(time.Date(year, m, 1, 0, 0, 0, 0, time.UTC))
}
