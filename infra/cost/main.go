// Command cost computes what the service costs on AWS: from measurements, from AWS's prices and
// from the templates of make synth. It prints the tables of docs/aws.md,
// for infra/cdk/example.json:
//
//	make build synth
//	go run ./infra/cost -templates cdk.out
//
// It does not predict a bill: it ignores free tiers and everything else in the account.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
)

// prices holds AWS's prices in us-east-1, in US dollars. AWS publishes prices there first. Ireland
// (eu-west-1) is 0 to 14 % more expensive.
var prices = struct {
	date string
	// Prices of a Lambda call, a GB-second of Lambda on arm64, a call of API Gateway, an HTTPS
	// request to CloudFront, and a GB that CloudFront sends.
	lambdaCall, lambdaGBs, api, edge, edgeGB float64
	read, write, stored, backup              float64 // a unit, a unit, a GB-month, a GB-month
	logGB, trace                             float64 // a GB of input, a trace
	firewallRequest                          float64 // a request that the firewall inspects
	// Prices per month. The firewall costs as much as five rules, plus one price for each of its
	// rules.
	metric, alarm, firewall, secret, masterKey float64
	dashboard, poll                            float64 // a month, a poll of a queue
}{
	date:       "July 2025",
	lambdaCall: 0.20e-6, lambdaGBs: 0.0000133334, api: 1.00e-6, edge: 1.00e-6, edgeGB: 0.085,
	read: 0.125e-6, write: 0.625e-6, stored: 0.25, backup: 0.20,
	logGB: 0.50, trace: 5e-6,
	firewallRequest: 0.60e-6, metric: 0.30, alarm: 0.10, firewall: 1, secret: 0.40, masterKey: 1,
	dashboard: 3, poll: 0.40e-6,
}

// use is what one call of some kind consumes.
type use struct {
	name        string
	reads       float64 // units
	writes      float64
	seconds     float64 // of the function, with memory
	memoryGB    float64
	answerBytes float64
	logBytes    float64 // of the function's line and of API Gateway's
	reaches     float64 // the share of calls that miss the edge's cache
}

// measured lists the kinds of calls with their usage. The units of DynamoDB come from
// TestUnitsOfAVerdict in e2e/verdict. CPU time and memory come from TestProveMemoryAndTime in
// e2e/lambda. The wait for DynamoDB is assumed to be 5 ms per request.
var measured = []use{
	{"verdict, free", 0.5, 1, 0.0036 + 2*0.005, 0.5, 1200, 750, 1},
	{"verdict, Pro", 1.5, 1, 0.0036 + 3*0.005, 0.5, 1200, 750, 1},
	{"price trends, free, none from the edge", 0.5, 1, 0.0070 + 2*0.005, 0.5, 5000, 750, 1},
	{"price trends, free, 9 of 10 from the edge", 0.5, 1, 0.0070 + 2*0.005, 0.5, 5000, 750, 0.1},
	{"places nearby, free, six of them", 3.5, 1, 0.0042 + 8*0.005, 0.5, 2500, 750, 1},
}

const million = 1e6

// costs returns the costs of a million calls in US dollars, for each AWS service.
func (u use) costs() (table, function, api, edge, firewall, logs float64) {
	n := million * u.reaches
	table = n * (u.reads*prices.read + u.writes*prices.write)
	function = n * (prices.lambdaCall + u.seconds*u.memoryGB*prices.lambdaGBs)
	api = n * prices.api
	edge = million * (prices.edge + u.answerBytes/1e9*prices.edgeGB)
	firewall = million * prices.firewallRequest
	logs = n * u.logBytes / 1e9 * prices.logGB
	return table, function, api, edge, firewall, logs
}

func (u use) total() float64 {
	a, b, c, d, e, f := u.costs()
	return a + b + c + d + e + f
}

