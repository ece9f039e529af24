package compat_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

const (
	metrics      = "/v1/analytics/itinerary-price-metrics?"
	dates        = "/v1/shopping/flight-dates?"
	destinations = "/v1/shopping/flight-destinations?"

	london = "originIataCode=MIL&destinationIataCode=LON&departureDate=2016-04-20" // for metrics
	lists  = "origin=MIL&destination=LON"                                          // for dates
)

// ours asks the service's own API the same question as london.
const ours = "origine=Milano&destinazione=Londra&partenza=2016-04-20"

func written(c fare.Cents) string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

// figures returns the minimum, quartiles and maximum that /v1/analisi states for a departure.
func figures(t *testing.T, s *service, query, currency string) (want []string) {
	t.Helper()
	q := s.ours("/v1/analisi?prezzo=45&" + query).Quartili
	if q == nil {
		return nil
	}
	for _, c := range []fare.Cents{q.MinimoCent, q.Q1Cent, q.MedianaCent, q.Q3Cent, q.MassimoCent} {
		shown, ok := ecb.Table().RatesOn(fare.DayOf(now)).FromEuro(c, currency)
		if !ok {
			t.Fatal(currency)
		}
		want = append(want, written(shown))
	}
	return want
}

func amounts(d document) (got []string) {
	for _, m := range d.Data {
		for _, q := range m.PriceMetrics {
			got = append(got, q.Amount)
		}
	}
	return got
}

func TestMetricsAreThoseOfTheVerdict(t *testing.T) {
	t.Parallel()
	s := world(t)
	for _, c := range []struct {
		name, asked, same, currency string
		codes                       []int
	}{
		{"one-way", london + "&oneWay=true", ours, "EUR", nil},
		{"tomorrow", "originIataCode=MIL&destinationIataCode=LON&departureDate=2016-03-02&oneWay=true",
			"origine=Milano&destinazione=Londra&partenza=2016-03-02", "EUR", nil},
		{"in a year", "originIataCode=MIL&destinationIataCode=LON&departureDate=2017-03-01&oneWay=true",
			"origine=Milano&destinazione=Londra&partenza=2017-03-01", "EUR", nil},
		{"in dollars", london + "&oneWay=true&currencyCode=usd", ours, "USD", nil},
		{"returns", london, ours + "&notti=4-7", "EUR", []int{10002}},
		{"airports", "originIataCode=bgy&destinationIataCode=STN&departureDate=2016-04-20&oneWay=True",
			"origine=bgy&destinazione=STN&partenza=2016-04-20", "EUR", []int{10001, 10001}},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := figures(t, s, c.same, c.currency)
			d := s.get(metrics + c.asked)
			if d.status != 200 || d.Meta.Count != 1 || len(d.Data) != 1 || d.Data[0].CurrencyCode != c.currency {
				t.Fatalf("%d %s", d.status, d.body)
			}
			if diff := cmp.Diff(want, amounts(d)); diff != "" || len(want) != 5 {
				t.Errorf("(-verdict +metrics): %s", diff)
			}
			if diff := cmp.Diff(c.codes, d.codes()); diff != "" {
				t.Errorf("warnings (-want +got): %s", diff)
			}
			if m := d.Data[0]; fmt.Sprint(m.Origin) != "map[iataCode:"+strings.ToUpper(c.asked[15:18])+"]" ||
				m.OneWay != strings.Contains(strings.ToLower(c.asked), "oneway=true") {
				t.Errorf("%+v", m)
			}
		})
	}
}

