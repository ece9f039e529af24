package main

import (
	"fmt"
	"io"
)

// CloudFront's default quota. ("Quotas" of CloudFront.)
const (
	edgeQuota   = 250_000 // requests per second and distribution
	secondsADay = 24 * 60 * 60
)

// flood is the size of an attack whose aim is to cause costs: many requests from many addresses.
type flood struct {
	name      string
	addresses float64
	perSecond float64
}

// floods are the largest attack that CloudFront's quotas allow, and the attack of one machine.
var floods = []flood{
	{"1,000 addresses, as fast as quotas let them", 1000, edgeQuota},
	{"one address, 1,000 a second", 1, 1000},
}

// attack is a kind of request that a flood repeats.
type attack struct {
	name, how string
	direct    bool // past the edge
	kept      bool // the edge answers
	webhook   bool // limited by the webhook's share and its higher firewall limit
	a         use  // usage of a call that gets through
}

var attacks = []attack{
	{"direct", "API Gateway is called past the edge, where functions answer 403; with mutual TLS it costs nothing",
		true, false, false, use{seconds: 0.0036, memoryGB: 0.5, logBytes: 750}},
	{"edge misses", "verdicts, of which the edge keeps none; each counted", false, false, false, measured[0]},
	{"edge hits", "price trends that the edge has", false, true, false, measured[3]},
	{"wrong keys", "keys of the right form, each looked up", false, false, false,
		use{reads: 1, seconds: 0.0036 + 0.005, memoryGB: 0.5, answerBytes: 500, logBytes: 750}},
	{"webhook", "deliveries that are not Stripe's", false, false, true,
		use{seconds: 0.0036, memoryGB: 0.5, answerBytes: 500, logBytes: 750}},
}

// day returns the cost of a day of an attack, in US dollars.
func (s stack) day(f flood, a attack) float64 {
	share, limit := s.throughput, s.perAddress
	if a.webhook {
		share, limit = s.webhook, s.perRelay
	}
	if a.direct {
		return secondsADay * min(f.perSecond, share) * inside(a.a)
	}
	passed, usd := f.perSecond, 0.0
	if s.rules > 0 {
		passed = min(passed, f.addresses*limit/300)
		usd += f.perSecond * prices.firewallRequest
	}
	// CloudFront does not charge for requests that the firewall blocks. (AWS, "Amazon CloudFront
	// no longer charges for requests blocked by AWS WAF".)
	usd += passed * (prices.edge + a.a.answerBytes/1e9*prices.edgeGB)
	if !a.kept {
		usd += min(passed, share) * inside(a.a)
	}
	return secondsADay * usd
}

// inside returns the cost of a call after CloudFront has forwarded it. API Gateway does not charge
// for calls that it throttles. (AWS re:Post, "Does AWS charge for throttled requests?")
func inside(u use) float64 {
	return prices.api + prices.lambdaCall + u.seconds*u.memoryGB*prices.lambdaGBs + u.reads*prices.read +
		u.writes*prices.write + u.logBytes/1e9*prices.logGB
}

// floodTable writes the cost of a day of each attack.
func (s stack) floodTable(w io.Writer) {
	fmt.Fprint(w, "| US dollars a day | what is done |")
	for _, f := range floods {
		fmt.Fprintf(w, " %s |", f.name)
	}
	fmt.Fprintln(w, "\n|---|---|--:|--:|")
	for _, a := range attacks {
		fmt.Fprintf(w, "| %s | %s |", a.name, a.how)
		for _, f := range floods {
			fmt.Fprintf(w, " %s |", dollars(s.day(f, a)))
		}
		fmt.Fprintln(w)
	}
}

// dollars formats an amount in US dollars, with cents only below 10.
func dollars(usd float64) string {
	switch {
	case usd < 10:
		return fmt.Sprintf("%.2f", usd)
	case usd < 1000:
		return fmt.Sprintf("%.0f", usd)
	}
	return fmt.Sprintf("%d,%03d", int(usd+0.5)/1000, int(usd+0.5)%1000)
}
