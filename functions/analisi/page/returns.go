package page

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
)

type grid struct {
	Corner string
	Heads  []weekday
	Rows   []gridRow
}

type gridRow struct {
	Name  string
	Cells []calendarDay
}

func around(w *answer.When, known map[fare.Day]calendarDay) (all weeks) {
	if w.Span == nil || *w.Span == departure.Month {
		return nil
	}
	first, last := w.Date-fare.Day(w.Span.Days()), w.Date+fare.Day(w.Span.Days())
	for day := first; day <= last; day++ {
		column := int(day.Time().Weekday()+6) % 7
		if day == first || column == 0 {
			all = append(all, [7]calendarDay{})
		}
		cell, ok := known[day]
		if !ok {
			cell.Number = day.Time().Day()
		}
		cell.Selected = day == w.Date && ok
		all[len(all)-1][column] = cell
	}
	return all
}

// Fares are shown whose departure differs by at most daysAround days, and whose stay differs by at
// most daysAround nights, from the requested return.
const daysAround = 3

func (v *view) returnsAround(q question, w *answer.When, days []verdict.Day) *grid {
	if w.Back == 0 {
		return nil
	}
	nights := int(w.Back - w.Date)
	return v.returns(q, w, days, [2]fare.Day{w.Date - daysAround, w.Date + daysAround},
		[2]int{max(1, nights-daysAround), nights + daysAround}).known()
}

func (v *view) returnsIn(q question, asked answer.Question, first fare.Day, days []verdict.Day) *grid {
	_, last := departure.Month.Ends(first)
	least, most := asked.Trip.Nights()
	wide := most-least >= maxWidth
	if wide {
		most = least
		for _, one := range days {
			most = max(most, int(one.Fare.Nights))
		}
	}
	g := v.returns(q, asked.When, days, [2]fare.Day{first, last}, [2]int{least, most})
	if wide {
		g.dropColumns()
	}
	return g
}

// The parameters leave and nights are ranges that include their ends.
func (v *view) returns(q question, w *answer.When, days []verdict.Day, leave [2]fare.Day, nights [2]int) *grid {
	g, from, to := &grid{Corner: v.T.Text("stays.out")}, v.shortest(v.route.Origin, v.AskFrom), v.shortest(v.route.Destination, v.AskTo)
	for n := nights[0]; n <= nights[1]; n++ {
		g.Heads = append(g.Heads, weekday{strconv.Itoa(n), v.T.Count("stays.nights", n)})
	}
	for out := max(v.today, leave[0]); out <= leave[1]; out++ {
		cells := make([]calendarDay, len(g.Heads))
		for _, one := range days {
			n := int(one.Fare.Nights)
			if one.Fare.Depart != out || n < nights[0] || n > nights[1] {
				continue
			}
			cell := v.cellOf(one, q.linkOn(tripOn(q, one.Fare), from, to))
			cell.Selected = w != nil && out == w.Date && out+fare.Day(n) == w.Back
			cells[n-nights[0]] = cell
		}
		g.Rows = append(g.Rows, gridRow{v.shortDay(out), cells})
	}
	return g
}

func (g *grid) HTML() template.HTML {
	var b strings.Builder
	for _, row := range g.Rows {
		b.WriteString(`<tr><th scope="row">` + template.HTMLEscapeString(row.Name) + "</th>")
		for _, cell := range row.Cells {
			cell.write(&b, "", "–")
		}
		b.WriteByte('\n')
	}
	return template.HTML(b.String())
}

// known removes empty rows and columns, and returns nil if the table has no fare.
func (g *grid) known() *grid {
	g.Rows = slices.DeleteFunc(g.Rows, func(r gridRow) bool { return !slices.ContainsFunc(r.Cells, calendarDay.hasFare) })
	if len(g.Rows) == 0 {
		return nil
	}
	g.dropColumns()
	return g
}

func (g *grid) dropColumns() {
	for at := len(g.Heads) - 1; at >= 0; at-- {
		if slices.ContainsFunc(g.Rows, func(r gridRow) bool { return r.Cells[at].hasFare() }) {
			continue
		}
		g.Heads = slices.Delete(g.Heads, at, at+1)
		for i := range g.Rows {
			g.Rows[i].Cells = slices.Delete(g.Rows[i].Cells, at, at+1)
		}
	}
}

func (c calendarDay) hasFare() bool { return c.To != "" }

// weekend is the stay from Friday or Saturday to Sunday or Monday.
const weekend = "weekend"

var usualStays = []string{"", weekend, "1-3", "2-4", "4-7", "8-14"}

const (
	maxStay  = 30 // nights
	maxWidth = 7
	maxRows  = 15
)

