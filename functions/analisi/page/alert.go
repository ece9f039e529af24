package page

import (
	"fmt"
	"strconv"

	"verdetto/shared/fare"
)

// The form of an alert covers the trip of the page. Without a destination it is an alert for any
// destination. Its fields have the names and values of POST /v1/alerts.

// alertFields holds the form's values from the address, besides the trip, as typed.
type alertFields struct{ Under, Nights string }

func (g *alertFields) fields() []field {
	return []field{{"soglia", &g.Under}, {"notti", &g.Nights}}
}

// arounds lists the days before and after a departure that a verdict or an alert can include.
// Empty: that day only.
var arounds = []string{"", "1", "3", "7"}

// Arounds returns the options of arounds for a form.
func (v view) Arounds() (all []option) {
	for _, days := range arounds {
		n, _ := strconv.Atoi(days) // 0 for that day only
		all = append(all, option{days, v.T.Count("form.around", n), days == v.Trip.Around})
	}
	return all
}

// Threshold returns the threshold for the form, or "" if none was typed or the form does not
// accept it.
func (v view) Threshold() string {
	p, ok := parsePrice(v.Form.Under, "")
	if v.Anywhere {
		p, ok = price{v.most, "EUR"}, v.most > 0
	}
	whole := strconv.Itoa(int(p.cents / 100))
	switch {
	case !ok || p.currency != "EUR" || len(whole) > maxThreshold:
		return ""
	case p.cents%100 == 0:
		return whole
	}
	return v.T.Decimals(fmt.Sprintf("%s.%02d", whole, p.cents%100))
}

// AlertDays returns the departures for an alert: the trip's day and the days around it, or its
// month; and any day. It returns nil if the trip has neither.
func (v view) AlertDays() (days []option) {
	day, err := fare.ParseDay(v.Trip.Date)
	switch {
	case v.Anywhere:
		return nil // an alert for any destination is for any departure
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

// AlertNights returns the nights away of an alert for returns, or "" for one way.
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

// AlertOpen reports whether the form shows the trip at once, besides address and threshold. It
// does for a specific trip, so that no reader requests another one by mistake.
func (v view) AlertOpen() bool {
	return v.Trip.NonStop != "" || v.AlertDays() != nil || v.AlertNights() != ""
}
