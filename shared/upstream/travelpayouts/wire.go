package travelpayouts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

// page is one answer of get_latest_prices.
type page struct {
	raw       json.RawMessage // the rows as they came
	rows      int             // all of them, readable or not: tells a full page from a short one
	malformed int
	offers    []offer
}

// offer is a row with what only this source says.
type offer struct {
	upstream.Row
	notForAffiliates bool
}

// refusal is an answer that says no in words: success:false.
type refusal struct{ text string }

func (r refusal) Error() string { return fmt.Sprintf("answered success:false: %.200q", r.text) }

// decodePage reads an envelope. On success data is an array; an error may come
// with data null or {} and even with status 200. Nothing at all, said with
// success:true, is an empty page.
func decodePage(body []byte) (page, error) {
	var envelope struct {
		Success  *bool           `json:"success"`
		Data     json.RawMessage `json:"data"`
		Error    json.RawMessage `json:"error"`
		Message  json.RawMessage `json:"message"`
		Currency string          `json:"currency"`
	}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return page{}, fmt.Errorf("read envelope: %w", err)
	}
	if envelope.Success != nil && !*envelope.Success {
		return page{}, refusal{words(envelope.Error) + words(envelope.Message)}
	}
	p := page{raw: bytes.TrimSpace(envelope.Data)}
	if envelope.Success != nil && (len(p.raw) == 0 || string(p.raw) == "null" || string(p.raw) == "{}") {
		return page{}, nil
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(p.raw, &rows); err != nil || string(p.raw) == "null" {
		return page{}, errors.New("read rows: data is not a list")
	}
	// The currency is asked for and echoed; old answers leave the echo out.
	currency := strings.ToUpper(envelope.Currency)
	if currency == "" {
		currency = "EUR"
	}
	p.rows = len(rows)
	for _, raw := range rows {
		o, err := decodeRow(raw, currency)
		if err != nil {
			p.malformed++
			continue
		}
		p.offers = append(p.offers, o)
	}
	// One bad row is a bad row. A page of nothing else is a form we do not know,
	// and taking it for "nothing there" would empty every route in silence.
	if p.malformed == p.rows && p.rows > 0 {
		return page{}, fmt.Errorf("read rows: none of %d is in a form we know", p.rows)
	}
	return p, nil
}

// words gives the text of a JSON value that may be a string, null or absent.
func words(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// decodeRow reads a row in either spelling: value, depart_date, return_date as
// in v2, or price, departure_at, return_at as in v3.
func decodeRow(raw json.RawMessage, currency string) (offer, error) {
	var row struct {
		Origin           string `json:"origin"`
		Destination      string `json:"destination"`
		DepartDate       string `json:"depart_date"`
		DepartureAt      string `json:"departure_at"`
		ReturnDate       string `json:"return_date"`
		ReturnAt         string `json:"return_at"`
		Value            number `json:"value"`
		Price            number `json:"price"`
		FoundAt          string `json:"found_at"`
		TripClass        number `json:"trip_class"`
		Actual           *bool  `json:"actual"`
		ShowToAffiliates *bool  `json:"show_to_affiliates"`
	}
	if err := json.Unmarshal(raw, &row); err != nil {
		return offer{}, fmt.Errorf("read row: %w", err)
	}
	departure := row.DepartDate
	if departure == "" {
		departure = row.DepartureAt
	}
	depart, err := localDay(departure)
	if err != nil {
		return offer{}, fmt.Errorf("read row: departure: %w", err)
	}
	found, err := moment(row.FoundAt)
	if err != nil {
		return offer{}, fmt.Errorf("read row: found_at: %w", err)
	}
	price := row.Value
	if !price.given {
		price = row.Price
	}
	if row.Origin == "" || row.Destination == "" || !price.given {
		return offer{}, errors.New("read row: no origin, destination or price")
	}
	return offer{
		Row: upstream.Row{
			Origin:      row.Origin,
			Destination: row.Destination,
			Depart:      depart,
			Found:       found,
			Price:       price.value,
			Currency:    currency,
			RoundTrip:   row.ReturnDate != "" || row.ReturnAt != "",
			OtherCabin:  row.TripClass.value != 0,
			NotActual:   row.Actual != nil && !*row.Actual,
		},
		notForAffiliates: row.ShowToAffiliates != nil && !*row.ShowToAffiliates,
	}, nil
}

// localDay takes the day out of a date, with or without a time behind it. The
// day is the one at the airport of departure, so the offset does not matter.
func localDay(s string) (fare.Day, error) {
	if len(s) > len(time.DateOnly) && (s[10] == 'T' || s[10] == ' ') {
		s = s[:10]
	}
	return fare.ParseDay(s)
}

// moment reads a time with an offset, with Z, or with neither, which means UTC.
func moment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no moment", s)
}

// number is a JSON number that may have been written as a string, or as null.
type number struct {
	value float64
	given bool
}

func (n *number) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if text == "null" {
		return nil
	}
	if text[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("%.40q is no number", text)
	}
	*n = number{v, true}
	return nil
}

// decodeCities reads the list of cities and keeps those one can fly from.
func decodeCities(body []byte) ([]fare.City, error) {
	var rows []json.RawMessage
	if err := json.Unmarshal(body, &rows); err != nil {
		return nil, fmt.Errorf("read cities: %w", err)
	}
	var cities []fare.City
	for _, raw := range rows {
		var city struct {
			Code       string `json:"code"`
			Flightable bool   `json:"has_flightable_airport"`
		}
		if json.Unmarshal(raw, &city) == nil && city.Flightable && isCode(city.Code) {
			cities = append(cities, fare.City(city.Code))
		}
	}
	if len(cities) == 0 {
		return nil, fmt.Errorf("read cities: none of %d has flights", len(rows))
	}
	slices.Sort(cities)
	return slices.Compact(cities), nil
}
