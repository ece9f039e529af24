package page

import (
	"strconv"

	"verdetto/shared/fare"
)

// The form of an alert asks for one on the trip that the page is about, and where no
// destination was named for one to anywhere. What it sends
// is what POST /v1/alerts takes: its fields have the names and values of that.

// alertFields are what the address fills the form in with beside the trip, as typed.
type alertFields struct{ Under, Nights string }

func (g *alertFields) fields() []field {
	return []field{{"soglia", &g.Under}, {"notti", &g.Nights}}
}

// arounds are how many days either side of a departure a verdict and an alert can be for; empty: that day alone.
var arounds = []string{"", "1", "3", "7"}

// Arounds are those of a form.
func (v view) Arounds() (all []option) {
	for _, days := range arounds {
		n, _ := strconv.Atoi(days) // 0 for that day alone
		all = append(all, option{days, v.T.Count("form.around", n), days == v.Trip.Around})
	}
	return all
}

// Threshold is that the form is filled in with; empty if none was typed that it takes.
func (v view) Threshold() string {
	typed := v.Form.Under
	if v.Anywhere {
		typed = v.Trip.Most
	}
	m := amount.FindStringSubmatch(typed)
	switch {
	case m == nil || len(m[1]) > maxThreshold:
		return ""
	case m[2] == "":
		return m[1]
	}
	return v.T.Decimals(m[1] + "." + m[2])
}

// AlertDays are the departures that an alert can be for: those of the page's trip, some days either
// side of it, and any.
func (v view) AlertDays() (days []option) {
	day, err := fare.ParseDay(v.Trip.Date)
	switch {
	case v.Anywhere:
		return nil // one to anywhere is for any departure
	case err == nil:
		for _, o := range v.Arounds() {
			if n, err := strconv.Atoi(o.Value); err == nil {
				o.Value = (day - fare.Day(n)).String() + ".." + (day + fare.Day(n)).String()
			} else {
				o.Value, o.Text = day.String(), v.T.Date(day)
			}
			days = append(days, o)
		}
	case v.Trip.Month != "":
		days = append(days, option{Value: v.Trip.Month, Text: trip{Month: v.Trip.Month}.text(v.T)})
	default:
		return nil
	}
	return append(days, option{Text: v.T.Text("form.any_day")})
}

// AlertNights is how many nights away the returns are that an alert is for; empty: one way.
func (v view) AlertNights() string {
	nights, _ := fare.ParseTrip(v.Form.Nights)
	day, err := fare.ParseDay(v.Trip.Date)
	if back, backErr := fare.ParseDay(v.Trip.Back); err == nil && backErr == nil {
		nights = fare.TripOf(int(back - day))
	}
	if nights == fare.OneWay || v.Anywhere {
		return ""
	}
	return nights.String()
}

// AlertOpen tells whether the form shows more than the address and the threshold at
// once: where it is for a trip, so that nobody asks for another than they mean.
func (v view) AlertOpen() bool {
	return v.Trip.NonStop != "" || v.AlertDays() != nil || v.AlertNights() != ""
}