// Figures of the weekly refresh of all origins (a sweep), and of the daily refresh of departures.
const (
	origins        = 3517
	routesFound    = 10_000 // average with 100 new fares a week
	readsOfRoute   = 12.5   // units; see the package comment of shared/store
	writesOfRoute  = 5.0
	readsOfSheets  = 6.0 // departure states, at the size after a year
	writesOfSheets = 26.0
	readsOfOrigin  = 1.0
	writesOfOrigin = 3.0
	workerSeconds  = 2 * 12.3 * 60 // two workers, limited by the source's rate limit
	// Figures of the requests for departures: 10,000 routes, of which 500 are requested every day.
	// See TestEvidenceDeepWeek and TestDepthCapacity.
	seriesAWeek     = 9_500 + 7*500.0
	callsAWeek      = 6*3_108 + 852.0 // each also counts against the day's budget
	readsOfSeries   = 29.0
	writesOfSeries  = 6.0
	secondsOfSeries = 2 * (6*8.05 + 2.3) * 60 // two workers
	weeks           = 52.0 / 12               // per month
	days            = 365.0 / 12              // per month
	looks           = 12 * 24 * days
	readsOfAge      = 11.0 // units: the age of a sample of 20 origins, at each check for mail
	// Lambda keeps five long polls of 20 seconds open per queue, with or without messages.
	polls = 5 * 24 * 60 * 60 / 20 * days
)

// month returns the monthly costs that do not depend on the number of calls.
func (s stack) month() []struct {
	what string
	usd  float64
} {
	type line = struct {
		what string
		usd  float64
	}
	sweep := (routesFound*(readsOfRoute+readsOfSheets)+origins*readsOfOrigin)*prices.read +
		(routesFound*(writesOfRoute+writesOfSheets)+origins*writesOfOrigin)*prices.write
	departures := seriesAWeek*((readsOfSeries+readsOfSheets)*prices.read+(writesOfSeries+writesOfSheets)*prices.write) +
		callsAWeek*prices.write
	// A route stores one block of 4 KB per week of history, and 94 KB for a year of departures.
	stored := float64(routesFound) * (53*4e3 + 94e3) / 1e9
	return []line{
		{"the weekly refresh: table", weeks * sweep},
		{"the weekly refresh: function", weeks * workerSeconds * 0.5 * prices.lambdaGBs},
		{"departures: table", weeks * departures},
		{"departures: function", weeks * secondsOfSeries * 0.5 * prices.lambdaGBs},
		{fmt.Sprintf("the table, %.1f GB, and its backup", stored), stored * (prices.stored + prices.backup)},
		{"the checks of outboxes, every five minutes", looks * (3*(prices.lambdaCall+0.03*0.5*prices.lambdaGBs+4*prices.read) +
			readsOfAge*prices.read)},
		{fmt.Sprintf("Lambda's own checks of %d queues, empty or not", s.queues),
			float64(s.queues) * polls * prices.poll},
		{fmt.Sprintf("own metrics of alarms and the dashboard: %d, if each has data every hour",
			s.metrics), float64(s.metrics) * prices.metric},
		{fmt.Sprintf("%d alarms, on %d metrics; dashboards: %d", s.alarms, s.alarmMetrics, s.dashboards),
			float64(s.alarmMetrics)*prices.alarm + float64(s.dashboards)*prices.dashboard},
		{fmt.Sprintf("the firewall and its rules: %d", s.rules), float64(min(s.rules, 1)*5+s.rules) * prices.firewall},
		{fmt.Sprintf("keys of notices: %d; the edge's secret", s.keys),
			float64(s.keys)*prices.masterKey + float64(s.secrets)*prices.secret},
		{"traces of a million calls: 1 a second, and 5 % of the rest", million * prices.trace},
	}
}

// tables writes the costs of a million calls and the monthly costs as two tables in Markdown.
func (s stack) tables(w io.Writer) {
	fmt.Fprintf(w, "A million calls, in US dollars (us-east-1, price list of %s, without free tiers):\n\n", prices.date)
	fmt.Fprintln(w, "| a million of | table | functions | API Gateway | CloudFront | firewall | logs | together |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|--:|")
	for _, u := range measured {
		a, b, c, d, e, f := u.costs()
		fmt.Fprintf(w, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | **%.2f** |\n", u.name, a, b, c, d, e, f,
			u.total())
	}
	fmt.Fprintf(w, "\nA month without any call (%d origins, %d routes):\n\n", origins, routesFound)
	fmt.Fprintln(w, "| a month | USD |\n|---|--:|")
	total := 0.0
	for _, l := range s.month() {
		fmt.Fprintf(w, "| %s | %.2f |\n", l.what, l.usd)
		total += l.usd
	}
	fmt.Fprintf(w, "| **together** | **%.2f** |\n", total)
}

func main() {
	folder := flag.String("templates", "cdk.out", "`folder` of the synthesized templates; make synth writes it")
	flag.Parse()
	s, err := read(*folder)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
	s.tables(os.Stdout)
	fmt.Println()
	s.floodTable(os.Stdout)
}
