package upstreamtest

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const (
	latestPath  = "/aviasales/v3/get_latest_prices"
	groupedPath = "/aviasales/v3/grouped_prices"
	citiesPath  = "/data/en/cities.json"
)

type row struct {
	Value            float64 `json:"value"`
	TripClass        int     `json:"trip_class"`
	ShowToAffiliates bool    `json:"show_to_affiliates"`
	Origin           string  `json:"origin"`
	Destination      string  `json:"destination"`
	Gate             string  `json:"gate"`
	DepartDate       string  `json:"depart_date"`
	ReturnDate       string  `json:"return_date"`
	NumberOfChanges  *int    `json:"number_of_changes,omitempty"` // nil if the stops are unknown
	FoundAt          string  `json:"found_at"`
	Duration         *int    `json:"duration"`
	Distance         int     `json:"distance"`
	Actual           bool    `json:"actual"`
}

type envelope struct {
	Success  bool   `json:"success"`
	Data     any    `json:"data"`
	Error    string `json:"error"`
	Currency string `json:"currency,omitempty"`
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	number, fault := s.admit(r, w.Header())
	if status, done := fault.misbehave(w, r); done {
		s.recordStatus(number, status)
		return
	}
	status, body := s.answer(r)
	s.recordStatus(number, status)
	w.Header().Set("Content-Type", "application/json")
	var out interface{ Write([]byte) (int, error) } = w
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		zipped := gzip.NewWriter(w)
		defer zipped.Close()
		out = zipped
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(out).Encode(body)
}

func (s *Server) answer(r *http.Request) (int, any) {
	query := r.URL.Query()
	switch {
	case r.Method != http.MethodGet:
		return http.StatusMethodNotAllowed, envelope{Error: "method"}
	case r.URL.Path == citiesPath:
		return http.StatusOK, s.cities()
	case r.URL.Path != latestPath && r.URL.Path != groupedPath:
		return http.StatusNotFound, envelope{Error: "not found"}
	case r.Header.Get("X-Access-Token") != s.Token:
		return http.StatusUnauthorized, map[string]any{"success": false, "data": nil, "message": "Unauthorized"}
	case query.Get("origin") == "" && query.Get("destination") == "":
		return http.StatusBadRequest, envelope{Error: "origin or destination is needed", Data: struct{}{}}
	}
	currency := query.Get("currency")
	if r.URL.Path == groupedPath {
		return http.StatusOK, envelope{Success: true, Data: s.grouped(query, currency), Currency: currency}
	}
	return http.StatusOK, envelope{Success: true, Data: s.latest(query, currency), Currency: currency}
}

func (s *Server) latest(query url.Values, currency string) []row {
	rows := []row{}
	if query.Get("period_type") != "year" || query.Get("beginning_of_period") != "" {
		return rows
	}
	for _, r := range s.remembered(query.Get("origin"), query.Get("destination")) {
		if r.Return != 0 {
			continue
		}
		if value, ok := s.convert(r, strings.ToUpper(currency)); ok {
			rows = append(rows, spell(r, value))
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.Value, b.Value) })
	limit := between(query.Get("limit"), 30, 1000)
	from := min((between(query.Get("page"), 1, math.MaxInt32)-1)*limit, len(rows))
	return rows[from:min(from+limit, len(rows))]
}

func (s *Server) convert(r upstream.Row, currency string) (float64, bool) {
	if r.Currency == currency {
		return r.Price, true
	}
	if s.Rates == nil {
		return 0, false
	}
	rates := s.Rates(fare.DayOf(r.Found))
	euro, ok := rates.Euro(r.Price, r.Currency)
	if !ok {
		return 0, false
	}
	cents, ok := rates.FromEuro(euro, currency)
	return float64(cents) / 100, ok
}

func spell(r upstream.Row, value float64) row {
	out := row{
		Value:            value,
		ShowToAffiliates: true,
		Origin:           r.Origin,
		Destination:      r.Destination,
		Gate:             "test",
		DepartDate:       r.Depart.String(),
		FoundAt:          r.Found.UTC().Format("2006-01-02T15:04:05"),
		Distance:         -1,
		Actual:           true,
	}
	if n, known := r.Stops.Number(); known {
		out.NumberOfChanges = &n
	}
	return out
}

// cities adds entries that clients must skip: a city without an airport, and a Cyrillic code.
func (s *Server) cities() []map[string]any {
	s.mu.Lock()
	codes := slices.Sorted(maps.Keys(s.rows))
	s.mu.Unlock()
	list := []map[string]any{
		{"code": "QQA", "name": "Nowhere to land", "country_code": "XX", "has_flightable_airport": false},
		{"code": "ЖУК", "name": nil, "country_code": "XX", "has_flightable_airport": true},
	}
	for _, code := range codes {
		list = append(list, map[string]any{
			"code": code, "name": nil, "country_code": "XX", "has_flightable_airport": true,
			"name_translations": map[string]string{"en": code},
		})
	}
	return list
}

func between(s string, otherwise, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return otherwise
	}
	return min(n, most)
}