// Without return fares the price metrics of a return have no amounts. Otherwise the amounts come
// from return fares alone.
func TestAReturnIsNeverADoubledOneWay(t *testing.T) {
	t.Parallel()
	without := serve(t, oneWays{sample.New()}, onemachine.Options{})
	if d := without.get(metrics + london + "&oneWay=true"); len(d.Data) != 1 {
		t.Fatalf("there are no one-way fares either: %s", d.body)
	}
	if d := without.get(metrics + london); d.status != 200 || len(d.Data) != 0 || !slices.Contains(d.codes(), 6003) {
		t.Errorf("metrics: %d %s", d.status, d.body)
	}
	if d := without.get(dates + lists); d.status != 404 || !slices.Equal(d.codes(), []int{6003}) {
		t.Errorf("dates: %d %s", d.status, d.body)
	}
	if d := without.get(destinations + "origin=MIL"); d.status != 200 || len(d.Data) != 0 ||
		!slices.Equal(d.codes(), []int{10004}) {
		t.Errorf("destinations: %d %s", d.status, d.body)
	}
	s := world(t)
	one, both := amounts(s.get(metrics+london+"&oneWay=true")), amounts(s.get(metrics+london))
	if len(one) != 5 || len(both) != 5 {
		t.Fatal(one, both)
	}
	for i := range one {
		var a, b float64
		fmt.Sscan(one[i], &a)
		fmt.Sscan(both[i], &b)
		if b == 2*a || b <= a {
			t.Errorf("%s is of returns, %s of one-way fares", both[i], one[i])
		}
	}
}

func TestTooFew(t *testing.T) {
	t.Parallel()
	s := serve(t, fixture.Falling(fare.DayOf(now))[:6], onemachine.Options{})
	for name, c := range map[string]struct{ query, why string }{
		"few":         {"originIataCode=MIL&destinationIataCode=BUH", "fares are known to compare with"},
		"never asked": {"originIataCode=MIL&destinationIataCode=LIS", "We have never seen a fare"},
	} {
		d := s.get(metrics + c.query + "&departureDate=2016-04-20&oneWay=true")
		if d.status != 200 || len(d.Data) != 0 || d.Meta.Count != 0 || !slices.Equal(d.codes(), []int{6003}) ||
			!strings.Contains(d.Warnings[0].Detail, c.why) || !strings.Contains(d.body, `"data":[]`) {
			t.Errorf("%s: %d %s", name, d.status, d.body)
		}
	}
}

