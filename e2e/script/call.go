package script

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"verdetto/e2e/fixture"
)

func call(method string) verb {
	return func(s *story, ts *testscript.TestScript, neg bool, args []string) {
		if want := map[string]int{"GET": 2, "POST": 3, "FORM": 3, "MCP": 2}[method]; neg || len(args) < want {
			ts.Fatalf("want %d arguments", want)
		}
		r := request{method: method, target: args[0], header: http.Header{"Accept": {"application/json"}}, from: "192.0.2.1"}
		status := args[1]
		switch args = args[2:]; method {
		case "POST", "FORM":
			r.method, r.body, status = "POST", status, args[0]
			args = args[1:]
			if method == "FORM" {
				r.header.Set("Content-Type", fixture.Form)
				r.header.Set("Accept", "text/html")
				break
			}
			r.header.Set("Content-Type", "application/json")
			if r.body != "" && !strings.HasPrefix(r.body, "{") {
				b, err := os.ReadFile(ts.MkAbs(r.body))
				ts.Check(err)
				r.body = string(b)
			}
		case "MCP":
			r.method, r.target, r.body = "POST", "/mcp", fmt.Sprintf(
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, r.target, status)
			r.header.Set("Content-Type", "application/json")
			r.header.Set("Accept", "application/json, text/event-stream")
			status = "200"
		}
		var expected []string
		for len(args) > 0 {
			n := map[string]int{"from": 2, "as": 2, "in": 2, "pays": 2, "with": 3}[args[0]]
			if n > len(args) {
				ts.Fatalf("%s needs a value", args[0])
			}
			switch args[0] {
			case "from":
				r.from = args[1]
			case "as":
				r.header.Set("X-Api-Key", args[1])
			case "pays":
				s.present(ts, &r, args[1])
			case "in":
				r.header.Set("Accept-Language", args[1])
			case "with":
				r.header.Set(args[1], args[2])
			default:
				expected, n = append(expected, args[0]), 1
			}
			args = args[n:]
		}
		for _, target := range alternatives(r.target) {
			r.target = target
			s.step(ts, func() bool {
				s.send(ts, r)
				// A GET may succeed although some data could not be read, so a GET is repeated
				// after a failure.
				return s.status >= 500 || method == "GET" || method == "MCP" && bytes.Contains(s.body, []byte(`"isError":true`))
			})
			refused := s.status == http.StatusConflict || s.status == http.StatusGone || s.status == http.StatusUnauthorized && r.method == "POST"
			if s.retried && refused && !match(status, fmt.Sprint(s.status)) {
				s.cut = true
				s.t.SkipNow()
			}
			if !match(status, fmt.Sprint(s.status)) {
				ts.Fatalf("%s %s: status %d, want %s: %s", r.method, target, s.status, status, s.shown())
			}
			if s.toolText = ""; method == "MCP" {
				s.body, s.toolText = toolAnswer(s.body)
			}
			s.writeBody(ts)
			for _, e := range expected {
				path, want, ok := strings.Cut(e, "=")
				if !ok {
					ts.Fatalf("%q is not PATH=VALUE", e)
				}
				if isText := path == "text" || path == "body"; isText && (s.toolText != "" || !json.Valid(s.body)) {
					words(path)(s, ts, false, []string{want})
					continue
				}
				s.expect(ts, false, target+": "+path, path, want)
			}
		}
	}
}

type request struct {
	method, target, body, from string
	header                     http.Header
}

func alternatives(target string) []string {
	head, rest, ok := strings.Cut(target, "{")
	list, tail, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{target}
	}
	var all []string
	for _, one := range strings.Split(list, ",") {
		all = append(all, alternatives(head+one+tail)...)
	}
	return all
}

var undo = regexp.MustCompile(`name="undo" value="([^"]+)"`)

