package alerts

import (
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/verdict"
	"verdetto/shared/verdict/departure"
	"verdetto/shared/web/httpapi"
)

type condition struct {
	trip    store.Trip
	kind    string // as in the request; "" if absent
	level   string // likewise; only to anywhere
	days    int    // 0: absent
	percent int
	amount  fare.Cents
	paid    fare.Cents
}

const (
	minDays, maxDays, usualDays = 7, 365, 30
	maxPercent                  = 90
	maxRange                    = 31 // days of departure
)

var kinds = []string{store.Threshold, store.Verdict, store.Low, store.Drop, store.Change, store.Paid}

func (c *condition) set(name, value string) *fault {
	var ok bool
	fill := []any(nil)
	switch name {
	case "departure":
		c.trip.From, c.trip.To, ok = parseDays(value)
	case "month":
		var at time.Time
		at, ok = parseMonth(value)
		if ok && c.trip.From > 0 {
			return &fault{field: name, text: "not_both", fill: []any{"Other", "departure"}}
		}
		c.trip.From, c.trip.To = departure.Month.Ends(fare.DayOf(at))
		c.trip.Month = true
	case "nights":
		trip, err := fare.ParseTrip(value)
		c.trip.Nights, ok = trip, err == nil
	case "nonstop":
		c.trip.Nonstop, ok = value == "true" || value == "on" || value == "1",
			slices.Contains([]string{"true", "false", "on", "1", "0"}, value)
	case "airline", "withoutAirline":
		return c.setAirlines(name, value)
	case "kind":
		c.kind, ok, fill = value, slices.Contains(kinds, value), []any{"Kinds", strings.Join(kinds, ", ")}
	case "level":
		c.level, ok = value, value == string(verdict.Good) || value == string(verdict.Great)
	case "days":
		c.days, ok = parseWhole(value, minDays, maxDays)
	case "percent":
		c.percent, ok = parseWhole(value, 1, maxPercent)
	}
	if !ok {
		return &fault{field: name, text: name, fill: fill}
	}
	return nil
}

func parseDays(s string) (from, to fare.Day, ok bool) {
	first, last, several := strings.Cut(s, "..")
	from, err := fare.ParseDay(first)
	if err != nil || !several {
		return from, from, err == nil
	}
	to, err = fare.ParseDay(last)
	return from, to, err == nil && from <= to && to-from < maxRange
}

func parseMonth(s string) (time.Time, bool) {
	at, err := time.Parse("2006-01", s)
	return at, err == nil
}

// parseWhole accepts an integer in any JSON form: 14.0 is 14.
func parseWhole(s string, least, most int) (int, bool) {
	n, err := strconv.ParseFloat(s, 64)
	ok := err == nil && strings.Trim(s, "0123456789+-.eE") == "" && n == math.Trunc(n) && float64(least) <= n &&
		n <= float64(most)
	if !ok {
		return 0, false
	}
	return int(n), true
}

// check returns the faults of fields that exclude each other, and of departures that cannot be
// flown from today on.
func (p *pendingSubscription) check(today fare.Day) (faults []fault) {
	if p.codes[1] == string(store.Anywhere) {
		return append(p.checkDigest(), p.checkAnywhere(today)...)
	}
	faults = p.checkDigest()
	for name, value := range map[string]string{"level": p.level, "area": p.area} {
		if value != "" {
			faults = append(faults, fault{field: name, text: "only_anywhere"})
		}
	}
	faults = append(faults, p.checkDeparture(today)...)
	if p.kind == "" && p.paid > 0 {
		p.kind = store.Paid
	}
	only := func(name string, given bool, kind string) {
		if given && p.kind != kind {
			faults = append(faults, fault{field: name, text: "only_with", fill: []any{"Kind", kind}})
		}
	}
	faults = append(faults, p.checkKind()...)
	only("days", p.days > 0, store.Low)
	only("percent", p.percent > 0, store.Drop)
	only("amount", p.amount > 0, store.Drop)
	only("paid", p.paid > 0, store.Paid)
	switch {
	case p.kind == store.Paid && p.paid == 0:
		faults = append(faults, fault{field: "paid", text: "missing"})
	case p.kind == store.Paid && (p.trip.From == 0 || p.trip.Month) && today > 0:
		faults = append(faults, fault{field: "departure", text: "paid_departure"})
	case p.kind == store.Drop && p.percent > 0 && p.amount > 0:
		faults = append(faults, fault{field: "amount", text: "not_both", fill: []any{"Other", "percent"}})
	case p.kind == store.Drop && p.percent == 0 && p.amount == 0:
		faults = append(faults, fault{field: "kind", text: "drop_wants"})
	}
	return faults
}

