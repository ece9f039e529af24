package page

import (
	"cmp"
	"math"
	"slices"

	"verdetto/shared/fare/places"
	"verdetto/shared/published"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict"
)

func rank(d published.DestinationDeal) int {
	return slices.Index([]verdict.Level{verdict.Great, verdict.Good, verdict.Fair, "", verdict.Expensive}, d.OwnDay.Level)
}

func (v *view) cheapRow(q question, d published.DestinationDeal) cheapRow {
	l := v.T
	depart, name, ask := d.Fare.Depart, places.Name(d.To, l.Code), q.trip
	ask.Most = ""
	ago := func(f verdict.Live) string { return wording.Ago(l, int(v.today-f.FoundDay())) }
	row := cheapRow{City: name, Fare: l.Money(d.Fare.Price), Date: v.shortDay(depart), Seen: wording.Sentence(ago(d.Fare)),
		Level: "unknown", LevelText: l.Text("cheap.unknown")}
	// The days of a return may differ from those in the question, so the link asks for the deal's days.
	if back := d.Fare.Return(); back != 0 {
		ask.on(depart, back)
		row.Date = l.Text("ask.out_and_back", "Out", row.Date, "Back", v.shortDay(back))
	}
	difference, lower := "", ""
	if day := d.OwnDay; day.Judged() {
		row.Level, row.LevelText = levelClass(day.Level), l.Text("level."+string(day.Level))
		difference = wording.Than(l, d.Fare.Price, day.Median)
	}
	if d.Lower != nil {
		lower = l.Text("cheap.lower", "Price", l.Money(d.Lower.Fare.Price), "Day", v.shortDay(d.Lower.Fare.Depart),
			"When", ago(d.Lower.Fare))
	}
	row.To = q.linkOn(ask, v.AskFrom, places.Query(d.To, name))
	row.More = nonEmpty(wording.Flight(l, d.Fare), difference, lower)
	return row
}

type cheapRow struct {
	City, To, Fare, Date string
	More                 []string
	Seen                 string
	Level, LevelText     string
}

// orders are the ways to sort a list of destinations. The empty value puts the best-judged fare
// first.
var orders = []string{"", "prezzo", "differenza", "partenza"}

func orderName(order string) string { return cmp.Or(order, "verdetto") }

func sortDeals(all []published.DestinationDeal, order string) {
	by := rank
	switch order {
	case "prezzo":
		by = func(d published.DestinationDeal) int { return int(d.Fare.Price) }
	case "differenza":
		by = func(d published.DestinationDeal) int {
			if d.OwnDay.Judged() {
				return int(d.Fare.Price - d.OwnDay.Median)
			}
			return math.MaxInt
		}
	case "partenza":
		by = func(d published.DestinationDeal) int { return int(d.Fare.Depart) }
	}
	slices.SortStableFunc(all, func(a, b published.DestinationDeal) int { return cmp.Compare(by(a), by(b)) })
}

type dealTable struct {
	T    *i18n.Language
	Rows []cheapRow
}

func (v *view) Table(rows []cheapRow) dealTable { return dealTable{v.T, rows} }
