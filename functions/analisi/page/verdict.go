package page

import (
	"cmp"
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
	if !v.AllFares {
		a.MinimoPartenza = nil
	}
	said := v.sayingOf(asked, a)
	j := v.newVerdict(q, a, said)
	if j.Lower = said.Lower(); j.Lower != "" {
		of := verdict.Giorno{Partenza: a.PrezzoPiuBasso.Partenza, Ritorno: a.PrezzoPiuBasso.Ritorno}
		j.LowerTo = q.linkOn(tripOn(q, of), v.AskFrom, v.AskTo)
	}
	j.Facts = append(j.Facts, nonEmpty(v.otherNights(asked, a.Prezzo, c), v.sharing(asked, a, c))...)
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
	j.Facts = append(j.Facts, nonEmpty(said.Known(), said.Past())...)
	v.Description = strings.Join(nonEmpty(append([]string{j.Headline, j.Lower}, j.Facts...)...), " ")
	j.SureDays = j.describeCertainty(said)
	j.Usual = said.Usual()
	scale := rangeOf(l, a)
	j.Range = responsiveChart{scale.SVG(680), scale.SVG(328)}
	v.Waits = waitsOf(said)
	if asked.When == nil && v.AllFares {
		j.drawHistory(l, answered.Summary, a, v.today)
	}
	j.Judged = nonEmpty(said.Rank(), said.Adjusted())
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

func (v *view) newVerdict(q question, a verdict.Analysis, said wording.Verdict) *verdictView {
	l := v.T
	j := &verdictView{
		Route: routeName(l, v.From, v.To), Trip: v.Trip.of(a.Prezzo).text(l), Level: a.Verdetto.Livello,
		Headline: said.Headline(), Facts: nonEmpty(said.Fare(), said.OwnDay()),
		Updated: a.AggiornatoIl.Format(time.RFC3339),
		Back: link{routeName(l, v.To, v.From),
			q.linkOn(trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}, v.AskTo, v.AskFrom)},
		Others: link{v.listTitle(v.From), q.linkOn(q.ofAnywhere(fare.OneWay), v.AskFrom, "")},
	}
	if known := a.PrezzoNoto; known != nil && known.Cent < a.Prezzo.Cent {
		j.PaidMet = l.Text("form.paid_met", "Price", l.Money(known.Cent), "Date", v.AlertFirst())
	}
	j.Lowest = lowest(q, a)
	if q.Back == "" {
		j.Trip = strings.TrimPrefix(j.Trip+" · "+l.Text("ask.one_way"), " · ")
	}
	v.Verdict, v.Alert, v.Share = j, v.alertRoute(), v.shared(q)
	if q.airlineChoice == (airlineChoice{}) { // a card is about all airlines
		v.Card = "/card/" + cardName(v.route, q.trip, l, v.Currency)
	}
	if p := a.Prezzo; p.TrovatoIl != nil {
		j.FoundAt, j.Age = p.TrovatoIl.Format(time.RFC3339), l.Text("verdict.found")
		if p.Stale() {
			j.Age = l.Count("verdict.stale", int(v.today-fare.DayOf(*p.TrovatoIl)))
		}
	}
	v.describeWindow(j, a)
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

const maxSharing = 3

// sharing names other departures of the question with the same lowest fare.
func (v *view) sharing(asked answer.Question, a verdict.Analysis, c *verdict.Calendario) string {
	if c == nil || !v.AllFares || a.Prezzo.Dichiarato || asked.When != nil && asked.When.Span == nil {
		return ""
	}
	first, last := v.today, v.today+answer.MaxAhead
	if w := asked.When; w != nil {
		first, last = w.Span.Ends(w.Date)
	}
	var days []string
	others := 0
	for _, g := range c.Giorni {
		day, err := fare.ParseDay(g.Partenza)
		switch {
		case err != nil, day < first, day > last, g.Partenza == a.Prezzo.Partenza, *g.Cent != a.Prezzo.Cent:
		case len(days) < maxSharing-1:
			days = append(days, v.T.WeekdayDay(day))
		default:
			others++
		}
	}
	if others > 0 {
		days = append(days, v.T.Count("fare.more", others))
	}
	if len(days) == 0 {
		return ""
	}
	return v.T.Text("fare.also", "Price", v.T.Money(a.Prezzo.Cent), "Days", v.T.List(days))
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return s == "" })
}

func rangeOf(l *i18n.Language, a verdict.Analysis) chart.Range {
	of := a.Quartili
	lowest := l.About(of.MinimoCent)
	if a.Ambito == verdict.Rotta {
		lowest = l.Money(of.MinimoCent) // an observed fare
	}
	return chart.Range{
		Minimum: of.MinimoCent, Q1: of.Q1Cent, Median: of.MedianaCent, Q3: of.Q3Cent, Maximum: of.MassimoCent,
		Price: a.Prezzo.Cent, Level: a.Verdetto.Livello, Marks: marksOf(l, a.Prezzo, of, lowest, a.Ambito != verdict.Rotta),
		Label: l.Text("departure.range", "Price", l.Money(a.Prezzo.Cent), "Low", l.About(of.Q1Cent), "High",
			l.About(of.Q3Cent), "Median", l.About(of.MedianaCent), "Minimum", lowest,
			"Maximum", l.About(of.MassimoCent)),
	}
}

