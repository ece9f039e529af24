// Package upstreamtest stands in for the Travelpayouts Data API in tests.
//
// A Server speaks the API's wire (token, envelope, pages, gzip, rate limit) over
// rows that a test gives it, and like the API it remembers seven days: it serves
// a row while the row's found_at lies within the seven days before the Server's
// clock. It can be told to misbehave, and it counts what it is asked.
package upstreamtest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

// Token is what a new Server accepts in X-Access-Token.
const Token = "test-token-0123456789"

// Window is how long the API remembers a fare.
const Window = 7 * 24 * time.Hour

// Server is the stand-in. The exported fields are set before the first request.
type Server struct {
	URL string

	// PerMinute is how many calls are let through in each minute of the clock;
	// 0 is no limit. Over it the answer is 429 with X-Rate-Limit-Reset.
	PerMinute int
	// Rates convert rows into the currency that is asked for. Without it only
	// rows that are in that currency already are served.
	Rates func(on fare.Day) fare.Rates
	// Cities are served as the list of cities with flights; by default the origins of the rows.
	Cities []string
	// Token overrides the accepted token.
	Token string
	// Choose, where set, picks a fault by what is asked; those given to Fail go before.
	Choose func(*http.Request) Fault

	now      func() time.Time
	listener *httptest.Server

	mu     sync.Mutex
	rows   []upstream.Row
	faults []Fault
	calls  []Call
}

// Call is one request that reached the Server.
type Call struct {
	At     time.Time // by the Server's clock
	Path   string
	Query  string
	Header http.Header
	Status int
}

// New starts a Server on loopback. Rows may be in any order. Close it.
func New(rows []upstream.Row, now func() time.Time) *Server {
	s := Detached(rows, now)
	s.listener = httptest.NewServer(s)
	s.URL = s.listener.URL
	return s
}

// Detached makes a Server that listens nowhere: an http.Handler, for tests that
// call it directly, as those must that run on virtual time.
func Detached(rows []upstream.Row, now func() time.Time) *Server {
	return &Server{Token: Token, rows: rows, now: now}
}

// Close stops the Server.
func (s *Server) Close() {
	if s.listener == nil {
		return
	}
	s.listener.CloseClientConnections()
	s.listener.Close()
}

// Add gives the Server more rows.
func (s *Server) Add(rows ...upstream.Row) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rows = append(s.rows[:len(s.rows):len(s.rows)], rows...)
}

// Fail makes the next requests go wrong, one fault each, in this order.
func (s *Server) Fail(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Calls lists the requests so far.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Busiest is the largest number of requests in any 60 seconds of the Server's clock.
func (s *Server) Busiest() int {
	calls := s.Calls()
	most, first := 0, 0
	for last := range calls {
		for calls[last].At.Sub(calls[first].At) >= time.Minute {
			first++
		}
		most = max(most, last-first+1)
	}
	return most
}

// admit counts a request and says what is to happen to it.
func (s *Server) admit(r *http.Request) (number int, fault Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	number = len(s.calls)
	inMinute := 0
	for _, c := range s.calls {
		if c.At.Truncate(time.Minute).Equal(now.Truncate(time.Minute)) {
			inMinute++
		}
	}
	s.calls = append(s.calls, Call{At: now, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone()})
	if len(s.faults) > 0 {
		fault, s.faults = s.faults[0], s.faults[1:]
		return number, fault
	}
	if s.Choose != nil {
		if fault := s.Choose(r); !fault.none() {
			return number, fault
		}
	}
	if s.PerMinute > 0 && inMinute >= s.PerMinute {
		left := now.Truncate(time.Minute).Add(time.Minute).Sub(now)
		return number, TooMany("X-Rate-Limit-Reset", seconds(left))
	}
	return number, Fault{}
}

// answered notes a request's status.
func (s *Server) answered(number, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[number].Status = status
}
