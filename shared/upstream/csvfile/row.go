package csvfile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const wanted = "origin, destination, observed_date, depart_date, price, currency"

type columns struct {
	origin, destination, observed, depart, price, currency int
	returns, stops                                         int // -1: absent
	from, to, airline, minutes                             int // -1: absent
	width                                                  int // fields that a record needs
}

// locate finds the columns. It also returns the names of other columns that seem to hold one-way
// fares.
func locate(header []byte, column string) (c columns, oneWay []string, err error) {
	fields, err := split(header, nil)
	if err != nil {
		return columns{}, nil, fmt.Errorf("header: %w", err)
	}
	names := make([]string, len(fields))
	price := cmp.Or(column, "price")
	for i, field := range fields {
		names[i] = strings.ToLower(strings.TrimSpace(string(field)))
		if holdsOneWay(names[i]) && !strings.EqualFold(names[i], price) {
			oneWay = append(oneWay, clip(names[i]))
		}
	}
	c.returns, c.stops, c.from, c.to, c.airline, c.minutes = -1, -1, -1, -1, -1, -1
	var missing []string
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
		found := 0
		for i, name := range names {
			if strings.EqualFold(name, want.name) {
				*want.at = i
				found++
			}
		}
		if found > 1 {
			return columns{}, nil, fmt.Errorf("header names %s twice", want.name)
		}
		if found == 0 && want.required {
			missing = append(missing, want.name)
		}
		if want.required {
			c.width = max(c.width, *want.at+1)
		}
	}
	if missing != nil {
		wanted := strings.Replace(wanted, "price", price, 1)
		hint := ""
		if len(oneWay) > 0 && slices.Equal(missing, []string{price}) {
			hint = "; or take the fare from another column: -price " + strings.Join(oneWay, " or -price ")
		}
		return columns{}, nil, fmt.Errorf("header lacks %s: want %s%s", strings.Join(missing, ", "), wanted, hint)
	}
	if column != "" {
		c.returns = -1
	}
	return c, oneWay, nil
}

// holdsOneWay guesses from the lower-case name of a column.
func holdsOneWay(name string) bool {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
	}
	return has("price", "fare") && !has("inbound", "return", "back", "round", "total", "uuid", "currency")
}

// read parses a record. All its errors are of type fault.
func (c columns) read(fields [][]byte) (upstream.Row, error) {
	if len(fields) < c.width {
		return upstream.Row{}, fault{FewFields, fmt.Sprintf("%d fields, want %d", len(fields), c.width)}
	}
	text := func(i int) string {
		if i < 0 || i >= len(fields) {
			return "" // an absent optional column
		}
		return strings.TrimSpace(string(fields[i]))
	}
	row := upstream.Row{
		Origin:      strings.ToUpper(text(c.origin)),
		Destination: strings.ToUpper(text(c.destination)),
		Currency:    strings.ToUpper(text(c.currency)),
	}
	for _, code := range []string{row.Origin, row.Destination, row.Currency} {
		if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return upstream.Row{}, fault{BadCode, fmt.Sprintf("code %.20q: want three letters", code)}
		}
	}
	var ok bool
	if row.Found, row.DayOnly, ok = moment(text(c.observed)); !ok {
		return upstream.Row{}, fault{BadDate,
			fmt.Sprintf("observed_date %.40q is neither a day (YYYY-MM-DD) nor a moment", text(c.observed))}
	}
	var err error
	if row.Depart, err = fare.ParseDay(text(c.depart)); err != nil {
		return upstream.Row{}, fault{BadDate, "depart_date: " + clip(err.Error())}
	}
	if back := text(c.returns); back != "" {
		if row.Return, err = fare.ParseDay(back); err != nil {
			return upstream.Row{}, fault{BadDate, "return_date: " + clip(err.Error())}
		}
		row.RoundTrip = row.Return == 0
	}
	if row.Price, ok = decimal(text(c.price)); !ok {
		return upstream.Row{}, fault{BadNumber, fmt.Sprintf("price %.40q: want a decimal number", text(c.price))}
	}
	if stops := text(c.stops); stops != "" {
		n, err := strconv.ParseUint(stops, 10, 8)
		if err != nil {
			return upstream.Row{}, fault{BadStops, fmt.Sprintf("stops %.40q: want 0, 1, 2 or more, or nothing", stops)}
		}
		row.Stops = fare.StopsOf(int(n))
	}
	// These are optional: a malformed value counts as absent.
	row.OriginAirport, row.DestinationAirport = strings.ToUpper(text(c.from)), strings.ToUpper(text(c.to))
	row.Airline = strings.ToUpper(text(c.airline))
	row.Minutes, _ = strconv.Atoi(text(c.minutes))
	return row, nil
}

// moment parses a day, which becomes 00:00 UTC, or a day and a time. It rejects times before 1970.
func moment(s string) (at time.Time, dayOnly, ok bool) {
	if len(s) == len(time.DateOnly) {
		d, err := fare.ParseDay(s)
		return d.Time(), true, err == nil && d >= 0
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), false, t.Unix() >= 0
		}
	}
	return time.Time{}, false, false
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