func (s *story) send(ts *testscript.TestScript, q request) {
	path, query, _ := strings.Cut(strings.TrimPrefix(q.target, s.options.BaseURL), "?")
	r, err := http.NewRequest(q.method, "/", strings.NewReader(q.body))
	ts.Check(err)
	base, err := url.Parse(s.options.BaseURL)
	ts.Check(err)
	if path, err = url.PathUnescape(path); err != nil {
		ts.Fatalf("%s: %v", q.target, err)
	}
	query, _, _ = strings.Cut(query, "#")
	r.URL, r.Host, r.Header = &url.URL{Path: path, RawQuery: query}, base.Host, q.header.Clone()
	r.RequestURI, r.RemoteAddr = r.URL.RequestURI(), q.from+":1"
	if strings.Contains(q.from, ":") {
		r.RemoteAddr = "[" + q.from + "]:1"
	}
	if s.reader != nil {
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Accept-Language", "en;q=0.9, "+s.reader.Language)
	}
	w := httptest.NewRecorder()
	handler := s.handler
	if slash := strings.HasSuffix(path, "/") && path != "/"; slash || strings.Contains(query, "campi=") || strings.Contains(query, "fields=") {
		handler = s.service.API // these answers are not compared with the OpenAPI description
	}
	if strings.HasPrefix(path, "/x402/") && s.options.Money == "" {
		handler = fixture.Described(s.t, s.seller().Handler)
	}
	end := s.at.work(functionOf(strings.TrimSuffix(path, "/")))
	handler.ServeHTTP(w, r)
	end()
	s.status, s.header, s.body = w.Code, w.Header(), w.Body.Bytes()
	if s.reader != nil && strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		s.reader.Page(s.t, w.Body.String())
	}
	if m := undo.FindSubmatch(s.body); m != nil {
		ts.Setenv("UNDO", string(m[1]))
	}
	if route, ok := routeOf(q.method, path); ok && s.faults.calm() { // a call that could not be counted has no headers about a limit
		// A token in Authorization may also belong to a free caller.
		keyed := q.header.Get("X-Api-Key") != "" || q.header.Get("Authorization") != "" && s.header.Get("X-Plan") == "pro"
		for _, fault := range headerFaults(route, s.status, s.header, keyed) {
			s.t.Errorf("%s %s: %d: %s", q.method, q.target, s.status, fault)
		}
	}
}

func (s *story) writeBody(ts *testscript.TestScript) {
	if json.Valid(s.body) {
		s.write(ts, "body", []byte(layout(s.body, "")))
		return
	}
	s.write(ts, "body", s.body)
	s.write(ts, "text", []byte(readable(s.body)))
}

func (s *story) shown() string {
	if strings.HasPrefix(s.header.Get("Content-Type"), "text/html") {
		return fmt.Sprintf("%.2000s", readable(s.body))
	}
	return fmt.Sprintf("%.2000s", s.body)
}

// Without structured content, content is the text. For a message other than a tool's answer,
// content is the message and text is empty.
func toolAnswer(body []byte) (content []byte, text string) {
	for line := range bytes.Lines(body) { // in a stream, the first event with a JSON object is the answer
		body = bytes.TrimPrefix(line, []byte("data: "))
		if len(bytes.TrimSpace(body)) > 1 && body[0] == '{' {
			break
		}
	}
	var answer struct {
		Result struct {
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
		}
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Result.Content) == 0 {
		return body, ""
	}
	text = answer.Result.Content[0].Text
	if answer.Result.StructuredContent != nil {
		return answer.Result.StructuredContent, text
	}
	return []byte(text), text
}

var (
	unread = regexp.MustCompile(`(?s)<(script|style|head|svg)\b.*?</(script|style|head|svg)>`)
	blocks = regexp.MustCompile(`</?(p|h\d|li|ul|ol|tr|table|div|section|main|form|dl|dt|dd|header|footer|nav|label|button|br)\b[^>]*>`)
	tags   = regexp.MustCompile(`<[^>]*>`)
)