// An error response lists all faults of a request at once, and the call does not count toward the
// quota.
func TestRefusals(t *testing.T) {
	t.Parallel()
	s := world(t)
	for query, want := range map[string]string{
		metrics: "400 32171 originIataCode, 400 32171 destinationIataCode, 400 32171 departureDate",
		metrics + "originIataCode=Milano&destinationIataCode=&departureDate=soon":                          "400 477 originIataCode, 400 32171 destinationIataCode, 400 477 departureDate",
		metrics + "originIataCode=MIL&originIataCode=LON&destinationIataCode=QQQ&departureDate=2016-02-30": "400 477 originIataCode, 400 572 destinationIataCode, 400 477 departureDate",
		metrics + "originIataCode=MXP&destinationIataCode=LIN&departureDate=2016-02-29":                    "400 572 destinationIataCode, 400 572 departureDate",
		metrics + "originIataCode=MIL&destinationIataCode=LON&departureDate=2017-03-02":                    "400 572 departureDate",
		metrics + london +
			"&currencyCode=XXX&oneWay=yes": "400 477 oneWay, 400 572 " +
			"currencyCode",
		metrics + london +
			"&currencyCode=EURO": "400 477 currencyCode",
		metrics + "originIataCode=%zz": "400 477 , 400 32171 originIataCode, 400 32171 destinationIataCode, 400 " +
			"32171 departureDate",
		dates: "400 32171 origin, 400 32171 destination",
		dates + "origin=MIL&destination=BGY&departureDate=2016-02-30": "400 4926 destination, 400 425 departureDate",
		dates + lists +
			"&departureDate=2016-02-01,2016-02-28": "400 4926 departureDate",
		dates + lists +
			"&departureDate=2016-04-20,2016-04-19": "400 425 departureDate",
		dates + lists +
			"&departureDate=2016-04-20,": "400 477 departureDate",
		dates + lists +
			"&oneWay=true&duration=5": "400 2668 duration",
		dates + lists +
			"&oneWay=true&viewBy=DURATION": "400 2668 viewBy",
		dates + lists +
			"&duration=9,2": "400 4926 duration",
		dates + lists +
			"&duration=0": "400 4926 duration",
		dates + lists +
			"&duration=a": "400 477 duration",
		dates + lists +
			"&maxPrice=9.99&viewBy=COUNTRY": "400 477 maxPrice, 400 " +
			"477 viewBy",
		dates + lists +
			"&page%5Blimit%5D=0": "400 477 page[limit]",
		dates + "origin=MIL&destination=REK&oneWay=true": "404 6003 ",
		dates + lists + "&oneWay=true&maxPrice=1":        "404 6003 ",
		destinations +
			"origin=MIL&oneWay=true&viewBy=DURATION": "400 2668 viewBy",
		destinations +
			"origin=QQQ": "400 4926 origin",
		destinations + "origin=LIS&oneWay=true":            "404 6003 ",
		destinations + "origin=MIL&oneWay=true&maxPrice=1": "404 6003 ",
	} {
		d := s.get(query)
		var got []string
		for _, e := range d.Errors {
			got = append(got, fmt.Sprint(e.Status, " ", e.Code, " ", e.Source.Parameter))
			if e.Status != d.status || e.Detail == "" {
				t.Errorf("%s: %d %+v", query, d.status, e)
			}
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got): %s", query, diff)
		}
		if (d.header.Get("X-RateLimit-Limit") != "") != (d.status == 404) {
			t.Errorf("%s: a %d, counted: %q", query, d.status, d.header.Get("X-RateLimit-Limit"))
		}
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	s := world(t)
	for ours, query := range map[string]string{
		"/v1/analisi?origine=Milano&destinazione=Londra":    metrics + london,
		"/v1/calendario?origine=Milano&destinazione=Londra": dates + lists + "&oneWay=true",
		"/v1/occasioni?origine=Milano":                      destinations + "origin=MIL&oneWay=true",
	} {
		for range 29 {
			if d := s.get(query); d.status != 200 {
				t.Fatalf("%s: %d %s", query, d.status, d.body)
			}
		}
		w := httptest.NewRecorder()
		s.handler.ServeHTTP(w, httptest.NewRequest("GET", ours, nil)) // from the same address
		if w.Code != 200 || w.Header().Get("X-RateLimit-Remaining") != "0" {
			t.Errorf("%s: %d, remaining %s", ours, w.Code, w.Header().Get("X-RateLimit-Remaining"))
		}
		if d := s.get(query); d.status != 429 || !slices.Equal(d.codes(), []int{38194}) ||
			d.header.Get("Retry-After") != "43200" {
			t.Errorf("%s: %d %v %s", query, d.status, d.header, d.body)
		}
		key := fixture.IssueKey(t, s.table, "ada@example.com", s.at, 24*time.Hour)
		if d := s.with(s.trade(key), query); d.status != 200 || d.header.Get("X-Plan") != "pro" {
			t.Errorf("%s, with a key: %d %s", query, d.status, d.body)
		}
	}
}

