package travelpayouts

import (
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
)

func TestDrift(t *testing.T) {
	cities := `[{"code":"MIL","name":"Milan","has_flightable_airport":true,"country_code":"IT"}]`
	recorded := map[string]string{
		latestPrices:  string(recorded(t, "abame_tickets_latest_prices.json")),
		groupedPrices: string(recorded(t, "partimo_v3_grouped_prices_months_mil_vie.json")),
		cityList:      cities,
	}
	for name, c := range map[string]struct {
		path, from, to string
		want           []string
		failure        error
	}{
		"as recorded": {},
		"a new name": {groupedPrices, `"airline":`, `"carrier":`,
			[]string{"airline is missing", `"carrier" is new`}, nil},
		"another type": {latestPrices, `"trip_class": 0`, `"trip_class": "economy"`,
			[]string{"trip_class is of type string, was number"}, nil},
		"a new field":  {cityList, `"name":`, `"population":1,"name":`, []string{`"population" is new`}, nil},
		"no rows":      {cityList, cities, `[]`, nil, upstream.ErrUnavailable},
		"another body": {latestPrices, `"data"`, `"prices"`, nil, upstream.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			answers, calls := maps.Clone(recorded), 0
			if c.path != "" {
				changed := strings.ReplaceAll(answers[c.path], c.from, c.to)
				if changed == answers[c.path] {
					t.Fatalf("%s has no %s", c.path, c.from)
				}
				answers[c.path] = changed
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls++
				_, _ = w.Write([]byte(answers[r.URL.Path]))
			}))
			defer server.Close()
			client, err := New(Config{Token: "t", BaseURL: server.URL, Comparable: upstream.Comparable{
				CityOf: func(string) (fare.City, bool) { return "", false },
				Rates:  func(fare.Day) fare.Rates { return fare.Rates{} }}})
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.Drift(t.Context())
			if !errors.Is(err, c.failure) || calls != 3 {
				t.Errorf("error %v after %d calls, want %v after 3", err, calls, c.failure)
			}
			var want []string
			for _, w := range c.want {
				want = append(want, c.path+": "+w)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
