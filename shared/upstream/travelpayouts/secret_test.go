package travelpayouts_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

func TestTokenStaysIn(t *testing.T) {
	const token = upstreamtest.Token
	var strangerSaw []string
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		strangerSaw = append(strangerSaw, fmt.Sprint(r.Header, r.URL))
	}))
	defer stranger.Close()

	server, client, _ := set(t, nil, nil)
	ask := func() string {
		_, err := client.Fares(t.Context(), "MIL", time.Time{}, noon)
		if err == nil {
			t.Fatal("no error")
		}
		return fmt.Sprintf("%v %+v %#v", err, err, err)
	}
	var seen []string
	for _, fault := range []upstreamtest.Fault{
		upstreamtest.Broken(401),
		{Status: 400, Body: `{"success":false,"error":"token ` + token + ` may not ask for this"}`},
		upstreamtest.Unwilling("token "+token+" has no access", "null"),
		upstreamtest.Elsewhere(stranger.URL + "/steal"),
	} {
		server.Fail(fault)
		seen = append(seen, ask())
	}
	if !strings.Contains(seen[1], "may not ask for this") {
		t.Errorf("the API's explanation is missing: %s", seen[1])
	}
	for range 5 {
		server.Fail(upstreamtest.Cut())
	}
	seen = append(seen, ask())
	for _, call := range server.Calls() {
		seen = append(seen, call.Path, call.Query)
	}
	server.Close()
	seen = append(seen, ask())
	if last := seen[len(seen)-1]; !strings.Contains(last, "get_latest_prices") {
		t.Errorf("a refused connection is not told with its address: %s", last)
	}

	cfg := travelpayouts.Config{Token: token, BaseURL: server.URL, Comparable: comparable}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("started", "client", client, "config", cfg, "pointer", &cfg)
	}
	seen = append(seen, log.String(), fmt.Sprintf("%v %+v %#v %s", client, client, client, client),
		fmt.Sprintf("%v %+v %#v %s", cfg, cfg, &cfg, cfg))

	for _, text := range seen {
		if strings.Contains(text, token) {
			t.Errorf("token in %s", text)
		}
	}
	if len(strangerSaw) > 0 {
		t.Errorf("a redirect was followed to another host: %s", strangerSaw)
	}
}

func TestLinksStayIn(t *testing.T) {
	const mark = upstreamtest.LinkMark
	r := row("BUH", 20, 30, time.Hour)
	r.Stops = fare.NonStop
	server, client, _ := set(t, []upstream.Row{r}, nil)
	seen := map[string]string{}
	ask := func(name string) {
		answer, err := client.Departures(t.Context(), asking(fare.OneWay, false), noon)
		if name == "answered" && (err != nil || len(answer.Fares) != 1) {
			t.Fatalf("%v, error %v", answer, err)
		}
		var log bytes.Buffer
		slog.New(slog.NewJSONHandler(&log, nil)).Info("asked", "answer", answer, "error", err)
		seen[name] = fmt.Sprintf("%v %+v %#v %v %+v %#v %s", answer, answer, answer, err, err, err, &log)
	}
	ask("answered")
	const link = `"link":"/search/MIL?t=` + mark + `&search_date=x` + mark + `"`
	for name, body := range map[string]string{
		"no row is readable":        `{"success":true,"data":{"2026-12-01":{"origin":"MIL",` + link + `}}}`,
		"no row is dated":           `{"success":true,"data":{"2026-12-01":{"origin":"MIL","destination":"BUH","departure_at":"2026-12-01","price":1,` + link + `}}}`,
		"cut within a link":         `{"success":true,"data":{"2026-12-01":{` + link[:40],
		"a link where data belongs": `{"success":true,"data":"/search/MIL?t=` + mark + `"}`,
		"a link that is a number":   `{"success":true,"data":{"2026-12-01":{"link":7,"t":"` + mark + `"}}}`,
		"a link instead of a body":  `/search/MIL?t=` + mark,
	} {
		for range 5 {
			server.Fail(upstreamtest.Garbled(body))
		}
		ask(name)
	}
	for name, text := range seen {
		if strings.Contains(text, mark) || strings.Contains(text, "search_date") || strings.Contains(text, "/search/") {
			t.Errorf("%s: a link in %s", name, text)
		}
	}
	if len(seen) != 7 {
		t.Errorf("%d answers were looked at", len(seen))
	}
}

func TestRedirectWithinTheHostIsFollowed(t *testing.T) {
	server, client, _ := set(t, nil, nil)
	server.Fail(upstreamtest.Elsewhere(server.URL + "/aviasales/v3/get_latest_prices?origin=MIL"))
	if _, err := client.Fares(t.Context(), "MIL", time.Time{}, noon); err != nil {
		t.Error(err)
	}
	calls := server.Calls()
	if got := calls[len(calls)-1].Header.Get("X-Access-Token"); got != upstreamtest.Token {
		t.Errorf("token %q after a redirect to the same host", got)
	}
}