var stayOf = regexp.MustCompile(`^([0-9]{1,2})(?:-([0-9]{1,2}))?$`)

func nights(stay string) (from, to int, ok bool) {
	if stay == weekend {
		return 1, 3, true
	}
	m := stayOf.FindStringSubmatch(stay)
	if m == nil {
		return 0, 0, false
	}
	from, _ = strconv.Atoi(m[1])
	to, _ = strconv.Atoi(cmp.Or(m[2], m[1]))
	return from, to, 1 <= from && from <= to && to <= maxStay && to-from < maxWidth
}

func (v *view) Stays() (all options) {
	stays := usualStays
	if v.Trip.Stay != "" && !slices.Contains(stays, v.Trip.Stay) {
		stays = append(slices.Clone(stays), v.Trip.Stay)
	}
	for _, s := range stays {
		all = append(all, option{s, stayText(v.T, s), s == v.Trip.Stay})
	}
	return all
}

func stayText(l *i18n.Language, stay string) string {
	switch from, to, ok := nights(stay); {
	case stay == weekend:
		return l.Text("stays.weekend")
	case ok && from == to:
		return l.Count("stays.nights", from)
	case ok:
		return l.Text("stays.range", "From", from, "To", to)
	}
	return l.Text("stays.any")
}

type staysView struct {
	Route, Headline, Lede string
	Price, Level          string
	certainty
	Back   link
	Grid   grid
	Hidden bool
	best   verdict.Day
}

func (h home) stays(r *http.Request, q question, asked answer.Question, v *view) {
	known, err := h.staysOf(r.Context(), q.trip, asked, v.AllFares)
	if err != nil {
		h.refuseFailed(r, v, err)
		return
	}
	from, to, _ := nights(q.Stay)
	v.setAirports(q, known.about)
	v.Places = wording.Places(q.language, known.pair, q.ends[0].Means, q.ends[1].Means)
	v.Alert = v.alertRoute()
	if nights := fare.TripOf(from); nights == fare.TripOf(to) {
		v.Form.Nights = nights.String()
	}
	switch fitting, missing := q.fitting(known.days), known.missing; {
	case len(fitting) > 0:
		v.showStays(q, fitting)
	case missing != nil && missing.Reason == answer.NotCovered && len(known.days) == 0:
		v.refuseNotCovered(q, missing)
	default:
		v.refuseStay(q, known.days)
		h.describeStay(r.Context(), v, asked, fare.TripOf(from))
		h.showPair(r.Context(), q, asked, v)
	}
	h.compare(r.Context(), q, asked, answer.Answer{}, v)
}

type knownStays struct {
	days  []verdict.Day
	about answer.SeriesData
	pair  verdict.Pair

	missing *answer.NoAnswer
}

func (h home) staysOf(ctx context.Context, t trip, asked answer.Question, fares bool) (known knownStays, err error) {
	from, to, _ := nights(t.Stay)
	for _, class := range fare.Trips() {
		least, most := class.Nights()
		if class == fare.OneWay || most < from || least > to {
			continue
		}
		question := asked
		question.Trip, question.When, question.Price = class, nil, nil
		about, c, err := h.Reader.Calendar(ctx, question, fares)
		switch {
		case err == nil:
			known.days = append(known.days, c.Days...)
			known.about, known.pair = about, cmp.Or(known.pair, c.Pair)
		case answer.Why(err).Unseen():
			known.missing = answer.Why(err)
		case answer.Why(err) != nil:
		default:
			return known, err
		}
	}
	known.days = slices.DeleteFunc(known.days, func(d verdict.Day) bool { return !t.lasts(d.Fare) })
	return known, nil
}

func (h home) describeStay(ctx context.Context, v *view, asked answer.Question, class fare.Trip) {
	if asked.When == nil {
		return
	}
	asked.Trip, asked.Price = class, nil
	a, err := h.Reader.Answer(ctx, asked)
	switch none := answer.Why(err); {
	case none != nil && none.Reason == answer.NoFareOn:
		v.describeUsual(none.Usual, class, ofMonth(asked.When))
		h.showLast(ctx, v, asked, none)
	case err == nil: // the class has returns, but with other numbers of nights than the question
		v.describeUsual(a.Judgement, class, ofMonth(asked.When))
	}
}

// If the service may show no single fares, prices are 0 and fitting sorts by day.
func (t trip) fitting(known []verdict.Day) []verdict.Day {
	known = slices.DeleteFunc(slices.Clone(known), func(d verdict.Day) bool { return !t.leavesOn(d.Fare.Depart) })
	slices.SortStableFunc(known, func(a, b verdict.Day) int {
		if a.Fare.Price == 0 || b.Fare.Price == 0 {
			return byDay(a, b)
		}
		return cmp.Compare(a.Fare.Price, b.Fare.Price)
	})
	return known
}

