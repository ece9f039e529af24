// Package ntfytest imitates ntfy servers. It does not use package ntfy, so that it does not repeat
// the mistakes of package ntfy.
package ntfytest

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"

	"verdetto/shared/carrier/outbound"
)

type Message struct {
	ID       string   `json:"id"`
	Sequence string   `json:"sequence_id,omitempty"`
	Time     int64    `json:"time"`
	Event    string   `json:"event"`
	Topic    string   `json:"topic"`
	Title    string   `json:"title,omitempty"`
	Text     string   `json:"message"`
	Tags     []string `json:"tags,omitempty"`
	Click    string   `json:"click,omitempty"`
	Actions  []Action `json:"actions,omitempty"`
}

type Action struct {
	Action string `json:"action"`
	Label  string `json:"label"`
	URL    string `json:"url"`
}

type Server struct {
	URL string

	web   *httptest.Server
	mu    sync.Mutex
	shown map[string][]Message
	calls int
}

func New() *Server {
	s := &Server{shown: map[string][]Message{}}
	s.web = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.web.URL
	return s
}

func (s *Server) Close() { s.web.Close() }

// Call Wrap before the first request.
func (s *Server) Wrap(around func(http.Handler) http.Handler) {
	s.web.Config.Handler = around(s.web.Config.Handler)
}

func (s *Server) Messages(topic string) []Message {
	u, err := url.Parse(topic)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.shown[u.Host+u.Path])
}

func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// Post sends requests to this server, whatever the host in the URL.
func (s *Server) Post(ctx context.Context, to string, header http.Header, body []byte) (outbound.Answer, error) {
	u, err := outbound.ParseURL(to)
	if err != nil {
		return outbound.Answer{}, err
	}
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+u.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return outbound.Answer{}, err
	}
	asked.Host, asked.Header = u.Host, header.Clone()
	response, err := s.web.Client().Transport.RoundTrip(asked)
	if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" {
		return outbound.Answer{}, outbound.ErrUnreachable
	}
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("%w: %w", outbound.ErrNoAnswer, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return outbound.Answer{}, fmt.Errorf("%w: %w", outbound.ErrNoAnswer, err)
	}
	return outbound.Answer{Status: response.StatusCode, Header: response.Header, Body: answer}, nil
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	m, code, says := s.publish(r)
	w.Header().Set("Content-Type", "application/json")
	if code != 0 {
		w.WriteHeader(code / 100)
		_, _ = io.WriteString(w, Refusal(code, says))
		return
	}
	_ = json.NewEncoder(w).Encode(m)
}

func Refusal(code int, says string) string {
	return fmt.Sprintf(`{"code":%d,"http":%d,"error":%q}`, code, code/100, says)
}

var (
	topics   = regexp.MustCompile(`^[-_A-Za-z0-9]{1,64}$`)
	reserved = []string{"docs", "static", "file", "app", "metrics", "account", "settings", "signup", "login",
		"reset-password"}
)

const (
	maxBody    = 2 * 4096
	maxText    = 4096
	maxActions = 3
)

func (s *Server) publish(r *http.Request) (m Message, code int, says string) {
	refuse := func(code int, says string) (Message, int, string) { return Message{}, code, says }
	if r.Method != http.MethodPost || r.URL.Path != "/" {
		return refuse(40401, "page not found")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	switch {
	case err != nil:
		return refuse(40000, "invalid request")
	case len(body) > maxBody:
		return refuse(41303, "JSON body too large")
	case json.Unmarshal(body, &m) != nil:
		return refuse(40024, "invalid request: request body must be valid JSON")
	case !topics.MatchString(m.Topic):
		return refuse(40009, "invalid request: topic invalid")
	case slices.Contains(reserved, m.Topic):
		return refuse(40010, "invalid request: topic name is not allowed")
	case m.Sequence != "" && !topics.MatchString(m.Sequence):
		return refuse(40049, "invalid request: sequence ID invalid")
	case len(m.Text) > maxText:
		return refuse(41301, "attachment too large, or bandwidth limit reached")
	case len(m.Actions) > maxActions:
		return refuse(40018, "invalid request: actions invalid")
	}
	for _, a := range m.Actions {
		if a.Label == "" || a.URL == "" || a.Action != "view" {
			return refuse(40018, "invalid request: actions invalid")
		}
	}
	m.ID, m.Event, m.Time = rand.Text()[:12], "message", time.Now().Unix()
	if m.Sequence == "" {
		m.Sequence = m.ID
	}
	at := r.Host + "/" + m.Topic
	s.shown[at] = append(slices.DeleteFunc(s.shown[at], func(earlier Message) bool { return earlier.Sequence == m.Sequence }),
		m)
	return m, 0, ""
}
