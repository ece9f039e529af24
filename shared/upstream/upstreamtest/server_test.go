package upstreamtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
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

const (
	latestPath  = "/aviasales/v3/get_latest_prices"
	groupedPath = "/aviasales/v3/grouped_prices"
	citiesPath  = "/data/en/cities.json"
)

func get(t *testing.T, server *upstreamtest.Server, query string) (int, http.Header, answer) {
	t.Helper()
	var a answer
	status, header := read(t, server, latestPath+"?"+query, &a)
	return status, header, a
}

func read(t *testing.T, server *upstreamtest.Server, address string, a any) (int, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+address, nil)
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
	if response.StatusCode == http.StatusOK {
		if err := json.Unmarshal(body, a); err != nil {
			t.Fatal(err)
		}
		if !response.Uncompressed {
			t.Error("answered without gzip, which was asked for")
		}
	}
	return response.StatusCode, response.Header
}

func TestLatestPrices(t *testing.T) {
	now := noon
	found := func(age time.Duration, to string, price float64, currency string) upstream.Row {
		return upstream.Row{Origin: "MIL", Destination: to, Found: noon.Add(-age), Depart: fare.DayOf(noon) + 60,
			Price: price, Currency: currency}
	}
	trip := found(time.Hour, "ROM", 70, "EUR")
	trip.Return = trip.Depart + 5
	cabin := found(time.Hour, "ROM", 400, "EUR")
	cabin.OtherCabin = true
	server := upstreamtest.New([]upstream.Row{
		found(time.Hour, "BUH", 30, "EUR"), found(2*time.Hour, "LON", 20, "GBP"),
		found(8*24*time.Hour, "PAR", 5, "EUR"), trip, cabin,
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
		{"from elsewhere", "origin=ROM&period_type=year&currency=eur", 0, map[string]float64{}, "eur"},
		{"by destination", "destination=LON&period_type=year&currency=eur", 0, map[string]float64{"LON": 25}, "eur"},
		{"this month by default", "origin=MIL&currency=eur", 0, map[string]float64{}, "eur"},
		{"a year with a beginning is empty", "origin=MIL&period_type=year&beginning_of_period=2026&currency=eur", 0,
			map[string]float64{}, "eur"},
		{"one-way", "origin=MIL&period_type=year&currency=eur&one_way=true", 0,
			map[string]float64{"BUH": 30, "LON": 25}, "eur"},
		{"returns", "origin=MIL&period_type=year&currency=eur&one_way=false", 0, map[string]float64{"ROM": 70}, "eur"},
		{"business", "origin=MIL&period_type=year&currency=eur&trip_class=1", 0, map[string]float64{"ROM": 400}, "eur"},
		{"one row", "origin=MIL&period_type=year&currency=eur&limit=1", 0, map[string]float64{"LON": 25}, "eur"},
		{"one row by route", "origin=MIL&period_type=year&currency=eur&limit=1&sorting=route", 0,
			map[string]float64{"BUH": 30}, "eur"},
		{"the second page", "origin=MIL&period_type=year&currency=eur&limit=1&page=2", 0, map[string]float64{"BUH": 30},
			"eur"},
		{"behind the last page", "origin=MIL&period_type=year&currency=eur&limit=1&page=3", 0, map[string]float64{},
			"eur"},
		{"a week on it has forgotten", "origin=MIL&period_type=year&currency=eur", 7*24*time.Hour - 90*time.Minute,
			map[string]float64{"BUH": 30}, "eur"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			now = noon.Add(test.later)
			status, _, a := get(t, server, test.query)
			got := map[string]float64{}
			for _, row := range a.Data {
				got[row["destination"].(string)] = row["value"].(float64)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || status != 200 || !a.Success ||
				a.Currency != test.currency {
				t.Errorf("status %d, currency %s: %s", status, a.Currency, diff)
			}
		})
	}
}

// Each parameter of grouped_prices has the same effect as in the real API.
func TestGroupedPrices(t *testing.T) {
	now := noon
	day := fare.DayOf(noon) + 20 // 2026-12-10
	found := func(age time.Duration, depart, nights fare.Day, stops fare.Stops, price float64) upstream.Row {
		r := upstream.Row{Origin: "MIL", Destination: "BUH", Found: noon.Add(-age), Depart: depart, Price: price,
			Currency: "EUR", Stops: stops}
		if nights > 0 {
			r.Return = depart + nights
		}
		return r
	}
	rome := found(time.Hour, day, 0, fare.NonStop, 9)
	rome.Destination = "ROM"
	cabin := found(time.Hour, day, 0, fare.NonStop, 4)
	cabin.OtherCabin = true
	server := upstreamtest.New([]upstream.Row{
		found(time.Hour, day, 0, fare.NonStop, 40), found(2*time.Hour, day, 0, fare.OneStop, 25),
		found(time.Hour, day, 0, fare.StopsUnknown, 50),
		found(time.Hour, day+10, 0, fare.NonStop, 35), found(time.Hour, day+40, 0, fare.MoreStops, 30),
		found(time.Hour, day, 2, fare.NonStop, 61), found(time.Hour, day, 7, fare.OneStop, 87),
		found(time.Hour, day+40, 20, fare.OneStop, 120),
		found(8*24*time.Hour, day, 0, fare.NonStop, 1), found(time.Hour, fare.DayOf(noon)-1, 0, fare.NonStop, 2), rome,
		cabin,
	}, func() time.Time { return now })
	defer server.Close()
	server.Rates = func(fare.Day) fare.Rates { return fare.Rates{PerEuro: map[string]float64{"RUB": 100}} }

	const route = "origin=MIL&destination=BUH&currency=eur"
	tests := []struct {
		name, query string
		later       time.Duration
		want        map[string]float64
	}{
		{"one-way fares by day of departure", route, 0,
			map[string]float64{"2026-12-10": 25, "2026-12-20": 35, "2027-01-19": 30}},
		{"the same, said", route + "&group_by=departure_at&direct=false", 0,
			map[string]float64{"2026-12-10": 25, "2026-12-20": 35, "2027-01-19": 30}},
		{"by month", route + "&group_by=month", 0, map[string]float64{"2026-12": 25, "2027-01": 30}},
		{"non-stop", route + "&direct=true", 0, map[string]float64{"2026-12-10": 40, "2026-12-20": 35}},
		{"of a month", route + "&departure_at=2026-12", 0, map[string]float64{"2026-12-10": 25, "2026-12-20": 35}},
		{"of a day", route + "&departure_at=2026-12-20", 0, map[string]float64{"2026-12-20": 35}},
		{"away for a week", route + "&min_trip_duration=4&max_trip_duration=7", 0,
			map[string]float64{"2026-12-10": 87}},
		{"away for up to six days", route + "&min_trip_duration=3&max_trip_duration=6", 0, map[string]float64{}},
		{"away for at least three days", route + "&min_trip_duration=3", 0,
			map[string]float64{"2026-12-10": 87, "2027-01-19": 120}},
		{"away for at most three days", route + "&max_trip_duration=3", 0, map[string]float64{"2026-12-10": 61}},
		{"away for a week, non-stop", route + "&min_trip_duration=4&max_trip_duration=7&direct=true", 0,
			map[string]float64{}},
		{"back in a month", route + "&return_at=2026-12", 0, map[string]float64{"2026-12-10": 61}},
		{"back on a day", route + "&return_at=2027-02-08", 0, map[string]float64{"2027-01-19": 120}},
		{"roubles by default", "origin=MIL&destination=BUH&departure_at=2026-12-20", 0,
			map[string]float64{"2026-12-20": 3500}},
		{"anywhere", "origin=MIL&currency=eur&departure_at=2026-12", 0,
			map[string]float64{"2026-12-10": 9, "2026-12-20": 35}},
		{"nowhere", "origin=MIL&destination=PAR&currency=eur", 0, map[string]float64{}},
		{"a week on it has forgotten", route, 8 * 24 * time.Hour, map[string]float64{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			now = noon.Add(test.later)
			var a struct {
				Success  bool
				Data     map[string]map[string]any
				Currency string
			}
			status, _ := read(t, server, groupedPath+"?"+test.query, &a)
			got := map[string]float64{}
			for key, row := range a.Data {
				got[key] = row["price"].(float64)
				if link := row["link"].(string); !strings.Contains(link, "&search_date=20112026&") ||
					!strings.HasPrefix(row["departure_at"].(string), key) {
					t.Errorf("%s: departs %s, link %s", key, row["departure_at"], link)
				}
				if _, dated := row["found_at"]; dated {
					t.Errorf("%s: found_at, which this endpoint has not", key)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" || status != 200 || !a.Success || a.Data == nil {
				t.Errorf("status %d: %s", status, diff)
			}
		})
	}
	for _, query := range []string{"", "currency=eur", route + "&group_by=return_at"} {
		if status, _ := read(t, server, groupedPath+"?"+query, nil); status != http.StatusBadRequest {
			t.Errorf("%s: status %d", query, status)
		}
	}
}

// Each endpoint has its own limit in each minute of the clock.
func TestLimitsAndCounters(t *testing.T) {
	now := noon.Add(50 * time.Second)
	server := upstreamtest.New(nil, func() time.Time { return now })
	defer server.Close()
	server.PerMinute = 2
	ask := func(path string, calls int) (statuses []int) {
		for i := range calls {
			var a any
			status, header := read(t, server, path+"?origin=MIL", &a)
			statuses = append(statuses, status)
			left := map[string][]string{latestPath: {"1", "0"}, groupedPath: {"3", "2", "1", "0"},
				citiesPath: {"3", "2", "1", "0"}}[path]
			if status == http.StatusOK && i < len(left) && header.Get("X-Rate-Limit-Remaining") != left[i] {
				t.Errorf("call %d of %s: %q left", i, path, header.Get("X-Rate-Limit-Remaining"))
			}
			if got := header.Get("X-Rate-Limit-Reset"); got != "10" && got != "60" {
				t.Errorf("call %d of %s: reset in %q seconds", i, path, got)
			}
		}
		return statuses
	}
	statuses := [][]int{ask(latestPath, 3), ask(groupedPath, 5), ask(citiesPath, 5)}
	now = now.Add(10 * time.Second) // a new minute, within 60 seconds of earlier calls
	statuses = append(statuses, ask(latestPath, 3), ask(groupedPath, 1))
	want := [][]int{{200, 200, 429}, {200, 200, 200, 200, 429}, {200, 200, 200, 200, 429}, {200, 200, 429}, {200}}
	if diff := cmp.Diff(want, statuses); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int{latestPath: 6, groupedPath: 6, citiesPath: 5},
		server.BusiestByPath()); diff != "" || server.Busiest() != 6 {
		t.Errorf("busiest 60 seconds, %d: %s", server.Busiest(), diff)
	}
	i := 0
	for _, group := range want {
		for _, status := range group {
			if call := server.Calls()[i]; call.Status != status {
				t.Errorf("call %d is noted with status %d, want %d", i, call.Status, status)
			}
			i++
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
