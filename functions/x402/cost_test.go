package x402_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/fare"
)

func TestCallsToTheStore(t *testing.T) {
	t.Parallel()
	clock := today()
	table := fixture.Bolt(t, clock.Now)
	fixture.Refreshed(t, table, fixture.Falling(fare.DayOf(clock.Now())), clock.Now)
	recorder := &fixture.Recorder{Table: table}
	p := fixture.OpenPerCall(t, recorder, clock.Now)
	name := regexp.MustCompile(`[1-9A-HJ-NP-Za-km-z]{32,}|(?:address-)[\w-]{22}`)
	calls := func(payment string, want int) (calls []string) {
		t.Helper()
		before := len(recorder.Calls())
		must(t, p.Ask(verdict, payment), want, "")
		for _, c := range recorder.Calls()[before:] {
			calls = append(calls, name.ReplaceAllString(c, "NAME"))
		}
		return calls
	}
	calls(p.Payment("ada", price, 1), 200) // the first call reads more than later ones
	if diff := cmp.Diff([]string{"Take"}, calls("", 402)); diff != "" {
		t.Errorf("without a payment (-want +got): %s", diff)
	}
	want := []string{"Take", "Get ROUTE#MIL-BUH SHEET, strong false", "Query FEES#payer-NAME", "Query FEES#NAME",
		"Query FEES#all", "Write of 8", "Query CREDIT#NAME", "Write of 9"}
	if diff := cmp.Diff(want, calls(p.Payment("ada", price, 2), 200)); diff != "" {
		t.Errorf("paid (-want +got): %s", diff)
	}
	for _, hostile := range []string{"e30=", p.Payment("ada", price-1, 3)} {
		if diff := cmp.Diff([]string{"Take"}, calls(hostile, 402)); diff != "" {
			t.Errorf("a payment that is none (-want +got): %s", diff)
		}
	}
}
