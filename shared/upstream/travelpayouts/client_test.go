package travelpayouts_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type clock struct {
	mu    sync.Mutex
	at    time.Time
	waits []time.Duration
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	if d >= time.Second { // shorter waits only space the calls
		c.waits = append(c.waits, d)
	}
	return ctx.Err()
}

var comparable = upstream.Comparable{
	CityOf: func(code string) (fare.City, bool) {
		cities := map[string]fare.City{"MXP": "MIL", "LIN": "MIL", "MIL": "MIL", "ROM": "ROM", "BUH": "BUH",
			"OTP": "BUH", "LON": "LON", "WMI": "WAW", "WRO": "WRO"}
		city, ok := cities[code]
		return city, ok
	},
	Rates: func(fare.Day) fare.Rates {
		return fare.Rates{PerEuro: map[string]float64{"USD": 1.25, "RUB": 100}}
	},
}

func row(destination string, price float64, daysAhead int, age time.Duration) upstream.Row {
	found := noon.Add(-age)
	return upstream.Row{Origin: "MIL", Destination: destination, Found: found,
		Depart: fare.DayOf(found) + fare.Day(daysAhead), Price: price, Currency: "EUR"}
}

func fareOf(r upstream.Row) fare.Fare {
	f, _ := comparable.Fare(r, noon)
	return f
}

func set(t *testing.T, rows []upstream.Row,
	change func(*travelpayouts.Config)) (*upstreamtest.Server, *travelpayouts.Client, *clock) {
	t.Helper()
	c := &clock{at: noon}
	server := upstreamtest.New(rows, c.now)
	t.Cleanup(server.Close)
	cfg := travelpayouts.Config{
		Token: upstreamtest.Token, BaseURL: server.URL, Comparable: comparable,
		PerMinute: 100_000, Wait: c.wait, Now: c.now,
	}
	if change != nil {
		change(&cfg)
	}
	client, err := travelpayouts.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return server, client, c
}

