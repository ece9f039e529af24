package travelpayouts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

// In a shape, a question mark means that an answer may lack the field. Fields that the adapter does
// not read are included, so that they are not reported as new.
type shape map[string]string

var (
	latestShape = shape{
		"origin": "string", "destination": "string", "depart_date": "string", "return_date": "string?",
		"value": "number", "number_of_changes": "number", "found_at": "string", "actual": "boolean?",
		"show_to_affiliates": "boolean?", "trip_class": "number", "duration": "number null?", "gate": "string?",
		"distance": "number?", "departure_at": "string?", "return_at": "string?",
	}
	groupedShape = shape{
		"origin": "string", "destination": "string", "departure_at": "string", "return_at": "string?",
		"price": "number", "transfers": "number", "return_transfers": "number?", "link": "string",
		"origin_airport": "string", "destination_airport": "string", "airline": "string", "duration": "number",
		"duration_to": "number?", "duration_back": "number?", "flight_number": "string number?", "gate": "string?",
	}
	cityShape = shape{
		"code": "string", "has_flightable_airport": "boolean", "name": "string null?", "coordinates": "object null?",
		"time_zone": "string null?", "name_translations": "object null?", "cases": "object null?",
		"country_code": "string null?",
	}
)

var _ upstream.Checked = (*Client)(nil)

// example is a busy route, so that answers are expected to have fares.
var example = fare.Route{Origin: "MIL", Destination: "LON"}

func (c *Client) Drift(ctx context.Context) (differences []string, err error) {
	currency := c.currency(example.Origin)
	for _, call := range []struct {
		path  string
		query url.Values
		want  shape
	}{
		{latestPrices, latest(example.Origin, currency, 1), latestShape},
		{groupedPrices, departures(upstream.Question{Series: fare.Series{Route: example}}, currency), groupedShape},
		{cityList, nil, cityShape},
	} {
		found, fault := c.compare(ctx, call.path, call.query, call.want)
		for _, d := range found {
			differences = append(differences, call.path+": "+d)
		}
		if errors.Is(fault, upstream.ErrRefused) {
			return differences, fault
		}
		if fault != nil {
			err = errors.Join(err, fmt.Errorf("compare %s: %w", call.path, fault))
		}
	}
	return differences, err
}

func (c *Client) compare(ctx context.Context, path string, query url.Values, want shape) (
	differences []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if err := c.gates[path].pass(ctx); err != nil {
		return nil, err
	}
	err = c.once(ctx, path, query, func(body []byte) error {
		rows, fault := rowsOf(body)
		if fault == nil {
			differences = want.differences(rows)
		}
		return fault
	})
	if fault := (transient{}); errors.As(err, &fault) {
		err = fmt.Errorf("%w: %w", upstream.ErrUnavailable, fault.err)
	}
	return differences, err
}

func rowsOf(body []byte) ([]json.RawMessage, error) {
	data := json.RawMessage(bytes.TrimSpace(body))
	if !bytes.HasPrefix(data, []byte("[")) {
		var envelope struct {
			Success *bool           `json:"success"`
			Data    json.RawMessage `json:"data"`
			Error   json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(data, &envelope); err != nil {
			return nil, fmt.Errorf("read envelope: %w", err)
		}
		if envelope.Success != nil && !*envelope.Success {
			return nil, refusal{words(envelope.Error)}
		}
		data = envelope.Data
	}
	rows, err := split(data)
	if err == nil && len(rows) == 0 {
		err = errors.New("no rows to compare")
	}
	return rows, err
}

func (s shape) differences(rows []json.RawMessage) (all []string) {
	seen := map[string]map[string]bool{}
	for _, raw := range rows {
		var row map[string]json.RawMessage
		if json.Unmarshal(raw, &row) != nil {
			return []string{"a row is no object"}
		}
		for name, value := range row {
			if seen[name] == nil {
				seen[name] = map[string]bool{}
			}
			seen[name][typeOf(value)] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s)) {
		types, optional := strings.CutSuffix(s[name], "?")
		if seen[name] == nil && !optional {
			all = append(all, name+" is missing")
		}
		for _, is := range slices.Sorted(maps.Keys(seen[name])) {
			if !slices.Contains(strings.Fields(types), is) {
				all = append(all, fmt.Sprintf("%s is of type %s, was %s", name, is,
					strings.ReplaceAll(types, " ", " or ")))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(seen)) {
		if s[name] == "" {
			all = append(all, fmt.Sprintf("%.60q is new", name))
		}
	}
	return all
}

func typeOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	case '{':
		return "object"
	case '[':
		return "array"
	}
	return "number"
}