func TestTokenEndpoint(t *testing.T) {
	t.Parallel()
	s := serve(t, fixture.Falling(fare.DayOf(now)), onemachine.Options{})
	key := fixture.IssueKey(t, s.table, "ada@example.com", s.at, 24*time.Hour)
	ended := fixture.IssueKey(t, s.table, "bob@example.com", s.at, -time.Hour)
	former := fixture.IssueKey(t, s.table, "cleo@example.com", s.at, 24*time.Hour)
	fixture.IssueKey(t, s.table, "cleo@example.com", s.at, 24*time.Hour)
	form := func(fields ...string) string {
		v := url.Values{}
		for i := 0; i < len(fields); i += 2 {
			v.Add(fields[i], fields[i+1])
		}
		return v.Encode()
	}
	granted := func(secret string) string {
		return form("grant_type", "client_credentials", "client_id", "x", "client_secret", secret)
	}
	for name, c := range map[string]struct {
		form, error string
		status      int
		code        any
	}{
		"a key":                {granted(key), "", 200, nil},
		"free":                 {granted("free"), "", 200, nil},
		"a replaced key":       {granted(former), "invalid_client", 401, 38187.},
		"a plan that ended":    {granted(ended), "invalid_client", 401, 39683.},
		"an unknown key":       {granted("vd_" + strings.Repeat("A", 65)), "invalid_client", 401, 38187.},
		"a word":               {granted("FREE "), "invalid_client", 401, 38187.},
		"10 kB":                {granted(strings.Repeat("x", 10<<10)), "invalid_client", 401, 38187.},
		"more than a body has": {granted(strings.Repeat("x", httpapi.MaxBody)), "invalid_request", 400, 38187.},
		"no secret":            {granted(""), "invalid_request", 400, 38187.},
		"no client": {form("grant_type", "client_credentials", "client_secret", "free"), "invalid_request",
			400, 38187.},
		"no grant": {form("client_id", "x", "client_secret", "free"), "invalid_request", 400, 38187.},
		"another grant": {form("grant_type", "password", "client_id", "x", "client_secret", "free"),
			"unsupported_grant_type", 400, 38187.},
		"two secrets": {granted("free") + "&client_secret=" + key, "invalid_request", 400, 38187.},
		"no form":     {"%zz", "invalid_request", 400, 38187.},
		"nothing":     {"", "invalid_request", 400, 38187.},
	} {
		d := s.post(c.form)
		if d.status != c.status || d.Error != c.error || d.Code != c.code ||
			(d.AccessToken != "") != (c.status == 200) || (d.Description != "") != (c.status != 200) {
			t.Errorf("%s: %d %.300s", name, d.status, d.body)
		}
	}
	// One SDK writes the key in the URL too, where it is ignored.
	r := httptest.NewRequest("POST", "/v1/security/oauth2/token?"+granted(key), strings.NewReader(""))
	if d := s.do(r); d.status != 400 {
		t.Errorf("by the address: %d %s", d.status, d.body)
	}
	// When a key is rotated, its tokens stop working at once.
	token := s.trade(key)
	const ask = metrics + "originIataCode=MIL&destinationIataCode=BUH&departureDate=2016-04-20"
	if d := s.with(token, ask); d.status != 200 {
		t.Errorf("before: %d %s", d.status, d.body)
	}
	fixture.IssueKey(t, s.table, "ada@example.com", s.at, 24*time.Hour)
	if d := s.with(token, ask); d.status != 401 || !slices.Equal(d.codes(), []int{38193}) {
		t.Errorf("after: %d %s", d.status, d.body)
	}
	for name, c := range map[string]struct {
		token string
		code  int
	}{"none": {"", 38191}, "forged": {token[:len(token)-2] + "xx", 38190},
		"of elsewhere": {"fleI0htH7JFN1nOwDaOi21Yejr4A", 38190}} {
		if d := s.with(c.token, ask); d.status != 401 || !slices.Equal(d.codes(), []int{c.code}) {
			t.Errorf("%s: %d %s", name, d.status, d.body)
		}
	}
	s.at = s.at.Add(30 * time.Minute)
	if d := s.get(ask); d.status != 401 || !slices.Equal(d.codes(), []int{38192}) {
		t.Errorf("half an hour later: %d %s", d.status, d.body)
	}
}

func TestBookable(t *testing.T) {
	t.Parallel()
	s := serve(t, fixture.Falling(fare.DayOf(now)), onemachine.Options{})
	n := 0
	for _, r := range routes.Table {
		if r.Function != "compat" || r.Tokens || r.Name == "compat-token" {
			continue
		}
		n++
		for _, path := range r.Paths() {
			d := s.do(httptest.NewRequest(r.Method, strings.Replace(path, "{file}", "eJzTd9f3NjIJdzUGAApAiY%3D", 1),
				strings.NewReader("{}")))
			if d.status != 501 || !slices.Equal(d.codes(), []int{38196}) ||
				!strings.Contains(d.body, "/v1/shopping/flight-dates") {
				t.Errorf("%s %s: %d %s", r.Method, path, d.status, d.body)
			}
		}
	}
	if n < 10 {
		t.Errorf("%d are refused", n)
	}
}
