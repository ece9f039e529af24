package page

import (
	"cmp"
	"math"
	"slices"
	"time"

	"verdetto/shared/fare"
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
	shown  verdict.Prezzo   // the lowest known fare
	of     verdict.Live     // the fare that shown publishes
	newest *verdict.Prezzo  // the judged fare, if it is not the lowest; otherwise nil
	judged verdict.Verdetto // of the judged fare
}

func known(d published.DestinationDeal, now time.Time) knownDeal {
	price, judged := d.Publish(now)
	k := knownDeal{d, price, d.Fare, nil, judged}
	if d.Lower != nil {
		k.newest, k.of = &price, d.Lower.Fare
		k.shown, _ = d.Lower.Publish(now)
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
	return float64(d.shown.Cent-usual) / float64(usual), true
}

func (d knownDeal) isDear() bool {
	if d.newest == nil {
		return d.judged.Livello == verdict.Caro
	}
	apart, ok := d.apart()
	return ok && apart >= farApart
}

// rank orders deals by level. A lower fare without a level counts as good if it is cheaper than
// usual.
func (d knownDeal) rank() int {
	if d.newest == nil {
		return slices.Index([]string{verdict.Ottimo, verdict.Buono, verdict.Normale, verdict.Insufficient, verdict.Caro},
			d.judged.Livello)
	}
	if apart, ok := d.apart(); ok && apart <= -farApart {
		return 1
	}
	return 2
}

func (v *view) cheapRow(q question, d knownDeal) cheapRow {
	l := v.T
	depart, name, ask := d.of.Depart, places.Name(d.To, l.Code), q.trip
	ask.Most = ""
	row := cheapRow{City: name, Fare: l.Money(d.shown.Cent), Date: l.WeekdayDate(depart),
		Flight: wording.Flight(l, d.shown)}
	if nights := fare.Day(d.of.Nights); nights > 0 { // the question's days only select the class of nights
		ask.Date, ask.Back = d.shown.Partenza, d.shown.Ritorno
		row.Date = l.Text("ask.out_and_back", "Out", row.Date, "Back", l.WeekdayDate(depart+nights))
	}
	ago := func(f verdict.Live) string { return wording.Ago(l, int(v.today-f.FoundDay())) }
	switch {
	case d.newest != nil: // the page of the route is about the judged fare
		ask.Month, ask.Date = "", d.shown.Partenza
		row.Newest = l.Text("cheap.newest", "Price", l.Money(d.newest.Cent), "Day", l.WeekdayDay(d.Fare.Depart),
			"When", ago(d.Fare))
	case d.judged.Livello == verdict.Insufficient:
		row.Level, row.LevelText = levelClass(d.judged.Livello), l.Text("cheap.unknown")
	default:
		row.Level = levelClass(d.judged.Livello)
		row.LevelText = wording.Level(l, d.judged.Livello, d.judged.Affidabilita)
		row.Sure = l.Text("certainty." + d.judged.Affidabilita)
	}
	if d.of.FoundDay() < v.today {
		row.Seen = wording.Sentence(l.Text("near.seen", "When", ago(d.of)))
	}
	if usual, ok := d.Usual(); ok {
		level := ""
		if d.newest == nil {
			level = d.judged.Livello
		}
		amount, sign := wording.Apart(l, level, d.shown.Cent, usual)
		month := ""
		if first, err := fare.ParseDay(q.Month + "-01"); err == nil {
			month = l.MonthOf(first)
		}
		row.Difference = l.Text("cheap."+wording.Direction(sign), "Amount", amount, "Usual", l.Money(usual), "Month",
			month)
	}
	row.To = q.linkOn(ask, v.AskFrom, places.Query(d.To, name))
	row.Alert = row.To + "#alert-title"
	return row
}

type cheapRow struct {
	City, To, Alert        string
	Fare, Date, Flight     string
	Difference             string
	Seen                   string // on which day the fare was found, unless today
	Newest                 string // the newest fare, if it is not the lowest
	Level, LevelText, Sure string
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
		by = func(d knownDeal) int { return int(d.shown.Cent) }
	case "differenza": // a destination without a usual price comes last
		by = func(d knownDeal) int {
			if usual, ok := d.Usual(); ok {
				return int(d.shown.Cent - usual)
			}
			return math.MaxInt
		}
	case "partenza":
		by = func(d knownDeal) int { return int(d.of.Depart) }
	}
	slices.SortStableFunc(sorted, func(a, b knownDeal) int { return cmp.Compare(by(a), by(b)) })
	return sorted
}

type dealTable struct {
	T    *i18n.Language
	Rows []cheapRow
}

func (v view) Table(rows []cheapRow) dealTable { return dealTable{v.T, rows} }