func readable(page []byte) string {
	whole := string(page)
	if _, main, ok := strings.Cut(whole, `<main id="main">`); ok {
		whole, _, _ = strings.Cut(main, "</main>")
	}
	whole = strings.Join(strings.Fields(unread.ReplaceAllString(whole, "")), " ")
	whole = html.UnescapeString(tags.ReplaceAllString(blocks.ReplaceAllString(whole, "\n"), ""))
	var lines []string
	for line := range strings.Lines(whole) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func repeat(s *story, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || verbs[args[1]] == nil {
		ts.Fatalf("want a number and a verb")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for range n {
		verbs[args[1]](s, ts, neg, args[2:])
	}
}

func jsonValue(s *story, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("want a path")
	}
	if len(args) > 1 {
		s.expect(ts, neg, args[0], args[0], text(args[1:]))
		return
	}
	value, ok := s.value(args[0])
	if ok == neg {
		ts.Fatalf("%s is there: %t: %s; %s", args[0], ok, value, s.shown())
	}
	ts.Setenv(environment(args[0]), value)
}

func (s *story) expect(ts *testscript.TestScript, neg bool, what, path, want string) {
	value, ok := s.value(path)
	if want == "" && !neg {
		if ok && value != "" {
			ts.Fatalf("%s is %s, want none", what, value)
		}
		return
	}
	if !ok {
		ts.Fatalf("%s is missing: %s", what, s.shown())
	}
	require(ts, neg, what, want, value)
}

func (s *story) value(path string) (string, bool) {
	var v any
	d := json.NewDecoder(bytes.NewReader(s.body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return "", false
	}
	return at(v, strings.Split(path, "."))
}

func at(v any, path []string) (string, bool) {
	if len(path) == 0 {
		if text, ok := v.(string); ok {
			return text, true
		}
		b, err := json.Marshal(v)
		return string(b), err == nil
	}
	switch v := v.(type) {
	case map[string]any:
		inner, ok := v[path[0]]
		if !ok {
			return "", false
		}
		return at(inner, path[1:])
	case []any:
		switch path[0] {
		case "count":
			return strconv.Itoa(len(v)), true
		case "*":
			var all []string
			for _, inner := range v {
				if text, ok := at(inner, path[1:]); ok {
					all = append(all, text)
				}
			}
			return strings.Join(all, " "), true
		}
		if n, err := strconv.Atoi(path[0]); err == nil && n < len(v) {
			return at(v[n], path[1:])
		}
	}
	return "", false
}

func header(s *story, ts *testscript.TestScript, neg bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("want a name")
	}
	value := strings.Join(s.header.Values(args[0]), ", ")
	if text, err := base64.StdEncoding.DecodeString(value); err == nil && strings.HasPrefix(args[0], "PAYMENT-") {
		value = string(text)
	}
	if len(args) > 1 {
		require(ts, neg, args[0], text(args[1:]), value)
		return
	}
	if (value == "") != neg {
		ts.Fatalf("%s is %q", args[0], value)
	}
	ts.Setenv(environment(args[0]), value)
}

func words(where string) verb {
	return func(s *story, ts *testscript.TestScript, neg bool, args []string) {
		got := string(s.body)
		switch where {
		case "text":
			if got = s.toolText; got == "" {
				got = readable(s.body)
			}
			got = strings.Join(strings.Fields(got), " ")
		case "mail":
			got = "Subject: " + s.mail.Subject + "\n" + strings.Join(strings.Fields(s.mail.Text), " ")
		}
		want := text(args)
		if found := strings.Contains(got, want) || want[0] == '/' && match(want, got); found == neg {
			ts.Fatalf("%q is there: %t: %.4000s", want, found, got)
		}
	}
}

func layout(raw json.RawMessage, indent string) string {
	var line bytes.Buffer
	if json.Compact(&line, raw) != nil || line.Len()+len(indent) <= 110 {
		return line.String()
	}
	var parts []string
	d := json.NewDecoder(&line)
	opening, err := d.Token()
	for err == nil && d.More() {
		name := ""
		if opening == json.Delim('{') {
			var key json.Token
			key, err = d.Token()
			name = fmt.Sprintf("%q: ", key)
		}
		var value json.RawMessage
		if err == nil {
			err = d.Decode(&value)
		}
		parts = append(parts, "\n"+indent+"  "+name+layout(value, indent+"  "))
	}
	if err != nil || len(parts) == 0 {
		return string(raw)
	}
	closing := map[json.Token]string{json.Delim('{'): "}", json.Delim('['): "]"}[opening]
	return fmt.Sprint(opening) + strings.Join(parts, ",") + "\n" + indent + closing
}
