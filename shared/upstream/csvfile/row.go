package csvfile

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

// wanted names the columns that a file must have.
const wanted = "origin, destination, observed_date, depart_date, price, currency"

// columns says where in a record each thing is.
type columns struct {
	origin, destination, observed, depart, price, currency int
	returns                                                int // -1: no such column
	width                                                  int // fields that a record must have at least
}

// locate reads a header.
func locate(header []byte, chosen reading) (columns, error) {
	names, err := split(header, nil)
	if err != nil {
		return columns{}, fmt.Errorf("header: %w", err)
	}
	c := columns{returns: -1}
	price := cmp.Or(chosen.price, "price")
	var missing []string
	for _, want := range []struct {
		name     string
		at       *int
		required bool
	}{
		{"origin", &c.origin, true}, {"destination", &c.destination, true},
		{"observed_date", &c.observed, true}, {"depart_date", &c.depart, true},
		{price, &c.price, true}, {"currency", &c.currency, true},
		{"return_date", &c.returns, false},
	} {
		found := 0
		for i, name := range names {
			if strings.EqualFold(strings.TrimSpace(string(name)), want.name) {
				*want.at = i
				found++
			}
		}
		if found > 1 {
			return columns{}, fmt.Errorf("header names %s twice", want.name)
		}
		if found == 0 && want.required {
			missing = append(missing, want.name)
		}
		if want.required {
			c.width = max(c.width, *want.at+1)
		}
	}
	if missing != nil {
		wanted := wanted
		if chosen.price != "" {
			wanted = strings.Replace(wanted, "price", price, 1)
		}
		return columns{}, fmt.Errorf("header lacks %s: want %s", strings.Join(missing, ", "), wanted)
	}
	if chosen.price != "" {
		c.returns = -1
	}
	return c, nil
}

// read makes a Row of a record.
func (c columns) read(fields [][]byte) (upstream.Row, error) {
	if len(fields) < c.width {
		return upstream.Row{}, fmt.Errorf("%d fields, want %d", len(fields), c.width)
	}
	text := func(i int) string { return strings.TrimSpace(string(fields[i])) }
	row := upstream.Row{
		Origin:      strings.ToUpper(text(c.origin)),
		Destination: strings.ToUpper(text(c.destination)),
		Currency:    strings.ToUpper(text(c.currency)),
		RoundTrip:   c.returns >= 0 && c.returns < len(fields) && text(c.returns) != "",
	}
	for _, code := range []string{row.Origin, row.Destination, row.Currency} {
		if len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return upstream.Row{}, fmt.Errorf("code %.20q: want three letters", code)
		}
	}
	var err error
	if row.Found, err = moment(text(c.observed)); err != nil {
		return upstream.Row{}, fmt.Errorf("observed_date: %w", err)
	}
	if row.Depart, err = fare.ParseDay(text(c.depart)); err != nil {
		return upstream.Row{}, fmt.Errorf("depart_date: %w", clip(err))
	}
	if row.Price, err = decimal(text(c.price)); err != nil {
		return upstream.Row{}, err
	}
	return row, nil
}

// moment reads a day, which begins at 00:00 UTC, or a day and a time.
func moment(s string) (time.Time, error) {
	if len(s) == len(time.DateOnly) {
		d, err := fare.ParseDay(s)
		return d.Time(), err
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is neither a day nor a moment", s)
}

// decimal reads a price as people write it; exponents, NaN and the like are no prices.
func decimal(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "-0123456789.") != "" {
		return 0, fmt.Errorf("price %.40q: want a decimal number", s)
	}
	return v, nil
}

// clip keeps a hostile field from filling a report.
func clip(err error) error {
	if text := err.Error(); len(text) > 80 {
		return errors.New(text[:80] + "...")
	}
	return err
}
