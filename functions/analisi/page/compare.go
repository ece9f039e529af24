package page

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// The page can compare the question's trip with up to five other trips. Each other trip changes the
// destination, the day or the month. All trips together count as one question for the quota. Each
// trip costs one read of the store, or two without a day or month.

const maxOthers = 5

// comparison is the table of compared trips on a verdict page.
type comparison struct {
	Rows []comparedTrip
}

type comparedTrip struct {
	Name, To   string
	Fare, Date string // Fare is empty if none is known
	Difference string
}

// otherTrip is a trip to compare with the trip of the question.
type otherTrip struct {
	name string
	trip
	to string
}

var writtenDay = regexp.MustCompile(`^([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})$`)

// others parses the trips to compare with: cities, days (2027-03-20 or 20.3.2027) and months
// (2027-03), separated by commas. It returns false for more than five trips, or if it cannot parse
// a trip.
func (q question) others() (all []otherTrip, ok bool) {
	if q.With == "" {
		return nil, true
	}
	for item := range strings.SplitSeq(q.With, ",") {
		item = strings.TrimSpace(item)
		if m := writtenDay.FindStringSubmatch(item); m != nil {
			month, _ := strconv.Atoi(m[2])
			day, _ := strconv.Atoi(m[1])
			year, _ := strconv.Atoi(m[3])
			item = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		}
		o := otherTrip{name: item, trip: q.trip, to: q.to}
		o.With, o.OwnPrice = "", ""
		day, dayErr := fare.ParseDay(item)
		month, monthErr := time.Parse("2006-01", item)
		place, isCity := q.city(item)
		switch {
		case item == "":
			continue
		case dayErr == nil:
			o.moveTo(day)
			o.name = q.language.WeekdayDate(day)
		case monthErr == nil:
			o.Month, o.Date, o.Around, o.Back = item, "", "", ""
			o.name = q.language.MonthOf(fare.DayOf(month))
		case isCity:
			o.name, o.to = place.Name, places.Query(place.City, place.Name)
		default:
			return nil, false
		}
		all = append(all, o)
	}
	return all, len(all) <= maxOthers
}

// moveTo sets the departure day. It moves a return day by the same number of days, so the nights
// away stay the same.
func (t *trip) moveTo(day fare.Day) {
	was, err1 := fare.ParseDay(t.Date)
	back, err2 := fare.ParseDay(t.Back)
	t.Month, t.Date, t.Back = "", day.String(), ""
	if err1 == nil && err2 == nil {
		t.Back = (day + back - was).String()
	}
}

// compare adds the table of compared trips to a verdict page.
func (h home) compare(ctx context.Context, q question, asked answer.Question, a answer.Answer, v *view) {
	others, _ := q.others()
	if len(others) == 0 {
		return
	}
	own := q.trip
	own.With, own.OwnPrice = "", ""
	name := own.text(v.T)
	if slices.ContainsFunc(others, func(o otherTrip) bool { return o.to != q.to }) || name == "" {
		name = strings.TrimSuffix(v.To+" · "+name, " · ")
	}
	c := &comparison{Rows: []comparedTrip{{Name: name, To: q.linkOn(own, v.AskFrom, v.AskTo),
		Difference: v.T.Text("compare.none")}}}
	switch {
	case v.Verdict != nil:
		c.Rows[0] = v.compared(name, c.Rows[0].To, asked, a.Analysis)
	case v.Returns != nil:
		c.Rows[0] = v.comparedStay(name, c.Rows[0].To, v.Returns.best)
	}
	for _, o := range others {
		c.Rows = append(c.Rows, h.comparedWith(ctx, q, asked, o, v))
	}
	v.Compared = c
}

// comparedWith returns the table row of a trip to compare with.
func (h home) comparedWith(ctx context.Context, q question, asked answer.Question, o otherTrip, v *view) comparedTrip {
	row := comparedTrip{Name: o.name, To: q.linkOn(o.trip, v.AskFrom, o.to), Difference: v.T.Text("compare.none")}
	of, wrong := o.read(q.language, q.currency)
	if len(wrong) > 0 {
		return row
	}
	of.From, of.To = asked.From, answer.Named{Parameter: "con", Name: o.to}
	var a answer.Answer
	var stays knownStays
	err := h.Reader.Check(ctx, of)
	switch {
	case err != nil:
	case o.Stay != "":
		stays, err = h.staysOf(ctx, o.trip, of, v.AllFares)
	default:
		a, err = h.WithUsual(ctx, of)
	}
	switch {
	case err != nil && published.Problem(err) == err:
		h.Log.ErrorContext(ctx, "trip not compared", "error", err)
		row.Difference = v.T.Text("refusal.failed.title")
	case err == nil && o.Stay == "":
		return v.compared(row.Name, row.To, of, a.Analysis)
	case err == nil:
		if fitting := o.fitting(stays.days); len(fitting) > 0 {
			return v.comparedStay(row.Name, row.To, fitting[0])
		}
	}
	return row
}

// comparedStay returns the table row of the cheapest return with the chosen nights away.
func (v *view) comparedStay(name, to string, g verdict.Giorno) comparedTrip {
	row := comparedTrip{Name: name, To: to, Date: v.daysOf(g.Partenza, g.Ritorno)}
	if g.Cent != nil {
		row.Fare = v.T.Money(*g.Cent)
		if g.MedianaCent != nil {
			row.Difference = difference(v.T, g.Livello, *g.Cent, *g.MedianaCent)
		}
	}
	return row
}

// compared returns the table row of a compared trip that has a fare. The fare is compared with the
// usual fare of its own day, or with that of the trip's question if the day's is unknown.
func (v *view) compared(name, to string, asked answer.Question, a verdict.Analysis) comparedTrip {
	l := v.T
	row := comparedTrip{Name: name, To: to, Fare: l.Money(a.Prezzo.Cent)}
	if date := v.daysOf(a.Prezzo.Partenza, a.Prezzo.Ritorno); date != name {
		row.Date = date
	}
	usual, level := a.SolitoPartenzaCent, a.LivelloPartenza
	if asked.When != nil && asked.When.Span == nil {
		usual, level = a.Verdetto.MedianaCent, a.Verdetto.Livello
	}
	switch {
	case usual != nil:
		row.Difference = difference(l, level, a.Prezzo.Cent, *usual)
	case a.Verdetto.ScartoMedianaCent != nil:
		row.Difference = v.sayingOf(asked, a).Than()
	}
	return row
}

// difference states how far a fare is from the usual fare of its own day of departure.
func difference(l *i18n.Language, level string, price, usual fare.Cents) string {
	amount, sign := wording.Apart(l, level, price, usual)
	return l.Text("compare."+wording.Direction(sign), "Amount", amount)
}
