package agents_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
)

const malformed = "richiesta-non-valida"

const milanoBucarest = `{"origin":"Milano","destination":"Bucarest"}`

func TestCallersAreKeptApart(t *testing.T) {
	d := open(t, knownRoutes(), "")
	keys := make([]string, 8)
	for i := range keys {
		keys[i] = d.customers.key(t, fmt.Sprintf("caller%d@example.com", i), now.Add(time.Hour))
	}
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			for range 10 {
				route, _ := d.call(t, "flight_price_verdict", milanoBucarest, "X-Api-Key", keys[i])
				routes, _ := d.call(t, "watched_routes", `{}`)
				if route.IsError || routes.IsError {
					t.Errorf("caller %d: %+v, %+v", i, route, routes)
				}
			}
		})
	}
	all.Wait()
	perCaller := 0
	for key, n := range d.counters.taken {
		if strings.Contains(key, "#analisi-pro#") && n == 10 {
			perCaller++
		}
	}
	if diff := cmp.Diff(map[string]int64{"analisi-pro": 80, "rotte-free": 80},
		d.counters.names()); diff != "" || perCaller != 8 {
		t.Errorf("%d callers were counted as themselves; %s", perCaller, diff)
	}
}

func TestManyUnknownArguments(t *testing.T) {
	d := open(t, knownRoutes(), "")
	var arguments strings.Builder
	for n := range 5000 {
		fmt.Fprintf(&arguments, `"x%d":1,`, n)
	}
	for _, tool := range []string{"flight_price_verdict", "compare_trips", "watched_routes"} {
		w := d.send(t, http.MethodPost, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+
			`","arguments":{`+strings.TrimSuffix(arguments.String(), ",")+`}}}`)
		if body := w.Body.String(); w.Body.Len() > 4096 || !strings.Contains(body, malformed) ||
			strings.Count(body, "which this tool does not take") > 2*3 {
			t.Errorf("%s: %d bytes: %.5000s", tool, len(body), body)
		}
	}
}

func TestTimeIsPassedOn(t *testing.T) {
	var deadline time.Time
	s := fares{fare.Route{Origin: "MIL", Destination: "BUH"}: func(ctx context.Context) {
		deadline,
			_ = ctx.Deadline()
	}}
	d := open(t, s, "")
	at := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), at)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flight_price_verdict",`+
			`"arguments":`+milanoBucarest+`}}`))
	r.Header.Set("Content-Type", "application/json")
	d.ServeHTTP(httptest.NewRecorder(), r)
	if !deadline.Equal(at) {
		t.Errorf("the store was asked with deadline %v, want %v", deadline, at)
	}
}
