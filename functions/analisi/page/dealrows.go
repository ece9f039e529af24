package page

import (
	"cmp"
	"math"
	"slices"
	"time"

	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

// knownDeal is a destination with its lowest known fare. That fare is either the judged one, or a
// lower one that was found before it. A level belongs to the judged fare alone, so a lower fare is
// only compared in euros.
type knownDeal struct {
	published.DestinationDeal
	shown  verdict.Live    // the lowest known fare: that of Lower, if there is one
	judged verdict.Verdict // of the judged fare
}

func known(d published.DestinationDeal, now time.Time) knownDeal {
	k := knownDeal{d, d.Fare, d.Aged(now).Verdict}
	if d.Lower != nil {
		k.shown = d.Lower.Fare
	}
	return k
}

// A fare counts as cheaper or dearer if it differs from its usual fare by at least this part.
const farApart = 0.1

// apart returns the difference from the usual fare, as a part of it. It returns false if no usual
// fare is known.
func (d knownDeal) apart() (float64, bool) {
	usual, ok := d.Usual()
	if !ok || usual == 0 {
		return 0, false
	}
	return float64(d.shown.Price-usual) / float64(usual), true
}

func (d knownDeal) isDear() bool {
	if d.Lower == nil {
		return d.judged.Level == verdict.Expensive
	}
	apart, ok := d.apart()
	return ok && apart >= farApart
}

// rank orders deals by level. A lower fare without a level counts as good if it is cheaper than
// usual.
func (d knownDeal) rank() int {
	if d.Lower == nil {
		return slices.Index([]verdict.Level{verdict.Great, verdict.Good, verdict.Fair, verdict.Unjudged, verdict.Expensive},
			d.judged.Level)
	}
	if apart, ok := d.apart(); ok && apart <= -farApart {
		return 1
	}
	return 2
}

func (v *view) cheapRow(q question, d knownDeal) cheapRow {
	l := v.T
	depart, name, ask := d.shown.Depart, places.Name(d.To, l.Code), q.trip
	ask.Most = ""
	ago := func(f verdict.Live) string { return wording.Ago(l, int(v.today-f.FoundDay())) }
	row := cheapRow{City: name, Fare: l.Money(d.shown.Price), Date: v.shortDay(depart), Seen: wording.Sentence(ago(d.shown))}
	if back := d.shown.Return(); back != 0 { // the question's days only select the class of nights
		ask.Date, ask.Back = depart.String(), back.String()
		row.Date = l.Text("ask.out_and_back", "Out", row.Date, "Back", v.shortDay(back))
	}
	newest, difference := "", ""
	switch {
	case d.Lower != nil: // the page of the route is about the judged fare
		ask.Month, ask.Date = "", depart.String()
		newest = l.Text("cheap.newest", "Price", l.Money(d.Fare.Price), "Day", l.WeekdayDay(d.Fare.Depart),
			"When", ago(d.Fare))
	case d.judged.Level == verdict.Unjudged:
		row.Level, row.LevelText = levelClass(d.judged.Level), l.Text("cheap.unknown")
	default:
		row.Level = levelClass(d.judged.Level)
		row.LevelText = wording.Level(l, d.judged.Level, d.judged.Reliability)
	}
	if usual, ok := d.Usual(); ok {
		level := verdict.Level("")
		if d.Lower == nil {
			level = d.judged.Level
		}
		amount, sign := wording.Apart(l, level, d.shown.Price, usual)
		month := ""
		if _, _, first := q.days(); first != 0 {
			month = l.MonthOf(first)
		}
		difference = l.Text("cheap."+wording.Direction(sign), "Amount", amount, "Usual", l.Money(usual), "Month",
			month)
	}
	row.To = q.linkOn(ask, v.AskFrom, places.Query(d.To, name))
	row.More = nonEmpty(wording.Flight(l, d.shown), difference, newest)
	return row
}

type cheapRow struct {
	City, To, Fare, Date string
	More                 []string // the flight, the difference from the usual fare, and the newest fare if it is not the lowest
	Seen                 string   // when the fare was found
	Level, LevelText     string
}

// orders are the ways to sort a list of destinations. The empty value puts the best-judged fare
// first; the others the lowest fare (prezzo), the fare furthest below its usual price (differenza)
// or the earliest departure (partenza).
var orders = []string{"", "prezzo", "differenza", "partenza"}

func orderName(order string) string { return cmp.Or(order, "verdetto") }

// sortedDeals expects deals with the best-judged fare first.
func sortedDeals(all []published.DestinationDeal, order string, now time.Time) []knownDeal {
	sorted := make([]knownDeal, len(all))
	for i, d := range all {
		sorted[i] = known(d, now)
	}
	by := knownDeal.rank
	switch order {
	case "prezzo":
		by = func(d knownDeal) int { return int(d.shown.Price) }
	case "differenza": // a destination without a usual price comes last
		by = func(d knownDeal) int {
			if usual, ok := d.Usual(); ok {
				return int(d.shown.Price - usual)
			}
			return math.MaxInt
		}
	case "partenza":
		by = func(d knownDeal) int { return int(d.shown.Depart) }
	}
	slices.SortStableFunc(sorted, func(a, b knownDeal) int { return cmp.Compare(by(a), by(b)) })
	return sorted
}

type dealTable struct {
	T    *i18n.Language
	Rows []cheapRow
}

func (v view) Table(rows []cheapRow) dealTable { return dealTable{v.T, rows} }
