// Package telegramtest imitates Telegram: the Bot API of one bot, its chats, and the updates that
// Telegram posts to the bot's webhook. It does not use package telegram, so that it does not repeat
// the mistakes of package telegram.
package telegramtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

const (
	Token  = "123456:stand-in-AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw"
	Name   = "verdetto_test_bot"
	Secret = "stand-in-secret-of-the-webhook"
)

type Message struct {
	Text    string
	Bold    string
	Buttons map[string]string
}

type Server struct {
	URL     string
	Webhook http.Handler
	Path    string

	web     *httptest.Server
	mu      sync.Mutex
	chats   map[int64]*chat
	updates int
	calls   int
}

type chat struct {
	blocked bool
	shown   []Message
}

func New() *Server {
	s := &Server{chats: map[int64]*chat{}}
	s.web = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.web.URL
	return s
}

func (s *Server) Close() { s.web.Close() }

// Call Wrap before the first request.
func (s *Server) Wrap(around func(http.Handler) http.Handler) {
	s.web.Config.Handler = around(s.web.Config.Handler)
}

func (s *Server) Calls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *Server) Messages(person int64) []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.chats[person]; c != nil {
		return slices.Clone(c.shown)
	}
	return nil
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	token, method, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/bot"), "/")
	var status int
	var says string
	fields, err := fieldsOf(r)
	switch {
	case token != Token:
		status, says = 401, "Unauthorized"
	case method != "sendMessage":
		status, says = 404, "Not Found"
	case err != nil:
		status, says = 400, "Bad Request: "+err.Error()
	default:
		status, says = s.send(fields)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if status != http.StatusOK {
		_, _ = io.WriteString(w, Refusal(status, says))
		return
	}
	_, _ = io.WriteString(w, `{"ok":true,"result":{"message_id":1,"date":1,"chat":{"id":1,"type":"private"}}}`)
}

func Refusal(status int, says string) string {
	return fmt.Sprintf(`{"ok":false,"error_code":%d,"description":%q}`, status, says)
}

func fieldsOf(r *http.Request) (map[string]string, error) {
	fields := map[string]string{}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			return nil, err
		}
		for name, values := range r.MultipartForm.Value {
			fields[name] = values[0]
		}
		return fields, nil
	}
	return fields, fromJSON(r.Body, fields)
}

func fromJSON(body io.Reader, fields map[string]string) error {
	var raw map[string]json.RawMessage
	if err := json.NewDecoder(body).Decode(&raw); err != nil {
		return err
	}
	for name, value := range raw {
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		fields[name] = text
	}
	return nil
}

// The caller must hold s.mu.
func (s *Server) send(fields map[string]string) (status int, says string) {
	refuse := func(status int, says string) (int, string) { return status, says }
	id, _ := strconv.ParseInt(fields["chat_id"], 10, 64)
	c := s.chats[id]
	switch {
	case c == nil:
		return refuse(400, "Bad Request: chat not found")
	case c.blocked:
		return refuse(403, "Forbidden: bot was blocked by the user")
	}
	text := utf16.Encode([]rune(fields["text"]))
	if len(text) == 0 {
		return refuse(400, "Bad Request: message text is empty")
	}
	if len(text) > 4096 {
		return refuse(400, "Bad Request: message is too long")
	}
	m := Message{Text: fields["text"], Buttons: map[string]string{}}
	var entities []struct {
		Type           string
		Offset, Length int
	}
	var keyboard struct {
		Rows [][]struct{ Text, URL string } `json:"inline_keyboard"`
	}
	var preview struct {
		Off bool `json:"is_disabled"`
	}
	for name, into := range map[string]any{"entities": &entities, "reply_markup": &keyboard,
		"link_preview_options": &preview} {
		if value := fields[name]; value != "" && json.Unmarshal([]byte(value), into) != nil {
			return refuse(400, "Bad Request: can't parse "+name+" JSON object")
		}
	}
	if !preview.Off && strings.Contains(m.Text, "://") {
		m.Text += " (previewed)" // Telegram fetches the link for a preview
	}
	for _, e := range entities {
		if e.Offset < 0 || e.Length <= 0 || e.Offset+e.Length > len(text) {
			return refuse(400, "Bad Request: ENTITY_BOUNDS_INVALID")
		}
		if e.Type == "bold" {
			m.Bold = string(utf16.Decode(text[e.Offset : e.Offset+e.Length]))
		}
	}
	for _, row := range keyboard.Rows {
		for _, b := range row {
			if u, err := url.Parse(b.URL); err != nil || u.Scheme != "https" || u.Host == "" || b.Text == "" {
				return refuse(400, "Bad Request: inline keyboard button URL '"+b.URL+"' is invalid")
			}
			m.Buttons[b.Text] = b.URL
		}
	}
	c.shown = append(c.shown, m)
	return http.StatusOK, ""
}

