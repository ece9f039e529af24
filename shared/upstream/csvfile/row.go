package csvfile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const wanted = "origin, destination, observed_date, depart_date, price, currency"

type columns struct {
	origin, destination, observed, depart, price int
	currency                                     int // -1 if each price names its currency
	returns, stops                               int // -1 for a column that is not read
	from, to, airline, minutes                   int // -1 for a column that is not read
	width                                        int // the least number of fields in a row
	names                                        []string
}

func (l *loader) locate(header []byte, column string) (c columns, oneWay []string, err error) {
	fields, err := split(header, l.separator, nil)
	if err != nil {
		return columns{}, nil, fmt.Errorf("header: %w", err)
	}
	price := cmp.Or(column, "price")
	for _, field := range fields {
		name := text(field)
		c.names = append(c.names, name)
		if lower := strings.ToLower(name); holdsOneWay(lower) && normal(name) != normal(price) {
			oneWay = append(oneWay, clip(lower))
		}
	}
	var missing []string
	others := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool { return name == "" })
	for i, name := range others {
		others[i] = clip(name)
	}
	for _, want := range []struct {
		name     string
		at       *int
		required bool
	}{
		{"origin", &c.origin, true}, {"destination", &c.destination, true},
		{"observed_date", &c.observed, true}, {"depart_date", &c.depart, true},
		{price, &c.price, true}, {"currency", &c.currency, true},
		{"return_date", &c.returns, false}, {"stops", &c.stops, false},
		{"origin_airport", &c.from, false}, {"destination_airport", &c.to, false},
		{"airline", &c.airline, false}, {"duration_minutes", &c.minutes, false},
	} {
		*want.at = -1
		for _, bySynonym := range []bool{false, true} {
			for i, name := range c.names {
				switch {
				case !isNamed(name, want.name, bySynonym):
				case *want.at >= 0 && !bySynonym:
					return columns{}, nil, fmt.Errorf("header names %s twice", want.name)
				case *want.at >= 0:
					return columns{}, nil, fmt.Errorf("header has two columns that may be %s, %s and %s: name one of them %s",
						want.name, clip(c.names[*want.at]), clip(name), want.name)
				default:
					*want.at = i
				}
			}
			if *want.at >= 0 {
				break
			}
		}
		if want.name == "price" && len(oneWay) > 1 && *want.at >= 0 && normal(c.names[*want.at]) != "price" {
			*want.at = -1 // the caller must choose among several columns of fares
		}
		if *want.at < 0 && want.required {
			missing = append(missing, want.name)
		}
		others = slices.DeleteFunc(others, func(name string) bool { return *want.at >= 0 && name == clip(c.names[*want.at]) })
		if want.required {
			c.width = max(c.width, *want.at+1)
		}
	}
	if len(missing) > 0 && !slices.Equal(missing, []string{"currency"}) {
		wanted := strings.Replace(wanted, "price", price, 1)
		hint := ""
		switch {
		case len(oneWay) > 0 && slices.Equal(missing, []string{price}):
			hint = "; or take the fare from another column: -price " + strings.Join(oneWay, " or -price ")
		case len(others) > 0:
			hint = "; the first line names " + strings.Join(others[:min(len(others), 8)], ", ") + " instead"
		}
		return columns{}, nil, fmt.Errorf("header lacks %s: want %s%s", strings.Join(missing, ", "), wanted, hint)
	}
	if column != "" {
		c.returns = -1
	}
	return c, oneWay, nil
}

func holdsOneWay(name string) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	}
	return has("price", "fare") && !has("inbound", "return", "back", "round", "total", "uuid", "currency")
}

func (l *loader) read(fields [][]byte) (row upstream.Row, err error) {
	c := l.columns
	if len(fields) < c.width {
		return row, fault{FewFields, fmt.Sprintf("%d fields, want %d", len(fields), c.width), false}
	}
	if len(fields) > len(c.names) && len(bytes.Join(fields[len(c.names):], nil)) > 0 {
		return row, fault{ManyFields, fmt.Sprintf("%d fields, and the header names %d: put a field that contains %q into quotes",
			len(fields), len(c.names), l.separator), false}
	}
	text := func(i int) string {
		if i < 0 || i >= len(fields) {
			return ""
		}
		return strings.TrimSpace(string(fields[i]))
	}
	row = upstream.Row{
		Origin:      strings.ToUpper(text(c.origin)),
		Destination: strings.ToUpper(text(c.destination)),
		Currency:    l.currency(text(c.currency)),
	}
	for _, code := range []struct {
		column int
		text   string
	}{{c.origin, row.Origin}, {c.destination, row.Destination}, {c.currency, row.Currency}} {
		if bad := len(code.text) != 3 || strings.Trim(code.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != ""; bad &&
			(code.column != c.currency || code.text != "") {
			return row, fault{BadCode, fmt.Sprintf("%s %.20q: want three letters", c.names[code.column], text(code.column)), false}
		}
	}
	// After a bad date, the other dates and the price are still read, because each may show how
	// ambiguous values must be read.
	keep := func(failed error) {
		if err == nil {
			err = failed
		}
	}
	var day fare.Day
	var failed error
	row.Found, row.DayOnly, failed = l.found(text(c.observed))
	keep(failed)
	row.Depart, _, failed = l.moment(c.depart, text(c.depart))
	keep(failed)
	if back := text(c.returns); back != "" {
		day, _, failed = l.moment(c.returns, back)
		row.Return, row.RoundTrip = day, day == 0
		keep(failed)
	}
	row.Price, row.Currency, failed = l.amount(text(c.price), row.Currency)
	keep(failed)
	if stops := text(c.stops); stops != "" {
		n, failed := strconv.ParseUint(stops, 10, 8)
		if failed != nil {
			keep(fault{BadStops, fmt.Sprintf("%s %.40q: want 0, 1, 2 or more, or nothing", c.names[c.stops], stops), false})
		}
		row.Stops = fare.StopsOf(int(n))
	}
	row.OriginAirport, row.DestinationAirport = strings.ToUpper(text(c.from)), strings.ToUpper(text(c.to))
	row.Airline = strings.ToUpper(text(c.airline))
	row.Minutes, _ = strconv.Atoi(text(c.minutes))
	return row, err
}

func (l *loader) currency(s string) string {
	if len(s) != 3 || s[0] >= utf8.RuneSelf {
		if _, meant, _ := fare.SplitPrice("1" + text([]byte(s))); len(meant) == 1 {
			return meant[0]
		}
	}
	return strings.ToUpper(s)
}

func (l *loader) found(s string) (at time.Time, dayOnly bool, err error) {
	if len(s) > len(time.DateOnly) && s[4] == '-' {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
			if t, err := time.Parse(layout, s); err == nil && t.Unix() >= 0 {
				return t.UTC(), false, nil
			}
		}
	}
	day, clock, err := l.moment(l.columns.observed, s)
	if at = day.Time(); clock != nil {
		at = at.Add(*clock)
	}
	if err == nil && at.Unix() < 0 {
		err = fault{BadDate, fmt.Sprintf("%s %.40q: want a day from 1970 on", l.columns.names[l.columns.observed], s), false}
	}
	return at, clock == nil, err
}

// decimal rejects exponents and NaN.
func decimal(s string) (float64, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && strings.Trim(s, "-0123456789.") == ""
}

func clip(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}