func byDay(a, b verdict.Day) int { return cmp.Compare(a.Fare.Depart, b.Fare.Depart) }

// showPair states the sum of two one-way fares as the price of two tickets, because nobody has seen
// the sum as the fare of a return.
func (h home) showPair(ctx context.Context, q question, asked answer.Question, v *view) {
	if q.Back == "" && q.Stay == "" || !v.AllFares {
		return
	}
	var flights [2]map[fare.Day]verdict.Day
	for i, ends := range [2][2]answer.Named{{asked.From, asked.To}, {asked.To, asked.From}} {
		one := answer.Question{From: ends[0], To: ends[1], NonStop: asked.NonStop, Airlines: asked.Airlines, Show: asked.Show}
		_, c, err := h.Reader.Calendar(ctx, one, true)
		switch none := answer.Why(err); {
		case err != nil && none == nil:
			h.Log.ErrorContext(ctx, "a page was shown without the one-way fares of a return, which could not be read", "error", err)
			return
		case i == 0 && none.Unseen():
			return
		case none.Unseen():
			continue
		}
		flights[i] = map[fare.Day]verdict.Day{}
		if err == nil {
			for _, d := range c.Days {
				flights[i][d.Fare.Depart] = d
			}
		}
	}
	l, names, ends := v.T, [2]string{v.From, v.To}, [2]string{v.AskFrom, v.AskTo}
	days, together := q.pair(flights, v.today)
	p := &daysView{Title: l.Text("stays.pair"), Note: l.Text("stays.pair_unknown")}
	for i, day := range [2]fare.Day{q.out, q.back} {
		row, when := dayRow{Fare: "–"}, ""
		if known := days[i]; known.Fare.Price > 0 {
			row = v.dayRow(known, q.linkOn(tripOn(q, known.Fare), ends[i], ends[1-i]))
			when = row.Name
		} else if flights[i] != nil {
			row.To, row.Seen = q.linkOn(trip{NonStop: q.NonStop, airlineChoice: q.airlineChoice}, ends[i], ends[1-i]), l.Text("compare.none")
			if day != 0 {
				when = v.dayName(day)
			}
		} else {
			row.Seen = l.Text("home.unwatched")
		}
		row.Name, row.Seen = routeName(l, names[i], names[1-i]), strings.Join(nonEmpty(when, row.Seen), dot)
		p.Rows = append(p.Rows, row)
	}
	if together {
		p.Note = l.Text("stays.pair_note")
		p.Rows = append(p.Rows, dayRow{Name: l.Text("stays.pair_sum"), Fare: l.Money(days[0].Fare.Price + days[1].Fare.Price)})
	}
	v.Notice.Pair = p
}

// If no two fares fit together, best holds the cheapest fitting fare in each direction. A price of 0
// means that no fare fits.
func (t trip) pair(flights [2]map[fare.Day]verdict.Day, today fare.Day) (best [2]verdict.Day, together bool) {
	least, most, _ := nights(t.Stay)
	if t.back != 0 {
		least, most = int(t.back-t.out), int(t.back-t.out)
	}
	var alone [2]verdict.Day
	for out := today; out <= today+answer.MaxAhead; out++ {
		if !t.leavesOn(out) {
			continue
		}
		for n := least; n <= most; n++ {
			if t.Stay == weekend && !onWeekend(verdict.Live{Depart: out, Nights: int16(n)}) {
				continue
			}
			pair := [2]verdict.Day{flights[0][out], flights[1][out+fare.Day(n)]}
			for i, one := range pair {
				if known := alone[i].Fare.Price; one.Fare.Price > 0 && (known == 0 || one.Fare.Price < known) {
					alone[i] = one
				}
			}
			sum := pair[0].Fare.Price + pair[1].Fare.Price
			if pair[0].Fare.Price > 0 && pair[1].Fare.Price > 0 && (!together || sum < best[0].Fare.Price+best[1].Fare.Price) {
				best, together = pair, true
			}
		}
	}
	if !together {
		best = alone
	}
	return best, together
}

func (t trip) lasts(l verdict.Live) bool {
	from, to, _ := nights(t.Stay)
	n := int(l.Nights)
	return max(1, from) <= n && n <= to && (t.Stay != weekend || onWeekend(l))
}

