package verdict

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/web/routes"
)

// Single past fares of a source with the name travelpayouts are not shown by default.
type realFares struct{ upstream.Source }

func (realFares) Name() string { return "travelpayouts" }

// hidden omits the amounts that answers may show as statistics: the lowest amounts, and those
// around the median.
func pastFares() (fares fixture.Fares, hidden []fare.Cents) {
	today := fare.DayOf(fixture.Today)
	for i := range 80 {
		price := fare.Cents(50123 + 367*((i*37)%80))
		fares = append(fares, fare.Fare{Route: fixture.Route, Observation: fare.Observation{
			Found: (today - fare.Day(80-i)).Time().Unix(), Depart: today + 30, Price: price}})
		if low := (i * 37) % 80; low > 4 && (low < 36 || low > 44) {
			hidden = append(hidden, price)
		}
	}
	fares = append(fares, fare.Fare{Route: fixture.Route, Observation: fare.Observation{
		Found: today.Time().Unix(), Depart: today + 30, Price: 48111}})
	return fares, hidden
}

// An amount may be written in cents or in whole units with decimals.
func shown(text string, amounts []fare.Cents) (found []fare.Cents) {
	for _, a := range amounts {
		for _, form := range []string{"%d", "%d.%02d", "%d,%02d"} {
			written := fmt.Sprintf(form, a/100, a%100)
			if form == "%d" {
				written = fmt.Sprint(int(a))
			}
			if strings.Contains(text, written) {
				found = append(found, a)
				break
			}
		}
	}
	return found
}

func TestFaresOfOthersAreShownAsAllowed(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return fixture.Today }
	fares, hidden := pastFares()
	source := realFares{fares}
	table := fixture.Bolt(t, now)
	r := refresh.Refresher{Source: source, Fares: store.Fares{Table: table}, Now: now}
	if report, err := r.Run(t.Context()); err != nil || report.Failed > 0 {
		t.Fatal(report, err)
	}
	if err := r.Fares.SetRates(t.Context(), fare.Rates{}); err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{
		"analisi": "?origine=Milano&destinazione=Bucarest", "storico": "?origine=Milano&destinazione=Bucarest",
		"calendario": "?origine=Milano&destinazione=Bucarest", "occasioni": "?origine=Milano",
		"rotte": "?origine=Milano", "vicini": "?origine=Milano&destinazione=Bucarest",
		"confronto": "?origine=Milano&destinazioni=Bucarest", "home": "?da=Milano&a=Bucarest",
		"price-trends": "?origin=MIL&destination=BUH&currency=eur",
	}
	calls := map[string]string{
		"flight_price_verdict": `{"origin":"Milano","destination":"Bucarest"}`,
		"price_trends":         `{"origin":"Milano","destination":"Bucarest","currency":"EUR"}`,
		"fare_calendar":        `{"origin":"Milano","destination":"Bucarest"}`, "cheap_now": `{"origin":"Milano"}`, "compare_trips": `{"origin":"Milano","destinations":["Bucarest"]}`,
	}
	for _, c := range []struct {
		name    string
		options onemachine.Options
		all     bool
	}{
		{"of others", onemachine.Options{Source: source}, false},
		{"of others, and all is allowed", onemachine.Options{Source: source, AllFares: true}, true},
		{"of the operator", onemachine.Options{Source: fares}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.Table, c.options.Now = table, now
			api := fixture.New(t, c.options).API
			listing := 0
			for _, route := range routes.Table {
				if route.Method != "GET" || route.Function != "analisi" && route.Function != "pricetrends" {
					continue
				}
				for _, path := range route.Paths() {
					lists, file := hidden, "MIL-BUH-it.png"
					if route.Name == "feed" {
						lists, file = []fare.Cents{48111}, "MIL-it.json"
					}
					path = strings.Replace(path, "{file}", file, 1) + queries[route.Name]
					w := httptest.NewRecorder()
					request := httptest.NewRequest("GET", path, nil)
					request.Header.Set("Accept", "application/json, text/html")
					api.ServeHTTP(w, request)
					found := shown(w.Body.String(), hidden)
					if route.SingleFares {
						listing++
						var problem struct{ Code, Detail string }
						if !c.all && (w.Code != http.StatusForbidden || json.Unmarshal(w.Body.Bytes(),
							&problem) != nil || problem.Code != "tariffe-non-mostrate" ||
							!strings.Contains(problem.Detail, "GET /v1/analisi")) {
							t.Errorf("%s: %d %s", path, w.Code, w.Body)
						}
						if c.all && (w.Code != http.StatusOK || len(shown(w.Body.String(), lists)) == 0) {
							t.Errorf("%s: %d %s", path, w.Code, w.Body)
						}
					}
					if !c.all && len(found) > 0 {
						t.Errorf("%s shows past fares of %v", path, found)
					}
					if queries[route.Name] != "" && !route.SingleFares && (w.Code != http.StatusOK ||
						route.Name != "rotte" && len(shown(w.Body.String(), []fare.Cents{48111})) == 0) {
						t.Errorf("%s: %d, today's fare is not shown", path, w.Code)
					}
					switch route.Name {
					case "home", "price-trends":
						if c.all && len(found) == 0 {
							t.Errorf("%s shows no past fare", path)
						}
					case "index":
						if strings.Contains(w.Body.String(), "/v1/storico") != c.all {
							t.Errorf("the index says %s", w.Body)
						}
					}
				}
			}
			picture := httptest.NewRecorder()
			if api.ServeHTTP(picture, httptest.NewRequest("GET", "/card/MIL-BUH-it.svg",
				nil)); c.all != (picture.Code == http.StatusOK) || !c.all &&
				!strings.Contains(picture.Body.String(), "tariffe-non-mostrate") {
				t.Errorf("the picture of a history: %d %.300s", picture.Code, picture.Body)
			}
			if listing == 0 {
				t.Error("no endpoint lists single fares")
			}
			refused := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"departure_history","arguments":{"origin":"Milano","destination":"Bucarest"}}}`
			request := httptest.NewRequest("POST", "/mcp", strings.NewReader(refused))
			request.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if api.ServeHTTP(w, request); strings.Contains(w.Body.String(), "tariffe-non-mostrate") == c.all ||
				c.all == (len(shown(w.Body.String(), hidden)) == 0) {
				t.Errorf("departure_history: %d %.300s", w.Code, w.Body)
			}
			for tool, arguments := range calls {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments)
				request := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Accept", "application/json, text/event-stream")
				w := httptest.NewRecorder()
				api.ServeHTTP(w, request)
				if found := shown(w.Body.String(), hidden); !c.all && len(found) > 0 || w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"isError":true`) {
					t.Errorf("%s: %d, past fares of %v: %s", tool, w.Code, found, w.Body)
				}
			}
		})
	}
}
