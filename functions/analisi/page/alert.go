package page

import (
	"cmp"
	"html/template"
	"strconv"

	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/text/wording"
	"verdetto/shared/verdict/departure"
)

type alertFields struct{ Under, Nights string }

func (g *alertFields) fields() []field {
	return []field{{"soglia", &g.Under}, {"notti", &g.Nights}}
}

// arounds lists how many days before and after the departure day a verdict or an alert can cover.
var arounds = []string{"", "1", "3", "7"}

func (v *view) Arounds() (all options) {
	for _, days := range arounds {
		n, _ := strconv.Atoi(days)
		all = append(all, option{days, v.T.Count("form.around", n), days == v.Trip.Around})
	}
	return all
}

// Threshold returns "" if no price was typed or the form does not accept the price.
func (v *view) Threshold() string {
	if v.Anywhere {
		return v.formAmount(v.Trip.Most)
	}
	if p, ok := parsePrice(v.Form.Under, ""); ok && p.Currency == fare.EUR && v.Currency != "" {
		return v.T.Whole(p.Amount)
	}
	return v.formAmount(v.Form.Under)
}

// ThresholdMet returns the sentence for a threshold that the lowest known fare already meets, or "" if
// Lowest returns "". The page hides the sentence while IsMet is false.
func (v *view) ThresholdMet() string {
	if v.Lowest() == "" {
		return ""
	}
	return v.T.Text("form.threshold_met", "Price", v.T.Money(v.Verdict.Lowest), "Date", v.AlertFirst())
}

// Lowest returns the lowest known fare in the currency of the page, such as 49.99, or "".
func (v *view) Lowest() string {
	if v.Verdict == nil || v.Verdict.Lowest == 0 || v.Form.Nights != "" { // an alert with nights is for other trips
		return ""
	}
	in, _ := fare.ParseCurrency(v.Currency)
	return fare.Money{Amount: v.T.Converted(v.Verdict.Lowest), Currency: in}.Decimal()
}

func (v *view) IsMet() bool {
	typed, ok := parsePrice(v.Threshold(), v.Currency)
	return ok && v.Lowest() != "" && v.T.Converted(v.Verdict.Lowest) <= typed.Amount
}

func (v *view) Paid() string { return v.formAmount(v.Trip.OwnPrice) }

func (v *view) formAmount(typed string) string {
	p, ok := parsePrice(typed, v.Currency)
	whole := strconv.Itoa(int(p.Amount / 100))
	switch {
	case !ok || p.Amount == 0 || p.Currency.String() != cmp.Or(v.Currency, "EUR"),
		v.Currency == "" && len(whole) > maxThreshold:
		return ""
	}
	return v.T.Decimals(p.Short())
}

func (v *view) AlertDays() (days options) {
	switch day := v.Trip.out; {
	case v.Anywhere && v.Trip.Month == "":
		return nil
	case day != 0:
		if v.AlertLate() { // the day stays selected, and the form says why an alert is refused
			days = append(days, option{Value: day.String(), Text: v.T.Date(day), Chosen: true})
		}
		for _, o := range v.Arounds() {
			n, _ := strconv.Atoi(o.Value)
			from, to := max(day-fare.Day(n), store.FirstCheck(v.today)+1), day+fare.Day(n)
			switch {
			case from > to:
				continue
			case from == to:
				o.Value, o.Text = to.String(), v.T.Date(to)
			case from > day-fare.Day(n):
				o.Text = v.T.Text("ask.out_and_back", "Out", v.T.Date(from), "Back", v.T.Date(to))
				fallthrough
			default:
				o.Value = from.String() + ".." + to.String()
			}
			days = append(days, o)
		}
	case v.Trip.Month != "" && v.AlertLate():
	case v.Trip.Month != "":
		days = append(days, option{Value: v.Trip.Month, Text: v.T.MonthOf(v.Trip.month)})
	default:
		return nil
	}
	return append(days, option{Text: v.T.Text("form.any_day")})
}

func (s *Service) FirstAlert() fare.Day { return store.FirstCheck(fare.DayOf(s.Now())) }

func (v *view) AlertFirst() string { return v.T.WeekdayDate(store.FirstCheck(v.today)) }

func (v *view) AlertLate() bool {
	last := v.Trip.out
	if v.Trip.month != 0 {
		_, last = departure.Month.Ends(v.Trip.month)
	}
	return last != 0 && (!v.Anywhere || v.Trip.Month != "") && last <= store.FirstCheck(v.today)
}

func (v *view) AlertPaid() bool { return v.Trip.Date != "" && !v.Anywhere && !v.AlertLate() }

func (v *view) AlertNights() string {
	nights, _ := fare.ParseTrip(v.Form.Nights)
	if v.Trip.out != 0 && v.Trip.back != 0 {
		nights = fare.TripOf(int(v.Trip.back - v.Trip.out))
	}
	if nights == fare.OneWay || v.Anywhere {
		return ""
	}
	return nights.String()
}

func (v *view) NightsText() string { return wording.Sentence(wording.Nights(v.T, v.AlertNights())) }

// AlertOpen reports whether the form shows the trip's fields at once, so that no reader requests an
// alert for another trip by mistake.
func (v *view) AlertOpen() bool {
	return v.Trip.NonStop != "" || v.AirlineText() != "" || v.AlertDays() != nil || v.AlertNights() != ""
}

// AlertFall returns the fall in percent that the form offers first, or 0 if the form does not first
// offer an alert of a fall.
func (v *view) AlertFall() int {
	if v.Verdict == nil || v.Trip.Date == "" || v.Form != (alertFields{}) {
		return 0
	}
	return 5
}

func (v *view) alertDated() bool { return v.Trip.Date != "" || v.Trip.Month != "" && !v.AlertLate() }

func (v *view) AlertLede() template.HTML {
	if v.Anywhere {
		return v.T.HTML("form.anywhere_lede", wording.Lows(v.T)...)
	}
	when := wording.WhenCheap(v.T, v.alertDated())
	if percent := v.AlertFall(); percent > 0 {
		when = v.T.HTML("when.drop_percent", "Percent", percent)
	}
	return v.T.HTML("form.alert_lede", "When", when)
}

func (v *view) AlertCheap() string { return wording.CheapKind(v.T, v.alertDated()) }

func (v *view) AlertTitle() string {
	switch {
	case v.Anywhere && v.Area != nil:
		return v.T.Text("form.anywhere") + v.T.Text("format.colon") + " " + v.Area.NameIn(v.T.Code)
	case v.Anywhere:
		return v.T.Text("form.anywhere")
	case !v.alertDated():
		return v.T.Text("form.alert_market")
	case v.AlertFall() > 0:
		return v.T.Text("form.alert_falls")
	}
	return v.T.Text("form.alert")
}
