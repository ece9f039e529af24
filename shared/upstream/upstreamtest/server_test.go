package upstreamtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/upstreamtest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type answer struct {
	Success  bool
	Data     []map[string]any
	Currency string
}

// get asks the stand-in as a stranger to our client would.
func get(t *testing.T, server *upstreamtest.Server, query string) (int, http.Header, answer) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/aviasales/v3/get_latest_prices?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-Access-Token", upstreamtest.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var a answer
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(body, &a); err != nil {
			t.Fatal(err)
		}
		if !response.Uncompressed {
			t.Error("answered without gzip, which was asked for")
		}
	}
	return response.StatusCode, response.Header, a
}

func TestLatestPrices(t *testing.T) {
	now := noon
	found := func(age time.Duration, to string, price float64, currency string) upstream.Row {
		return upstream.Row{Origin: "MIL", Destination: to, Found: noon.Add(-age), Depart: fare.DayOf(noon) + 60, Price: price, Currency: currency}
	}
	trip := found(time.Hour, "ROM", 70, "EUR")
	trip.RoundTrip = true
	cabin := found(time.Hour, "ROM", 400, "EUR")
	cabin.OtherCabin = true
	server := upstreamtest.New([]upstream.Row{
		found(time.Hour, "BUH", 30, "EUR"), found(2*time.Hour, "LON", 20, "GBP"), found(8*24*time.Hour, "PAR", 5, "EUR"), trip, cabin,
	}, func() time.Time { return now })
	defer server.Close()
	server.Rates = func(fare.Day) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"GBP": 0.8, "RUB": 100}} }

	tests := []struct {
		name, query string
		later       time.Duration
		want        map[string]float64
		currency    string
	}{
		{"in euro", "origin=MIL&period_type=year&currency=eur", 0, map[string]float64{"BUH": 30, "LON": 25}, "eur"},
		{"roubles by default", "origin=MIL&period_type=year", 0, map[string]float64{"BUH": 3000, "LON": 2500}, "rub"},
		{"by destination", "destination=LON&period_type=year&currency=eur", 0, map[string]float64{"LON": 25}, "eur"},
		{"this month by default", "origin=MIL&currency=eur", 0, map[string]float64{}, "eur"},
		{"a year with a beginning is empty", "origin=MIL&period_type=year&beginning_of_period=2026&currency=eur", 0, map[string]float64{}, "eur"},
		{"round trips", "origin=MIL&period_type=year&currency=eur&one_way=false", 0, map[string]float64{"ROM": 70}, "eur"},
		{"business", "origin=MIL&period_type=year&currency=eur&trip_class=1", 0, map[string]float64{"ROM": 400}, "eur"},
		{"the second page", "origin=MIL&period_type=year&currency=eur&limit=1&page=2", 0, map[string]float64{"BUH": 30}, "eur"},
		{"behind the last page", "origin=MIL&period_type=year&currency=eur&limit=1&page=3", 0, map[string]float64{}, "eur"},
		{"a week on it has forgotten", "origin=MIL&period_type=year&currency=eur", 7*24*time.Hour - 90*time.Minute, map[string]float64{"BUH": 30}, "eur"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			now = noon.Add(test.later)
			status, _, a := get(t, server, test.query)
			got := map[string]float64{}
			for _, row := range a.Data {
				got[row["destination"].(string)] = row["value"].(float64)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || status != 200 || !a.Success || a.Currency != test.currency {
				t.Errorf("status %d, currency %s: %s", status, a.Currency, diff)
			}
		})
	}
}

func TestLimitAndCounters(t *testing.T) {
	now := noon
	server := upstreamtest.New(nil, func() time.Time { return now })
	defer server.Close()
	server.PerMinute = 2
	var statuses []int
	for range 3 {
		status, header, _ := get(t, server, "origin=MIL")
		statuses = append(statuses, status)
		if status == http.StatusTooManyRequests && header.Get("X-Rate-Limit-Reset") != "60" {
			t.Errorf("reset in %q seconds", header.Get("X-Rate-Limit-Reset"))
		}
	}
	now = now.Add(time.Minute)
	status, _, _ := get(t, server, "origin=MIL")
	if diff := cmp.Diff([]int{200, 200, 429, 200}, append(statuses, status)); diff != "" {
		t.Error(diff)
	}
	if got := server.Busiest(); got != 3 {
		t.Errorf("busiest minute has %d calls, want 3", got)
	}
	for i, call := range server.Calls() {
		if want := []int{200, 200, 429, 200}[i]; call.Status != want {
			t.Errorf("call %d is noted with status %d, want %d", i, call.Status, want)
		}
	}
}

func TestFaultsComeInOrderAndPass(t *testing.T) {
	server := upstreamtest.New(nil, func() time.Time { return noon })
	defer server.Close()
	server.Fail(upstreamtest.Broken(503), upstreamtest.TooMany("Retry-After", "9"))
	var statuses []int
	for range 3 {
		status, _, _ := get(t, server, "origin=MIL")
		statuses = append(statuses, status)
	}
	if diff := cmp.Diff([]int{503, 429, 200}, statuses); diff != "" {
		t.Error(diff)
	}
}
