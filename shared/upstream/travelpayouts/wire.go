package travelpayouts

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

type page struct {
	raw    json.RawMessage
	rows   int // number of rows, readable or not
	unread map[upstream.Reason]int
	offers []offer
}

type offer struct {
	upstream.Row
	notForAffiliates bool
}

type refusal struct{ text string }

func (r refusal) Error() string { return fmt.Sprintf("answered success:false: %.200q", r.text) }

// The API may answer an error with status 200, and with data null or {}.
func decodePage(body []byte, asked string) (page, error) {
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
	p := page{raw: bytes.TrimSpace(envelope.Data), unread: map[upstream.Reason]int{}}
	if envelope.Success != nil && (len(p.raw) == 0 || string(p.raw) == "null" || string(p.raw) == "{}") {
		return page{}, nil
	}
	rows, err := split(p.raw)
	if err != nil {
		return page{}, err
	}
	// Current forms of the answer repeat the currency that was asked for; old forms state none.
	currency := cmp.Or(strings.ToUpper(envelope.Currency), asked)
	p.rows = len(rows)
	for _, raw := range rows {
		o, err := decodeRow(raw, currency)
		switch {
		case err == nil:
			p.offers = append(p.offers, o)
		case errors.Is(err, errUndated):
			p.unread[Undated]++
		default:
			p.unread[upstream.Malformed]++
		}
	}
	// Single rows may be malformed. If all are, the API has probably changed, and an empty result
	// would wrongly mean that there are no fares.
	if len(p.offers) == 0 && p.rows > 0 {
		return page{}, fmt.Errorf("read rows: none of %d is in a form we know", p.rows)
	}
	return p, nil
}

func split(data json.RawMessage) ([]json.RawMessage, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err == nil && list != nil {
		return list, nil
	}
	var byKey map[string]json.RawMessage
	if err := json.Unmarshal(data, &byKey); err != nil || byKey == nil {
		return nil, errors.New("read rows: data is neither a list nor an object")
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		list = append(list, byKey[key])
	}
	return list, nil
}

func words(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

var errUndated = errors.New("read row: neither found_at nor a day of search")

// Rows of get_latest_prices have value, depart_date and found_at. Rows of grouped_prices have
// price, departure_at and a link instead.
type wireRow struct {
	Origin           string `json:"origin"`
	Destination      string `json:"destination"`
	DepartDate       string `json:"depart_date"`
	DepartureAt      string `json:"departure_at"`
	ReturnDate       string `json:"return_date"`
	ReturnAt         string `json:"return_at"`
	Value            number `json:"value"`
	Price            number `json:"price"`
	NumberOfChanges  number `json:"number_of_changes"`
	Transfers        number `json:"transfers"`
	ReturnTransfers  number `json:"return_transfers"`
	OriginAirport    string `json:"origin_airport"`
	DestAirport      string `json:"destination_airport"`
	Airline          string `json:"airline"`
	MainAirline      string `json:"main_airline"`
	Duration         number `json:"duration"`
	DurationTo       number `json:"duration_to"`
	FoundAt          string `json:"found_at"`
	Link             string `json:"link"` // never leaves the package
	TripClass        number `json:"trip_class"`
	Actual           *bool  `json:"actual"`
	ShowToAffiliates *bool  `json:"show_to_affiliates"`
}

func decodeRow(raw json.RawMessage, currency string) (offer, error) {
	var row wireRow
	if err := json.Unmarshal(raw, &row); err != nil {
		return offer{}, fmt.Errorf("read row: %w", err)
	}
	depart, err := localDay(cmp.Or(row.DepartDate, row.DepartureAt))
	if err != nil {
		return offer{}, fmt.Errorf("read row: departure: %w", err)
	}
	price := row.Value
	if !price.given {
		price = row.Price
	}
	if row.Origin == "" || row.Destination == "" || !price.given {
		return offer{}, errors.New("read row: no origin, destination or price")
	}
	o := offer{
		Row: upstream.Row{
			Origin:      row.Origin,
			Destination: row.Destination,
			Depart:      depart,
			Price:       price.value,
			Currency:    currency,
			Stops:       row.stops(),

			OriginAirport: row.OriginAirport, DestinationAirport: row.DestAirport,
			Airline: cmp.Or(row.Airline, row.MainAirline), Minutes: row.minutes(),
			OtherCabin: row.TripClass.value != 0,
			NotActual:  row.Actual != nil && !*row.Actual,
		},
		notForAffiliates: row.ShowToAffiliates != nil && !*row.ShowToAffiliates,
	}
	if back := row.back(); back != "" {
		if o.Return, err = localDay(back); err != nil || o.Return == 0 {
			o.Return, o.RoundTrip = 0, true
		}
	}
	o.Found, o.DayOnly, err = row.found()
	return o, err
}

func (r wireRow) back() string { return cmp.Or(r.ReturnDate, r.ReturnAt) }

func (r wireRow) stops() fare.Stops {
	switch {
	case r.NumberOfChanges.given:
		return stops(r.NumberOfChanges)
	case r.back() == "":
		return stops(r.Transfers)
	}
	return stops(r.Transfers, r.ReturnTransfers)
}

// For a return trip, the API states in duration the sum of both directions.
func (r wireRow) minutes() int {
	n := r.DurationTo
	if !n.given && r.back() == "" {
		n = r.Duration
	}
	if !n.given || n.value != math.Trunc(n.value) || n.value < 0 || n.value > fare.MaxMinutes {
		return 0
	}
	return int(n.value)
}

func (r wireRow) found() (at time.Time, dayOnly bool, err error) {
	if r.FoundAt != "" {
		if at, err = moment(r.FoundAt); err != nil {
			err = fmt.Errorf("read row: found_at: %w", err)
		}
		return at, false, err
	}
	day, ok := searchDay(r.Link)
	if !ok {
		return at, false, errUndated
	}
	return day.Time(), true, nil
}

func stops(ways ...number) fare.Stops {
	most := fare.StopsUnknown
	for _, n := range ways {
		if !n.given || n.value < 0 || n.value != math.Trunc(n.value) {
			return fare.StopsUnknown
		}
		most = max(most, fare.StopsOf(int(min(n.value, 2)))) // a float may exceed an int
	}
	return most
}

// searchDay parses search_date=DDMMYYYY in a link. The day is in UTC.
func searchDay(link string) (fare.Day, bool) {
	_, query, _ := strings.Cut(link, "?")
	values, _ := url.ParseQuery(query) // after an error, values has the pairs that could be parsed
	t, err := time.Parse("02012006", values.Get("search_date"))
	return fare.DayOf(t), err == nil
}

// A day is local to its airport, so the offset does not matter.
func localDay(s string) (fare.Day, error) {
	if len(s) > len(time.DateOnly) && (s[10] == 'T' || s[10] == ' ') {
		s = s[:10]
	}
	return fare.ParseDay(s)
}

// A time without an offset is in UTC.
func moment(s string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("%.40q is no moment", s)
}

// The API may write a number as a string or as null.
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
