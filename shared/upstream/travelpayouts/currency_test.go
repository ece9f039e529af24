package travelpayouts_test

import (
	"maps"
	"net/url"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/fare"
	"verdetto/shared/fare/places"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/upstreamtest"
)

func TestCurrencyOfCountry(t *testing.T) {
	for country, want := range map[string]string{
		"IT": "EUR", "HR": "EUR", "BG": "EUR", "CY": "EUR", "GB": "GBP", "CH": "CHF", "US": "USD", "PR": "USD",
		"SE": "SEK", "FO": "DKK", "RO": "RON",
		"RU": "EUR", "SN": "EUR", "MK": "EUR", // no current rate, or pegged to the euro
		"": "EUR", " ": "EUR", "U": "EUR", "XX": "EUR", "US PR": "EUR", "gb": "EUR",
	} {
		if got := travelpayouts.CurrencyOfCountry(country); got != want {
			t.Errorf("%q: %s, want %s", country, got, want)
		}
	}
}

func TestCurrenciesAreThoseWithARate(t *testing.T) {
	asked := map[string]bool{}
	for city := range places.Cities() {
		place, ok := places.Get(city)
		if !ok {
			t.Fatalf("no place %s", city)
		}
		asked[travelpayouts.CurrencyOfCountry(place.Country)] = true
	}
	published := map[string]bool{}
	newest := ecb.Table().Newest()
	for _, code := range newest.Currencies() {
		published[code] = !ecb.Pegged(code)
	}
	maps.DeleteFunc(published, func(_ string, moves bool) bool { return !moves })
	if diff := cmp.Diff(published, asked); diff != "" || len(asked) < 25 {
		t.Errorf("currencies (-published +asked for):\n%s", diff)
	}
}

func TestAskedInTheMoneyOfTheOrigin(t *testing.T) {
	moneyOf := func(city fare.City) string {
		return map[fare.City]string{"MIL": "EUR", "LON": "GBP", "WAW": "PLN", "BUH": "USD"}[city]
	}
	rates := func(fare.Day) fare.Rates {
		return fare.Rates{PerEuro: map[string]float64{"USD": 1.25, "GBP": 0.8}}
	}
	for origin, want := range map[fare.City]string{"MIL": "eur", "LON": "gbp", "WAW": "eur", "BUH": "usd",
		"ROM": "eur"} {
		server, client, _ := set(t, nil, func(cfg *travelpayouts.Config) {
			cfg.CurrencyOf,
				cfg.Comparable.Rates = moneyOf, rates
		})
		if _, err := client.Fares(t.Context(), origin, time.Time{}, noon); err != nil {
			t.Fatal(err)
		}
		q := upstream.Question{Series: fare.Series{Route: fare.Route{Origin: origin, Destination: "WRO"}}}
		if _, err := client.Departures(t.Context(), q, noon); err != nil {
			t.Fatal(err)
		}
		for _, call := range server.Calls() {
			query, err := url.ParseQuery(call.Query)
			if err != nil || query.Get("currency") != want {
				t.Errorf("from %s %s was asked in %s, want %s", origin, call.Path, query.Get("currency"), want)
			}
		}
	}
}

func TestFaresAreKeptAsQuoted(t *testing.T) {
	const rows = `[{"origin":"LON","destination":"BUH","depart_date":"2026-12-01","value":18.49,"found_at":"2026-11-20T08:00:00Z"}]`
	tests := []struct {
		name, body string
		want       fare.Money
	}{
		{"echoed as asked", `{"success":true,"currency":"gbp","data":` + rows + `}`,
			fare.Money{Amount: 1849, Currency: fare.Currency{'G', 'B', 'P'}}},
		{"echoed otherwise", `{"success":true,"currency":"usd","data":` + rows + `}`,
			fare.Money{Amount: 1849, Currency: fare.Currency{'U', 'S', 'D'}}},
		{"not echoed", `{"success":true,"data":` + rows + `}`,
			fare.Money{Amount: 1849, Currency: fare.Currency{'G', 'B', 'P'}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server, client, _ := set(t, nil, func(cfg *travelpayouts.Config) {
				cfg.CurrencyOf = func(fare.City) string { return "GBP" }
				cfg.Comparable.Rates = func(fare.Day) fare.Rates {
					return fare.Rates{PerEuro: map[string]float64{"USD": 1.25, "GBP": 0.8}}
				}
			})
			server.Fail(upstreamtest.Garbled(test.body))
			answer, err := client.Fares(t.Context(), "LON", time.Time{}, noon)
			if err != nil || len(answer.Fares) != 1 {
				t.Fatalf("%v, error %v", answer, err)
			}
			if got := (fare.Money{Amount: answer.Fares[0].Price,
				Currency: answer.Fares[0].Currency}); got != test.want {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
	server, client, _ := set(t, nil, nil)
	server.Fail(upstreamtest.Garbled(`{"success":true,"currency":"xts","data":` + rows + `}`))
	answer, err := client.Fares(t.Context(), "LON", time.Time{}, noon)
	if err != nil || len(answer.Fares) > 0 || answer.Dropped[upstream.NoRate] != 1 {
		t.Errorf("in money without a rate: %v, error %v", answer, err)
	}
}