// If marksOf gets adjusted, the amounts are adjusted to the days before departure.
func marksOf(l *i18n.Language, p verdict.Prezzo, of *verdict.Quartili, lowest string, adjusted bool) chart.Marks {
	price := l.Text("departure.scale_fare", "Price", l.Money(p.Cent))
	if p.Dichiarato {
		price = l.Text("departure.scale_own", "Price", l.Money(p.Cent))
	}
	return chart.Marks{
		Price: price,
		Usual: l.Text("departure.scale_usual", "Usual", l.About(of.MedianaCent), "Low", l.About(of.Q1Cent), "High",
			l.About(of.Q3Cent)),
		Lowest:  l.Text("departure.scale_lowest", "Price", lowest, "Adjusted", adjusted),
		Highest: l.Text("departure.scale_highest", "Price", l.About(of.MassimoCent)),
	}
}

// describeCertainty sets how sure a verdict is, and returns on which fares it rests.
func (c *certainty) describeCertainty(said wording.Verdict) (restsOn string) {
	c.Sure, restsOn = said.Certainty()
	steps := 1 + slices.Index([]string{verdict.Bassa, verdict.Media, verdict.Alta}, said.Of.Verdetto.Affidabilita)
	for i := range c.Dots {
		c.Dots[i] = i < steps
	}
	return restsOn
}

// drawHistory also fills a table with the numbers of the chart.
func (j *verdictView) drawHistory(l *i18n.Language, summary verdict.RouteSummary, a verdict.Analysis, today fare.Day) {
	weeks := verdict.Since(verdict.Weeks(summary), today, published.FreeWeeks)
	drawn := slices.Clone(weeks) // in the reader's currency, so that the axis has round amounts
	for i := range drawn {
		drawn[i].Minimum, drawn[i].Median = l.Convert(drawn[i].Minimum), l.Convert(drawn[i].Median)
	}
	h := chart.History{
		Weeks: drawn, Today: today, Price: l.Convert(a.Prezzo.Cent), Level: a.Verdetto.Livello, Money: l.InUnits,
		Month: l.MonthShort,
		Label: l.Text("verdict.history", "Price", l.Money(a.Prezzo.Cent), "Median", l.About(a.Quartili.MedianaCent)),
	}
	j.History = responsiveChart{h.SVG(680, 300), h.SVG(328, 260)}
	for _, week := range slices.Backward(weeks) {
		j.WeekRows = append(j.WeekRows, []string{l.Date(week.First), l.Money(week.Minimum), l.Money(week.Median),
			l.Number(week.Days)})
	}
}

// describeMonths links each month to its departures in the calendar on the same page, or else to
// its own page.
func (v *view) describeMonths(q question, a verdict.Analysis, linkOn func(trip) string) {
	l, j, known := v.T, v.Verdict, len(a.MesiPerConvenienza)
	if known < 2 {
		return
	}
	var best []string
	for _, m := range a.MesiPerConvenienza[:min(2, known/2)] {
		best = append(best, fmt.Sprintf("%s (%s)", l.Month(time.Month(m.Mese)), l.About(m.MedianaCent)))
	}
	j.MonthsText = months(l, best, known)
	ask := func(m time.Month) string { return linkOn(q.inMonth(nextMonth(v.today, m))) }
	c := chart.Months{Best: len(best), Name: l.MonthShort, Whole: l.Whole, Full: l.Month,
		To: func(m time.Month) string { return cmp.Or(v.departuresIn(m), ask(m)) }, Label: j.MonthsText}
	for _, m := range a.MesiPerConvenienza {
		c.Months = append(c.Months, verdict.Month{Month: m.Mese, Median: m.MedianaCent, Sample: m.Campione})
		j.MonthRows = append(j.MonthRows, monthRow{l.Month(time.Month(m.Mese)), l.Money(m.MedianaCent),
			l.Number(m.Campione), ask(time.Month(m.Mese))})
	}
	j.Months = responsiveChart{c.SVG(680, 190), c.SVG(328, 170)}
}

// departuresIn returns "" if the calendar has no departures in the month.
func (v *view) departuresIn(m time.Month) string {
	if of := v.Verdict.Calendar; of != nil {
		id := calendarID(nextMonth(v.today, m))
		for _, month := range of.Months {
			if month.ID == id && month.Weeks != nil {
				return "#" + id
			}
		}
	}
	return ""
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

// describeWindow shows the recommended lead times, and whether the departure is now inside them.
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
	// The page does not show the saving that the API states: it compares medians of many departures
	// and seasons, so it does not apply to a single departure.
	j.WindowText = l.Text("verdict.window", "From", w.DaGiorni, "To", w.AGiorni)
}