func (s *Server) Start(person int64, link, language string) error {
	u, err := url.Parse(link)
	if err != nil || u.Host != "t.me" || u.Path != "/"+Name {
		return fmt.Errorf("%q is no link to the bot", link)
	}
	return s.Write(person, strings.TrimSpace("/start "+u.Query().Get("start")), language)
}

// If person is negative, the chat is a group.
func (s *Server) Write(person int64, text, language string) error {
	s.mu.Lock()
	if s.chats[person] == nil {
		s.chats[person] = &chat{}
	}
	s.chats[person].blocked = false
	s.mu.Unlock()
	kind := "private"
	if person < 0 {
		kind = "group"
	}
	return s.Deliver(s.Update(person, kind, text, language))
}

func (s *Server) Block(person int64) error {
	s.mu.Lock()
	if s.chats[person] == nil {
		s.chats[person] = &chat{}
	}
	s.chats[person].blocked = true
	s.mu.Unlock()
	user := fmt.Sprintf(`{"id":%d,"is_bot":false,"first_name":"Ada"}`, person)
	robot := `{"id":123456,"is_bot":true,"first_name":"Verdetto"}`
	return s.Deliver(fmt.Appendf(nil,
		`{"update_id":%d,"my_chat_member":{"chat":{"id":%d,"type":"private"},"from":%s,"date":1,"old_chat_member":{"status":"member","user":%s},"new_chat_member":{"status":"kicked","user":%s,"until_date":0}}}`,
		s.next(), person, user, robot, robot))
}

func (s *Server) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updates++
	return s.updates
}

func (s *Server) Update(chat int64, kind, text, language string) []byte {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return fmt.Appendf(nil,
		`{"update_id":%d,"message":{"message_id":7,"date":1,"text":%s,"chat":{"id":%d,"type":%q,"first_name":"Ada"},"from":{"id":%d,"is_bot":false,"first_name":"Ada","language_code":%q}}}`,
		s.next(), quoted, chat, kind, chat, language)
}

const deliveries = 5

func (s *Server) Deliver(update []byte) error {
	var status int
	for range deliveries {
		r := httptest.NewRequest(http.MethodPost, s.Path, bytes.NewReader(update))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", Secret)
		r.RemoteAddr = "149.154.167.220:443"
		w := httptest.NewRecorder()
		s.Webhook.ServeHTTP(w, r)
		if status = w.Code; status != http.StatusOK {
			continue
		}
		if w.Body.Len() == 0 {
			return nil
		}
		fields := map[string]string{}
		if err := fromJSON(w.Body, fields); err != nil {
			return fmt.Errorf("the answer is not of JSON: %w", err)
		}
		if fields["method"] == "" {
			return nil
		}
		if fields["method"] != "sendMessage" {
			return fmt.Errorf("the answer asks for %q", fields["method"])
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if status, says := s.send(fields); status != http.StatusOK && status != http.StatusForbidden {
			// Telegram does not report a wrong answer, but a test must notice the mistake.
			return fmt.Errorf("the answer is refused: %s", says)
		}
		return nil
	}
	return fmt.Errorf("the update is answered with %d, %d times over", status, deliveries)
}
