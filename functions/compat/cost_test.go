package compat_test

import (
	"encoding/json"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

func TestCallsToTheStore(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return fixture.Today }
	table := &fixture.Recorder{Table: fixture.Bolt(t, now)}
	var fares fixture.Fares
	for _, f := range fixture.Falling(fare.DayOf(fixture.Today)) {
		for _, f.Nights = range []int16{0, 2, 5, 10, 20} {
			fares = append(fares, f)
		}
	}
	fixture.Refreshed(t, table, fares, now)
	handler := fixture.New(t, onemachine.Options{Table: table, Now: now}).API
	do := func(method, target, form, token string) []byte {
		r := httptest.NewRequest(method, target, strings.NewReader(form))
		r.Header.Set("Content-Type", fixture.Form)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Body.Bytes()
	}
	trade := func(secret string) string {
		var answer struct {
			Token string `json:"access_token"`
		}
		body := do("POST", "/v1/security/oauth2/token", "grant_type=client_credentials&client_id=x&client_secret="+secret, "")
		if err := json.Unmarshal(body, &answer); err != nil || answer.Token == "" {
			t.Fatalf("%s %v", body, err)
		}
		return answer.Token
	}
	key := fixture.IssueKey(t, table, "ada@example.com", fixture.Today, 24*time.Hour)
	free, pro := trade("free"), trade(key)
	id := regexp.MustCompile(`CUSTOMER#[A-Za-z0-9_-]+ KEY`)
	const take, customer = "Take", "Get CUSTOMER, strong true"
	sheet := func(trip string) string { return "Get ROUTE#MIL-BUH" + trip + " DEPARTURES#any, strong false" }
	const metrics = "/v1/analytics/itinerary-price-metrics?originIataCode=MIL&destinationIataCode=BUH&departureDate=2016-04-20"
	const dates = "/v1/shopping/flight-dates?origin=MIL&destination=BUH"
	for _, c := range []struct {
		name, target, token string // if target is empty, the call exchanges token, a client_secret, for an access token
		want                []string
	}{
		{"a free token", "", "free", nil},
		{"a token of a key", "", key, []string{customer}},
		{"metrics", metrics + "&oneWay=true", free, []string{take, sheet("")}},
		{"metrics, with a key", metrics + "&oneWay=true", pro, []string{customer, take, sheet("")}},
		{"metrics of returns", metrics, free, []string{take, sheet("#4-7")}},
		{"dates", dates + "&oneWay=true", free, []string{take, sheet("")}},
		{"dates of returns", dates, free, []string{take, sheet("#1-3"), sheet("#4-7"), sheet("#8-14"), sheet("#15+")}},
		{"destinations", "/v1/shopping/flight-destinations?origin=MIL&oneWay=true", free,
			[]string{take, "Get ORIGIN#MIL DEALS, strong false"}},
		{"a forged token", metrics, pro[:len(pro)-2] + "xx", nil},
	} {
		var got []string
		for range 2 {
			before := len(table.Calls())
			if c.target == "" {
				trade(c.token)
			} else {
				do("GET", c.target, "", c.token)
			}
			got = nil
			for _, call := range table.Calls()[before:] {
				got = append(got, id.ReplaceAllString(call, "CUSTOMER"))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", c.name, diff)
		}
	}
}