// checkDeparture refuses departures that no message can precede: a new alert is compared with fares
// tomorrow at the earliest, and a message on the day of departure is too late.
func (p *pendingSubscription) checkDeparture(today fare.Day) []fault {
	t, name := p.trip, "departure"
	if t.Month {
		name = "month"
	}
	switch first := store.FirstCheck(today); {
	case t.From == 0 || today == 0:
		return nil
	case t.To < today || t.From > today+answer.MaxAhead:
		return []fault{{field: name, text: "departure_when"}}
	case t.To <= first:
		return []fault{{name, "too_soon", []any{"First", first}, &TooSoon}}
	case p.digest && t.To < today+digestDays:
		return []fault{{"frequency", "too_soon_weekly", []any{"First", today + digestDays}, &TooSoon}}
	}
	return nil
}

const digestDays = 7

var TooSoon = httpapi.ProblemType{Status: http.StatusBadRequest, Code: "avviso-troppo-tardi",
	Title: "The alert would come too late"}

func (p *pendingSubscription) checkKind() []fault {
	switch {
	case p.threshold > 0 && p.paid > 0:
		return []fault{{field: "threshold", text: "not_with_paid"}}
	case p.kind != "" && p.kind != store.Threshold && p.threshold > 0:
		return []fault{{field: "threshold", text: "only_with", fill: []any{"Kind", store.Threshold}}}
	case p.kind == store.Threshold && p.threshold == 0:
		return []fault{{field: "threshold", text: "missing"}}
	}
	return nil
}

// checkAnywhere applies to alerts that cover the cheapest one-way fare to each destination in a month
// or on any day.
func (p *pendingSubscription) checkAnywhere(today fare.Day) (faults []fault) {
	for _, f := range []struct {
		field string
		given bool
	}{
		{"departure", p.trip.From > 0 && !p.trip.Month},
		{"nights", p.trip.Nights != fare.OneWay},
		{"kind", p.kind != "" && p.kind != store.Threshold && p.kind != store.Verdict},
		{"days", p.days > 0}, {"percent", p.percent > 0}, {"amount", p.amount > 0}, {"paid", p.paid > 0},
	} {
		if f.given {
			faults = append(faults, fault{field: f.field, text: "not_anywhere"})
		}
	}
	if len(faults) > 0 {
		return faults
	}
	return append(p.checkDeparture(today), p.checkKind()...)
}

// fill copies the condition into an alert. An alert on a route, by threshold or verdict, keeps the
// original storage format. Others also store an ID and the day of the request; alerts to any
// destination by mail store the day alone.
func (c condition) fill(a *store.Alert, today fare.Day) {
	a.Trip, a.Percent, a.Amount = c.trip, c.percent, c.amount
	if c.kind != store.Threshold && c.kind != store.Verdict {
		a.Kind = c.kind
	}
	if c.kind == store.Paid {
		a.Threshold = c.paid
	}
	if c.level == string(verdict.Great) {
		a.Level = c.level
	}
	if c.kind == store.Low {
		a.Days = c.days
		if a.Days == 0 {
			a.Days = usualDays
		}
	}
	if a.ID = a.NewID(); a.ID != "" || a.Route.Destination == store.Anywhere {
		a.Since = today
	}
}