func TestFaresAsksForTheYear(t *testing.T) {
	server, client, _ := set(t, nil, nil)
	if _, err := client.Fares(t.Context(), "MIL", time.Time{}, noon); err != nil {
		t.Fatal(err)
	}
	call := server.Calls()[0]
	want := "currency=eur&limit=1000&one_way=true&origin=MIL&page=1&period_type=year&show_to_affiliates=true&sorting=price&trip_class=0"
	if diff := cmp.Diff(want, call.Query); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{"X-Access-Token": upstreamtest.Token, "User-Agent": "verdetto/1",
		"Accept-Encoding": "gzip"} {
		if got := call.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestFaresWindow(t *testing.T) {
	old, fresh, gone := row("BUH", 20, 30, 50*time.Hour), row("ROM", 19.99, 40, 2*time.Hour), row("LON", 5, 10,
		8*24*time.Hour)
	edge := row("BUH", 30, 30, 24*time.Hour)
	_, client, _ := set(t, []upstream.Row{old, fresh, gone, edge}, nil)
	tests := []struct {
		name         string
		since, until time.Time
		want         []fare.Fare
	}{
		{"all that the API remembers", time.Time{}, noon, []fare.Fare{fareOf(fresh), fareOf(old), fareOf(edge)}},
		{"since is not part of the window", edge.Found, noon, []fare.Fare{fareOf(fresh)}},
		{"until is", time.Time{}, edge.Found, []fare.Fare{fareOf(old), fareOf(edge)}},
		{"nothing there", noon, noon, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, err := client.Fares(t.Context(), "MIL", test.since, test.until)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, answer.Fares); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFaresPages(t *testing.T) {
	for _, n := range []int{0, 999, 1000, 1001, 2500} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := make([]upstream.Row, n)
			for i := range rows {
				rows[i] = row("BUH", 10+float64(i), i%300, time.Duration(i)*time.Second)
			}
			server, client, _ := set(t, rows, nil)
			answer, err := client.Fares(t.Context(), "MIL", time.Time{}, noon)
			if err != nil {
				t.Fatal(err)
			}
			if len(answer.Fares) != n {
				t.Errorf("%d fares, want %d", len(answer.Fares), n)
			}
			if got, want := len(server.Calls()), n/1000+1; got != want {
				t.Errorf("%d calls, want %d", got, want)
			}
		})
	}
}

func TestFaresOfASourceThatNeverEnds(t *testing.T) {
	full := func(price int) string {
		one := fmt.Sprintf(`{"origin":"MIL","destination":"BUH","depart_date":"2026-12-01","value":%d,"found_at":"2026-11-20T08:00:00Z"}`, price)
		return `{"success":true,"currency":"eur","data":[` + strings.TrimSuffix(strings.Repeat(one+",", 1000), ",") +
			`]}`
	}
	t.Run("the same page for ever is one page", func(t *testing.T) {
		server, client, _ := set(t, nil, nil)
		server.Fail(upstreamtest.Garbled(full(10)), upstreamtest.Garbled(full(10)))
		answer, err := client.Fares(t.Context(), "MIL", time.Time{}, noon)
		if err != nil || len(answer.Fares) != 1000 {
			t.Errorf("%d fares, error %v; want 1000", len(answer.Fares), err)
		}
	})
	t.Run("new pages for ever are a fault", func(t *testing.T) {
		server, client, _ := set(t, nil, nil)
		for i := range 150 {
			server.Fail(upstreamtest.Garbled(full(10 + i)))
		}
		_, err := client.Fares(t.Context(), "MIL", time.Time{}, noon)
		if !errors.Is(err, upstream.ErrUnavailable) {
			t.Errorf("error %v", err)
		}
	})
}

func TestFaults(t *testing.T) {
	someRow := []upstream.Row{row("BUH", 20, 30, time.Hour)}
	again := func(f upstreamtest.Fault, n int) []upstreamtest.Fault {
		return slices.Repeat([]upstreamtest.Fault{f}, n)
	}
	at := noon.Add(33 * time.Second)
	limited := upstreamtest.TooMany
	backOff := []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second}
	type waits = []time.Duration
	tests := []struct {
		name   string
		faults []upstreamtest.Fault
		want   error
		calls  int
		waits  waits
	}{
		{"429, Retry-After in seconds", again(limited("Retry-After", "7"), 1), nil, 2, waits{7 * time.Second}},
		{"429, Retry-After as a date", again(limited("Retry-After", at.Format(http.TimeFormat)), 1), nil, 2,
			waits{33 * time.Second}},
		{"429, X-Rate-Limit-Reset", again(limited("X-Rate-Limit-Reset", "55"), 1), nil, 2, waits{55 * time.Second}},
		{"429, X-RateLimit-Reset in seconds", again(limited("X-RateLimit-Reset", "12"), 1), nil, 2,
			waits{12 * time.Second}},
		{"429, X-RateLimit-Reset as a moment", again(limited("X-RateLimit-Reset", fmt.Sprint(at.Unix())), 1), nil, 2,
			waits{33 * time.Second}},
		{"429 without a word", again(limited("", ""), 1), nil, 2, waits{time.Minute}},
		{"429 with nonsense", again(limited("Retry-After", "soon"), 1), nil, 2, waits{time.Minute}},
		{"429 for a day is cut", again(limited("Retry-After", "86400"), 1), nil, 2, waits{2 * time.Minute}},
		{"429 for no time is a second", again(limited("Retry-After", "0"), 1), nil, 2, waits{time.Second}},
		{"429 for ever", again(limited("Retry-After", "60"), 9), upstream.ErrUnavailable, 5,
			slices.Repeat(waits{time.Minute}, 4)},
		{"5xx that passes", []upstreamtest.Fault{upstreamtest.Broken(500), upstreamtest.Broken(503)}, nil, 3,
			backOff[:2]},
		{"5xx for ever", again(upstreamtest.Broken(502), 9), upstream.ErrUnavailable, 5, backOff},
		{"cut short once", again(upstreamtest.Cut(), 1), nil, 2, backOff[:1]},
		{"cut short for ever", again(upstreamtest.Cut(), 9), upstream.ErrUnavailable, 5, backOff},
		{"a proxy's page once", again(upstreamtest.Garbled("<html>"), 1), nil, 2, backOff[:1]},
		{"half a document for ever", again(upstreamtest.Garbled(`{"success":true,"data":[{"origin"`), 9),
			upstream.ErrUnavailable, 5, backOff},
		{"401", again(upstreamtest.Broken(401), 1), upstream.ErrRefused, 1, nil},
		{"403", again(upstreamtest.Broken(403), 1), upstream.ErrRefused, 1, nil},
		{"400", again(upstreamtest.Broken(400), 1), upstream.ErrUnavailable, 1, nil},
		{"unauthorized with 200", again(upstreamtest.Unwilling("Unauthorized", "null"), 1), upstream.ErrRefused, 1,
			nil},
		{"success:false, data {}", again(upstreamtest.Unwilling("bad origin", "{}"), 1), upstream.ErrUnavailable, 1,
			nil},
		{"success:false, data null", again(upstreamtest.Unwilling("bad origin", "null"), 1), upstream.ErrUnavailable, 1,
			nil},
		{"redirect to another host", again(upstreamtest.Elsewhere("http://localhost:1/x"), 1), upstream.ErrUnavailable,
			1, nil},
		{"over the size bound", again(upstreamtest.Garbled(strings.Repeat(" ", 33<<20)), 1), upstream.ErrUnavailable, 1,
			nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client, clock := set(t, someRow, nil)
			server.Fail(test.faults...)
			answer, err := client.Fares(t.Context(), "MIL", time.Time{}, noon)
			if !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if test.want == nil && len(answer.Fares) != 1 {
				t.Errorf("%d fares, want 1", len(answer.Fares))
			}
			if test.want != nil && answer.Fares != nil {
				t.Error("fares beside an error")
			}
			if got := len(server.Calls()); got != test.calls {
				t.Errorf("%d calls, want %d", got, test.calls)
			}
			if diff := cmp.Diff(test.waits, clock.waits, cmp.Comparer(within)); diff != "" {
				t.Error("waits: " + diff)
			}
		})
	}
}

func within(a, b time.Duration) bool { return (a - b).Abs() < 10*time.Millisecond }

func TestOrigins(t *testing.T) {
	server, client, _ := set(t, []upstream.Row{row("BUH", 20, 30, time.Hour), {Origin: "BUH"}, {Origin: "LON"}}, nil)
	got, err := client.Origins(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]fare.City{"BUH", "LON", "MIL"}, got); diff != "" {
		t.Error(diff)
	}
	for range 5 {
		server.Fail(upstreamtest.Garbled(`[{"code":null,"name":null},{"code":7}]`))
	}
	if got, err := client.Origins(t.Context()); !errors.Is(err, upstream.ErrUnavailable) {
		t.Errorf("a list without a city: %v, error %v", got, err)
	}
}

func TestNew(t *testing.T) {
	tests := []struct {
		name string
		cfg  travelpayouts.Config
		want string
	}{
		{"no token", travelpayouts.Config{Comparable: comparable}, "no token"},
		{"no functions", travelpayouts.Config{Token: "t"}, "Comparable"},
		{"no address", travelpayouts.Config{Token: "t", Comparable: comparable, BaseURL: "api.example"}, "base URL"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := travelpayouts.New(test.cfg); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want it to speak of %q", err, test.want)
			}
		})
	}
}
