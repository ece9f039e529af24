package main

import (
	"fmt"
	"io"

	"verdetto/shared/routes"
)

// What AWS lets through at most, unasked, and what the stack does.
// ("Quotas" of CloudFront and of API Gateway; infra/cdk.)
const (
	edgeQuota      = 250_000 // requests a second, of a distribution
	apiQuota       = 10_000  // requests a second, of an account in a region
	throughput     = 840     // requestsPerSecond
	perFiveMinutes = 2000    // requestsPerFiveMinutes
	relayedTimes   = 10      // as much for addresses that call for many
	secondsADay    = 24 * 60 * 60
)

// flood is what somebody does who wants to cost us money.
type flood struct {
	name      string
	addresses float64
	perSecond float64
}

// floods are what the quotas let anybody do, and what one machine can.
var floods = []flood{
	{"1,000 addresses, as fast as quotas let them", 1000, edgeQuota},
	{"one address, 1,000 a second", 1, 1000},
}

// attack is a way to do it.
type attack struct {
	name, how string
	direct    bool   // past the edge
	bare      bool   // where the operator has no domain
	kept      bool   // the edge answers
	path      string // whose share of the throughput it takes; "" is all of it
	relayed   bool
	a         use // what a call uses that gets through
}

var attacks = []attack{
	{"direct", "API Gateway is called past the edge", true, false, false, "", false, use{seconds: 0.0036, memoryGB: 0.5, logBytes: 750}},
	{"direct, without a domain", "API Gateway then has its own address, where functions answer 403", true, true, false, "", false, use{seconds: 0.0036, memoryGB: 0.5, logBytes: 750}},
	{"edge misses", "verdicts, of which the edge keeps none; each counted", false, false, false, "", false, measured[0]},
	{"edge hits", "price trends that the edge has", false, false, true, "", false, measured[3]},
	{"wrong keys", "keys of the right form, each looked up", false, false, false, "", false, use{reads: 1, seconds: 0.0036 + 0.005, memoryGB: 0.5, answerBytes: 500, logBytes: 750}},
	{"webhook", "deliveries that are not Stripe's", false, false, false, "/v1/pro/webhook", true, use{seconds: 0.0036, memoryGB: 0.5, answerBytes: 500, logBytes: 750}},
}

// defence is what stands in the way.
type defence struct {
	throttle func(a attack) float64 // calls a second that get to a function
	firewall bool
	closed   bool // nobody gets to API Gateway but the edge
}

var (
	// Formerly each path had the whole throughput, the API had its own address, and there was no firewall.
	before = defence{func(a attack) float64 {
		if a.path != "" {
			return 2 * throughput // it has an alias
		}
		return min(apiQuota, throughput*float64(len(routes.Throttles(throughput))))
	}, false, false}
	now = defence{func(a attack) float64 {
		rates, all := routes.Throttles(throughput), 0
		if a.path != "" {
			return float64(rates[a.path] + rates[routes.Alias+a.path])
		}
		for _, r := range rates {
			all += r
		}
		return float64(all)
	}, true, true}
)

// day is what a day of an attack costs, in US dollars.
func (d defence) day(f flood, a attack) float64 {
	if a.direct {
		if d.closed && !a.bare {
			return 0 // without a certificate there is no connection, and so no request
		}
		return secondsADay * min(f.perSecond, d.throttle(a)) * d.inside(a.a)
	}
	passed, usd := f.perSecond, 0.0
	if d.firewall {
		limit := perFiveMinutes / 300.0
		if a.relayed {
			limit *= relayedTimes
		}
		passed = min(passed, f.addresses*limit)
		usd += f.perSecond * prices.firewallRequest
	}
	// What the firewall stops CloudFront does not charge for. (AWS, "Amazon CloudFront no longer charges for requests blocked by AWS WAF".)
	usd += passed * (prices.edge + a.a.answerBytes/1e9*prices.edgeGB)
	if !a.kept {
		usd += min(passed, d.throttle(a)) * d.inside(a.a)
	}
	return secondsADay * usd
}

// inside is what a call costs behind the edge. What is throttled there is not
// charged for. (AWS re:Post, "Does AWS charge for throttled requests?")
func (d defence) inside(u use) float64 {
	return prices.api + prices.lambdaCall + u.seconds*u.memoryGB*prices.lambdaGBs + u.reads*prices.read + u.writes*prices.write + u.logBytes/1e9*prices.logGB
}

// floodTable writes what a day of each costs.
func floodTable(w io.Writer) {
	fmt.Fprint(w, "| US dollars a day | what is done |")
	for _, f := range floods {
		fmt.Fprintf(w, " %s: before | now |", f.name)
	}
	fmt.Fprintln(w, "\n|---|---|--:|--:|--:|--:|")
	for _, a := range attacks {
		fmt.Fprintf(w, "| %s | %s |", a.name, a.how)
		for _, f := range floods {
			fmt.Fprintf(w, " %s | %s |", dollars(before.day(f, a)), dollars(now.day(f, a)))
		}
		fmt.Fprintln(w)
	}
}

// dollars are rounded as far as they say something.
func dollars(usd float64) string {
	switch {
	case usd == 0:
		return "0"
	case usd < 10:
		return fmt.Sprintf("%.2f", usd)
	case usd < 1000:
		return fmt.Sprintf("%.0f", usd)
	}
	return fmt.Sprintf("%d,%03d", int(usd+0.5)/1000, int(usd+0.5)%1000)
}
