// Package upstreamtest imitates the Travelpayouts Data API for tests.
//
// A Server answers from rows that the test gives. Like the API, a Server remembers fares for seven
// days.
package upstreamtest

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

const Token = "test-token-0123456789"

const Window = 7 * 24 * time.Hour

// Set the exported fields of a Server before the first request.
type Server struct {
	URL string

	// PerMinute is the rate limit of get_latest_prices. The limits of the other endpoints are in
	// proportion. 0 means no limit.
	PerMinute int
	// If Rates is nil, only rows in the requested currency are returned.
	Rates func(on fare.Day) fare.Rates
	Token string
	// Choose, if set, returns the fault for a request. Faults of Fail take precedence.
	Choose func(*http.Request) Fault

	now      func() time.Time
	listener *httptest.Server

	mu      sync.Mutex
	rows    map[string]map[string][]upstream.Row
	faults  []Fault
	calls   []Call
	windows map[string]window
}

type window struct {
	begins time.Time
	calls  int
}

type Call struct {
	At     time.Time
	Path   string
	Query  string
	Header http.Header
	Status int
}

// New starts a Server, which the caller must close.
func New(rows []upstream.Row, now func() time.Time) *Server {
	s := Detached(rows, now)
	s.listener = httptest.NewServer(s)
	s.URL = s.listener.URL
	return s
}

func Detached(rows []upstream.Row, now func() time.Time) *Server {
	s := &Server{Token: Token, now: now, rows: map[string]map[string][]upstream.Row{}, windows: map[string]window{}}
	s.Add(rows...)
	return s
}

func (s *Server) Close() {
	if s.listener == nil {
		return
	}
	s.listener.CloseClientConnections()
	s.listener.Close()
}

func (s *Server) Add(rows ...upstream.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range rows {
		if s.rows[r.Origin] == nil {
			s.rows[r.Origin] = map[string][]upstream.Row{}
		}
		s.rows[r.Origin][r.Destination] = append(s.rows[r.Origin][r.Destination], r)
	}
}

func (s *Server) remembered(origin, destination string) (rows []upstream.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, from := range sides(s.rows, origin) {
		for _, to := range sides(s.rows[from], destination) {
			for _, r := range s.rows[from][to] {
				if !r.Found.After(now) && r.Found.After(now.Add(-Window)) {
					rows = append(rows, r)
				}
			}
		}
	}
	return rows
}

func sides[V any](known map[string]V, asked string) []string {
	if asked != "" {
		return []string{asked}
	}
	return slices.Sorted(maps.Keys(known))
}

// Fail gives each of the next requests one of the faults, in this order.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

func (s *Server) Busiest() int {
	most := 0
	for _, calls := range s.BusiestByPath() {
		most = max(most, calls)
	}
	return most
}

// BusiestByPath returns the largest number of requests to each endpoint in any 60 seconds.
func (s *Server) BusiestByPath() map[string]int {
	times := map[string][]time.Time{}
	for _, call := range s.Calls() {
		times[call.Path] = append(times[call.Path], call.At)
	}
	most := map[string]int{}
	for path, at := range times {
		first := 0
		for last := range at {
			for at[last].Sub(at[first]) >= time.Minute {
				first++
			}
			most[path] = max(most[path], last-first+1)
		}
	}
	return most
}

var limits = map[string]int{latestPath: 300, groupedPath: 600, citiesPath: 600}

func (s *Server) count(path string, now time.Time) (remaining int, ends time.Time) {
	w := s.windows[path]
	if begins := now.Truncate(time.Minute); !begins.Equal(w.begins) {
		w = window{begins: begins}
	}
	w.calls++
	s.windows[path] = w
	return max(1, limits[path]*s.PerMinute/limits[latestPath]) - w.calls, w.begins.Add(time.Minute)
}

func (s *Server) admit(r *http.Request, header http.Header) (number int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	number = len(s.calls)
	s.calls = append(s.calls, Call{At: now, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone()})
	remaining, ends := s.count(r.URL.Path, now)
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
		return number, fault
	}
	if s.Choose != nil {
		if fault := s.Choose(r); !fault.none() {
			return number, fault
		}
	}
	if s.PerMinute <= 0 {
		return number, Fault{}
	}
	if remaining < 0 {
		return number, TooMany("X-Rate-Limit-Reset", seconds(ends.Sub(now)))
	}
	header.Set("X-Rate-Limit-Remaining", strconv.Itoa(remaining))
	header.Set("X-Rate-Limit-Reset", seconds(ends.Sub(now)))
	return number, Fault{}
}

func (s *Server) recordStatus(number, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[number].Status = status
}