func (v *view) refuseStay(q question, known []verdict.Day) {
	when := trip{month: q.month, out: q.out, Around: q.Around, Stay: q.Stay}
	v.refuse(http.StatusNotFound, "no_stay", "Stay", when.text(v.T))
	if middle := cmp.Or(q.out, q.month+14); q.out != 0 || q.month != 0 {
		away := func(d verdict.Day) int { return max(int(d.Fare.Depart-middle), int(middle-d.Fare.Depart)) }
		slices.SortStableFunc(known, func(a, b verdict.Day) int { return away(a) - away(b) })
	}
	known = known[:min(len(known), maxNearStays)]
	slices.SortStableFunc(known, byDay)
	v.listNear(q, known)
	v.instead(q)
}

const maxNearStays = 3

func (t trip) leavesOn(day fare.Day) bool {
	if t.out == 0 {
		return t.Month == "" || monthIn(day) == t.Month
	}
	around, _ := strconv.Atoi(t.Around)
	return t.out-fare.Day(around) <= day && day <= t.out+fare.Day(around)
}

func onWeekend(l verdict.Live) bool {
	leaves, comes := l.Depart.Time().Weekday(), l.Return().Time().Weekday()
	return (leaves == time.Friday || leaves == time.Saturday) && (comes == time.Sunday || comes == time.Monday)
}

func (v *view) showStays(q question, known []verdict.Day) {
	l := v.T
	from, to, _ := nights(q.Stay)
	s := &staysView{Route: routeName(l, v.From, v.To) + dot + q.text(l), Hidden: !v.AllFares}
	s.Back = link{routeName(l, v.To, v.From), q.linkOn(q.trip, v.AskTo, v.AskFrom)}
	s.Grid.Corner = l.Text("stays.out")
	if q.Stay == weekend {
		s.Grid.Corner = l.Text("stays.out_weekend")
	}
	best := known[0]
	s.best = best
	out, back := best.Fare.Depart, best.Fare.Return()
	s.Headline = l.Text("stays.days", "Out", l.WeekdayDate(out), "Back", l.WeekdayDate(back))
	if price := best.Fare.Price; price > 0 {
		s.Price = l.Money(price)
		s.Lede = l.Text("stays.best", "Out", l.WeekdayDate(out), "Back", l.WeekdayDate(back))
	}
	v.Title = s.Route
	if best.Fare.Price > 0 && best.Verdict.Judged() {
		saying := wording.Verdict{Language: l, Today: v.today, On: out,
			Of: verdict.Judgement{Judged: best.Judged, Scope: verdict.OfDeparture}}
		v.Title += l.Text("format.colon") + " " + saying.Brief()
		s.Level, s.Headline = string(best.Verdict.Level), saying.Headline()
		s.describeCertainty(saying)
	}
	if q.Month == "" && q.Date == "" && len(known) > maxRows {
		known = known[:maxRows]
		s.Lede += " " + l.Text("stays.first", "Shown", maxRows)
	}
	column := func(out, back fare.Day) int { return int(back-out) - from }
	for n := from; n <= to; n++ {
		s.Grid.Heads = append(s.Grid.Heads, weekday{strconv.Itoa(n), l.Count("stays.nights", n)})
	}
	if q.Stay == weekend {
		s.Grid.Heads = nil
		for _, days := range [4][2]time.Weekday{{5, 0}, {5, 1}, {6, 0}, {6, 1}} {
			s.Grid.Heads = append(s.Grid.Heads, weekday{l.WeekdayShort(days[0]) + "–" + l.WeekdayShort(days[1]),
				l.Weekday(days[0]) + " – " + l.Weekday(days[1])})
		}
		column = func(out, back fare.Day) int {
			return 2*int(out.Time().Weekday()-time.Friday) + int(back.Time().Weekday())
		}
	}
	slices.SortStableFunc(known, byDay)
	for _, d := range known {
		out, back := d.Fare.Depart, d.Fare.Return()
		name := v.shortDay(out)
		if q.Stay == weekend {
			name = v.shortDay(out - fare.Day(out.Time().Weekday()-time.Friday))
		}
		if n := len(s.Grid.Rows); n == 0 || s.Grid.Rows[n-1].Name != name {
			s.Grid.Rows = append(s.Grid.Rows, gridRow{name, make([]calendarDay, len(s.Grid.Heads))})
		}
		cells := s.Grid.Rows[len(s.Grid.Rows)-1].Cells
		cells[column(out, back)] = v.cellOf(d, q.linkOn(tripOn(q, d.Fare), v.AskFrom, v.AskTo))
	}
	s.Grid = *s.Grid.known()
	v.Returns, v.Share = s, v.shared(q)
	v.Description = s.Headline + " " + s.Lede
}
