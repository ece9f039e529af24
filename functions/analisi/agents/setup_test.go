package agents_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"verdetto/functions/analisi/reference"
)

type connection struct{ url, header, value string }

func TestSetUp(t *testing.T) {
	server := httptest.NewUnstartedServer(nil)
	d := openAt(t, "http://"+server.Listener.Addr().String(), knownRoutes(), "")
	server.Config.Handler = d
	server.Start()
	defer server.Close()
	key := d.customers.key(t, "ada@example.com", now.Add(time.Hour))
	var a reference.Agents
	decode(t, d.send(t, http.MethodGet, "/v1/agenti", "").Body, &a)

	for _, c := range a.Clients {
		t.Run(c.Name, func(t *testing.T) {
			for _, text := range []string{c.SetUp, c.WithKey} {
				if text == "" {
					continue
				}
				got := connectionOf(t, c, strings.ReplaceAll(text, "vd_...", key))
				want := connection{url: server.URL + "/mcp"}
				switch {
				case text == c.WithKey && got.header == "Authorization":
					want.header, want.value = "Authorization", "Bearer VERDETTO_KEY"
				case text == c.WithKey:
					want.header, want.value = "X-Api-Key", key
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(connection{})); diff != "" {
					t.Fatal(diff)
				}
				got.value = strings.Replace(got.value, "VERDETTO_KEY", key, 1)
				sent := &sending{header: got.header, value: got.value}
				session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
					&mcp.StreamableClientTransport{Endpoint: got.url, HTTPClient: &http.Client{Transport: sent}}, nil)
				if err != nil {
					t.Fatal(err)
				}
				listed, err := session.ListTools(t.Context(), nil)
				if err != nil || len(listed.Tools) != 8 {
					t.Errorf("%v %v", listed, err)
				}
				if plan := sent.plan; (plan == "pro") != (text == c.WithKey) {
					t.Errorf("the plan that was answered to is %q", plan)
				}
				_ = session.Close()
			}
		})
	}
}

type sending struct{ header, value, plan string }

func (s *sending) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if s.header != "" {
		r.Header.Set(s.header, s.value)
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		s.plan = w.Header.Get("X-Plan")
	}
	return w, err
}

func connectionOf(t *testing.T, c reference.AgentSetUp, text string) (to connection) {
	t.Helper()
	header := func(line string) {
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			t.Fatalf("%q is no header", line)
		}
		to.header, to.value = name, strings.TrimSpace(value)
	}
	words := func(words []string) (alone []string) {
		for i := 0; i < len(words); i++ {
			switch words[i] {
			case "--header":
				i++
				header(words[i])
			case "--transport":
				if i++; words[i] != "http" {
					t.Errorf("the transport is %s", words[i])
				}
			case "--url":
				i++
				alone = append(alone, words[i])
			case "--bearer-token-env-var":
				i++
				to.header, to.value = "Authorization", "Bearer "+words[i]
			default:
				alone = append(alone, words[i])
			}
		}
		return alone
	}
	switch c.Form {
	case "text":
		to.url = text
	case "command":
		alone := words(split(t, text))
		if len(alone) != 5 || !slices.Equal(alone[1:4], []string{"mcp", "add", "verdetto"}) {
			t.Fatalf("the command is %q", alone)
		}
		to.url = alone[4]
	case "json":
		var file map[string]map[string]struct {
			Type, URL, Command string
			Headers            map[string]string
			Args               []string
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&file); err != nil {
			t.Fatal(err)
		}
		server := file[map[bool]string{true: "servers", false: "mcpServers"}[c.Name == "VS Code"]]["verdetto"]
		if to.url = server.URL; server.Command != "" {
			to.url = words(server.Args)[2]
		}
		for name, value := range server.Headers {
			to.header, to.value = name, value
		}
	default:
		t.Fatalf("a form %q", c.Form)
	}
	return to
}

func split(t *testing.T, line string) (words []string) {
	t.Helper()
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " ") {
		var word, rest string
		closed := true
		if quoted, ok := strings.CutPrefix(line, `"`); ok {
			word, rest, closed = strings.Cut(quoted, `"`)
		} else {
			word, rest, _ = strings.Cut(line, " ")
		}
		if !closed || strings.ContainsAny(word, "$`\\'*?;&|<>\n") {
			t.Fatalf("a shell makes something else of %q", line)
		}
		words, line = append(words, word), rest
	}
	return words
}
