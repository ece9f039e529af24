package verdict

import (
	"net/http/httptest"
	"testing"

	"verdetto/e2e/fixture"

	"github.com/google/go-cmp/cmp"
)

func TestWhatThePageCosts(t *testing.T) {
	t.Parallel()
	const summary = "Get ROUTE#MIL-BUH SHEET, strong false"
	const sheet, pooled = "Get ROUTE#MIL-BUH DEPARTURES#any, strong false", "Get FARES POOLED, strong false"
	const origins = "Query COVERED"
	const demand = "Write of 1"
	const rates = "Get FARES RATES, strong false"
	for _, c := range []struct {
		name, target string
		want         []string
	}{
		{"the question", "/", []string{rates, origins}},
		{"a verdict", "/?da=Milano&a=Bucarest", []string{rates, "Take", summary, demand, sheet, pooled}},
		{"a departure", "/?da=Milano&a=Bucarest&visto=45&quando=2016-04-20",
			[]string{rates, "Take", sheet, demand, pooled, "Query ROUTE#MIL-BUH"}},
		{"a month without a fare, with its last fare", "/?da=Milano&a=Bucarest&mese=2016-04",
			[]string{rates, "Take", sheet, demand, pooled, "Query ROUTE#MIL-BUH"}},
		{"where it is cheap, on the page", "/?da=Milano", []string{rates, "Take", "Get ORIGIN#MIL DEALS, strong false"}},
		{"the same city", "/?da=Milano&a=Milan", []string{rates}},
		{"an unknown city", "/?da=Milano&a=Bukarestt", []string{rates, "Take"}},
		{"the weeks", "/v1/storico?origine=Milano&destinazione=Bucarest", []string{"Take", summary, demand}},
		{"how a departure moved", "/v1/storico?origine=Milano&destinazione=Bucarest&partenza=2016-04-20",
			[]string{"Take", summary, demand, rates, "Query ROUTE#MIL-BUH"}},
		{"a calendar", "/v1/calendario?origine=Milano&destinazione=Bucarest", []string{"Take", sheet, demand, pooled}},
		{"a calendar of the past", "/v1/calendario?origine=Milano&destinazione=Bucarest&mese=2016-01", nil},
		{"where it is cheap", "/v1/occasioni?origine=Milano", []string{"Take", "Get ORIGIN#MIL DEALS, strong false"}},
		{"the same as a feed", "/feed/MIL-it.atom", []string{"Take", "Get ORIGIN#MIL DEALS, strong false"}},
		{"a feed of no city", "/feed/QQQ-it.atom", nil},
		{"a name to complete", "/v1/citta?q=mila", []string{origins}},
		{"a destination to complete", "/v1/citta?q=buca&origine=Milano", []string{origins,
			"Get ORIGIN#MIL TRENDS, strong false"}},
		{"a card", "/card/MIL-BUH-it.png", []string{"Take", summary, demand}},
		{"a card of no city", "/card/QQQ-BUH-it.png", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := &fixture.Recorder{Table: fixture.Observed(t, sizes[0], fixture.Today)}
			h := serving(t, table)
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", c.target, nil))
			if diff := cmp.Diff(c.want, table.Calls()); diff != "" {
				t.Errorf("calls to the store: %s", diff)
			}
		})
	}
}
