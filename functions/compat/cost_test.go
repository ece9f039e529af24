package compat_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
)

// In a process that has answered before, each endpoint costs one write (the count) and one read.
// Issuing a token for a key also reads the customer. The dates of returns cost one read per class
// of nights away (1-3, 4-7, ...).
func TestCallsToTheStore(t *testing.T) {
	t.Parallel()
	s := world(t)
	key := fixture.IssueKey(t, s.table, "ada@example.com", s.at, 24*time.Hour)
	pro := s.trade(key)
	id := regexp.MustCompile(`CUSTOMER#[A-Za-z0-9_-]+ KEY`)
	const take, customer = "Take", "Get CUSTOMER, strong true"
	sheet := func(trip string) string { return "Get ROUTE#MIL-LON" + trip + " DEPARTURES#any, strong false" }
	for _, c := range []struct {
		name string
		ask  func() document
		want []string
	}{
		{"a free token", func() document { s.trade("free"); return document{status: 200} }, nil},
		{"a token of a key", func() document { s.trade(key); return document{status: 200} }, []string{customer}},
		{"metrics", func() document {
			return s.get(metrics + london + "&oneWay=true")
		}, []string{take, sheet("")}},
		{"metrics, with a key", func() document {
			return s.with(pro, metrics+london+"&oneWay=true")
		}, []string{customer, take, sheet("")}},
		{"metrics of returns", func() document {
			return s.get(metrics + london)
		}, []string{take, sheet("#4-7")}},
		{"dates", func() document { return s.get(dates + lists + "&oneWay=true") }, []string{take, sheet("")}},
		{"dates of returns", func() document { return s.get(dates + lists) },
			[]string{take, sheet("#1-3"), sheet("#4-7"), sheet("#8-14"), sheet("#15+")}},
		{"destinations", func() document { return s.get(destinations + "origin=MIL&oneWay=true") },
			[]string{take, "Get ORIGIN#MIL DEALS, strong false"}},
		{"a forged token", func() document {
			s.with(pro[:len(pro)-2]+"xx", metrics+"originIataCode=MIL")
			return document{status: 200}
		}, nil},
	} {
		if d := c.ask(); d.status != 200 { // the first call of a process
			t.Fatalf("%s: %d %s", c.name, d.status, d.body)
		}
		before := len(s.table.Calls())
		c.ask()
		var got []string
		for _, call := range s.table.Calls()[before:] {
			got = append(got, id.ReplaceAllString(call, "CUSTOMER"))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got): %s", c.name, diff)
		}
	}
}
