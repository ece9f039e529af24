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

	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

// The token may be seen by the API's host alone.
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
		upstreamtest.Broken(400),
		upstreamtest.Unwilling("token "+token+" has no access", "null"),
		upstreamtest.Elsewhere(stranger.URL + "/steal"),
	} {
		server.Fail(fault)
		seen = append(seen, ask())
	}
	for range 5 {
		server.Fail(upstreamtest.Cut())
	}
	seen = append(seen, ask())
	for _, call := range server.Calls() {
		seen = append(seen, call.Path, call.Query)
	}
	server.Close()
	seen = append(seen, ask()) // a *url.Error
	if last := seen[len(seen)-1]; !strings.Contains(last, "get_latest_prices") {
		t.Errorf("a refused connection is not told with its address: %s", last)
	}

	cfg := travelpayouts.Config{Token: token, BaseURL: server.URL, Comparable: comparable}
	var log bytes.Buffer
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("started", "client", client, "config", cfg, "pointer", &cfg)
	}
	seen = append(seen, log.String(), fmt.Sprintf("%v %+v %#v %s", client, client, client, client), fmt.Sprintf("%v %+v %#v %s", cfg, cfg, &cfg, cfg))

	for _, text := range seen {
		if strings.Contains(text, token) {
			t.Errorf("token in %s", text)
		}
	}
	if len(strangerSaw) > 0 {
		t.Errorf("a redirect was followed to another host: %s", strangerSaw)
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
