package notify

import (
	"html"
	"html/template"
	"math"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/text/wording"
)

func When(a store.Alert, l *i18n.Language) template.HTML {
	if a.Digest {
		return l.HTML("when.weekly", "Weekday", l.Weekday(store.DigestWeekday(a.Subscriber)), "When", WaitsFor(a, l))
	}
	return WaitsFor(a, l)
}

func WaitsFor(a store.Alert, l *i18n.Language) template.HTML {
	if a.Route.Destination == store.Anywhere {
		if a.Threshold > 0 {
			return l.HTML("when.anywhere_most."+a.LeastLevel(),
				append(wording.Lows(l), "Amount", AmountOf(a, a.Threshold, l))...)
		}
		return l.HTML("when.anywhere."+a.LeastLevel(), wording.Lows(l)...)
	}
	switch a.Condition() {
	case store.Threshold:
		return l.HTML("when.threshold", "Amount", AmountOf(a, a.Threshold, l))
	case store.Paid:
		return l.HTML("when.paid", "Amount", AmountOf(a, a.Threshold, l))
	case store.Low:
		return l.HTML("when.low", "Days", a.Days)
	case store.Drop:
		if a.Percent > 0 {
			return l.HTML("when.drop_percent", "Percent", a.Percent)
		}
		return l.HTML("when.drop_amount", "Amount", AmountOf(a, a.Amount, l))
	case store.Change:
		return l.HTML("when.change")
	}
	return wording.WhenCheap(l, a.Trip.From > 0)
}

// LanguageOf converts amounts at the alert's own rate, so that no message shows a fare on the wrong
// side of the amount that the subscriber stated.
func LanguageOf(a store.Alert) *i18n.Language {
	l, rate := i18n.ForCode(a.Language), a.Rate
	if euro := a.Threshold + a.Amount; euro > 0 { // no alert has both Threshold and Amount
		rate = float64(a.Stated) / float64(euro)
	}
	if a.Currency == "" || rate == 0 {
		return l
	}
	return l.InCurrency(a.Currency, func(c fare.Cents) fare.Cents { return fare.Cents(math.Round(float64(c) * rate)) })
}

func AmountOf(a store.Alert, euro fare.Cents, l *i18n.Language) string {
	a.Language = l.Code
	return LanguageOf(a).Amount(euro)
}

func PlainWhen(a store.Alert, l *i18n.Language) string {
	return html.UnescapeString(strings.NewReplacer("<strong>", "", "</strong>", "").Replace(string(When(a, l))))
}

func TripText(t store.Trip, l *i18n.Language) string {
	var parts []string
	switch {
	case t.From == 0:
	case t.Month:
		parts = append(parts, l.Text("trip.departure", "Date", l.MonthOf(t.From)))
	case t.From == t.To:
		parts = append(parts, l.Text("trip.departure", "Date", l.WeekdayDate(t.From)))
	default:
		parts = append(parts, l.Text("trip.departures", "From", l.WeekdayDate(t.From), "To", l.WeekdayDate(t.To)))
	}
	if t.Nights != fare.OneWay {
		parts = append(parts, wording.Nights(l, t.Nights.String()))
	}
	if t.Nonstop {
		parts = append(parts, l.Text("trip.nonstop"))
	}
	if t.Airlines != "" {
		parts = append(parts, wording.Airlines(l, t.Airlines))
	}
	return strings.Join(parts, ", ")
}

func ListTitle(m Message, l *i18n.Language) string {
	first, many := m.Fares[0], len(m.Fares)+m.More
	if many == 1 {
		title := m.Origin + "–" + first.Destination + l.Text("format.colon") + " " + l.Amount(first.Price)
		if day := first.ForDay; day != nil {
			title += ", " + l.Text("level."+string(day.Level))
		}
		return title
	}
	return l.Count("mail.list.subject", many, "City", m.Origin, "Price", l.Amount(first.Price))
}

func names(a store.Alert, lang string) (from, to string) {
	from, to = ends(a.Route, a.Trip, lang)
	if area, ok := places.AreaOf(a.Area); ok {
		to = area.NameIn(lang)
	}
	return from, to
}

func RouteName(a store.Alert, lang string) string {
	from, to := names(a, lang)
	return from + "–" + to
}

func ends(route fare.Route, trip store.Trip, lang string) (from, to string) {
	name := func(city fare.City, a fare.Airport) string {
		if a != (fare.Airport{}) {
			return places.AirportName(a.String(), lang)
		}
		return CityName(city, lang)
	}
	return name(route.Origin, trip.Airports.From), name(route.Destination, trip.Airports.To)
}

// CityName returns the code if the city is no longer in the tables.
func CityName(city fare.City, lang string) string {
	if city == store.Anywhere {
		return i18n.ForCode(lang).Text("alerts.anywhere")
	}
	if name := places.Name(city, lang); name != "" {
		return name
	}
	return string(city)
}
