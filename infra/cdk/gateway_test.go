package main

import (
	"slices"
	"strings"
	"testing"

	"verdetto/shared/web/routes"
)

type gateway struct {
	functions map[string]string // by path of the route; "" is $default
	rates     map[string]float64
}

func gatewayOf(t *testing.T, h *synthesized) gateway {
	t.Helper()
	g := gateway{map[string]string{}, map[string]float64{}}
	for id, r := range h.Resources {
		if r.Type != "AWS::ApiGatewayV2::Route" {
			continue
		}
		key, _ := r.Properties["RouteKey"].(string)
		path, rate := "", h.property("ApiStage", "DefaultRouteSettings", "ThrottlingRateLimit")
		if key != "$default" {
			path = strings.TrimPrefix(key, "ANY ")
			rate = h.property("ApiStage", "RouteSettings", key, "ThrottlingRateLimit")
			if !slices.ContainsFunc(asList(h.Resources["ApiStage"].DependsOn), func(d any) bool { return d == id }) {
				t.Errorf("the stage is made before %s, whose share API Gateway then refuses", id)
			}
		}
		for _, f := range functions {
			if strings.Contains(compact(r.Properties["Target"]), `"`+title(f.name)+`Integration"`) {
				g.functions[path] = f.name
			}
		}
		g.rates[path], _ = rate.(float64)
	}
	return g
}

// route returns the route that API Gateway uses for a path: the same path, else the longest with
// {proxy+}, else $default. (AWS, "Create routes for HTTP APIs in API Gateway".)
func (g gateway) route(path string) string {
	best := ""
	for route := range g.functions {
		if route == path {
			return route
		}
		if folder, ok := strings.CutSuffix(route, "{proxy+}"); ok && strings.HasPrefix(path, folder) &&
			len(path) > len(folder) && len(route) > len(best) {
			best = route
		}
	}
	return best
}

// Unknown paths go to the function that answers 404.
func TestRoutesLead(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		g := gatewayOf(t, fixture(t, name))
		for _, r := range routes.Table {
			for _, p := range r.Paths() {
				p = strings.ReplaceAll(p, "{file}", "x")
				if f := g.functions[g.route(p)]; f != r.Function {
					t.Errorf("%s: %s is led to %q by %q, want %s", name, p, f, g.route(p), r.Function)
				}
			}
		}
		for _, p := range []string{"/nothing", "/v1/nothing", "/api/v1/nothing", "/api", "/v2", "/v1/proxy",
			"/v1/shopping"} {
			if f := g.functions[g.route(p)]; f != routes.Fallback {
				t.Errorf("%s: %s is led to %q", name, p, f)
			}
		}
	}
}

// leastShare is in calls per second. One address can make at most 6.7 before the firewall blocks
// it.
const leastShare = 20

// Every path has at least leastShare calls per second; the page, the verdict and the webhook have
// more. All limits add up to RequestsPerSecond, and to at most half of the account's quota in a
// region.
func TestThrottles(t *testing.T) {
	h := fixture(t, "example")
	g := gatewayOf(t, h)
	share := func(path string) float64 { return g.rates[g.route(strings.ReplaceAll(path, "{file}", "x"))] }
	for _, r := range routes.Table {
		for _, p := range r.Paths() {
			if share(p) < leastShare {
				t.Errorf("%s has %v calls a second", p, share(p))
			}
		}
	}
	for _, p := range []string{"/", "/nothing", "/v1/analisi", "/api/v1/analisi", "/v1/pro/webhook",
		"/api/v1/pro/webhook"} {
		if share(p) < 2*leastShare {
			t.Errorf("%s has %v calls a second, want at least %d", p, share(p), 2*leastShare)
		}
	}
	if g.route("/v1/pro/webhook") == g.route("/v1/pro/checkout") {
		t.Error("who floods the checkout takes the webhook's share")
	}
	together := 0.0
	for path, rate := range g.rates {
		together += rate
		settings := h.property("ApiStage", "DefaultRouteSettings")
		if path != "" {
			settings = h.property("ApiStage", "RouteSettings", "ANY "+path)
		}
		if burst := at(settings, "ThrottlingBurstLimit"); burst != 2*rate {
			t.Errorf("%q takes bursts of %v", path, burst)
		}
	}
	if chosen := float64(defaults().RequestsPerSecond); together != chosen || together > 5000 {
		t.Errorf("all together come to %v a second, not to %v", together, chosen)
	}
	if n := len(g.rates); n > 40 {
		t.Errorf("%d routes share the throughput", n)
	}
}

// 100 addresses that call the shop as often as the firewall lets them leave a third of its share to
// others, under both of its paths together. The webhook has a share of its own, and the firewall's limit
// does not count its deliveries. An IPv6 customer has more addresses than 100.
func TestTheShopStaysOpen(t *testing.T) {
	h := fixture(t, "example")
	g := gatewayOf(t, h)
	for _, rule := range asList(h.property("Firewall", "Rules")) {
		if at(rule, "Name") != "rate-shop" {
			continue
		}
		rate := func(field string) float64 {
			return at(rule, "Statement", "RateBasedStatement", field).(float64)
		}
		perSecond := 100 * rate("Limit") / rate("EvaluationWindowSec")
		for _, p := range []string{"/v1/pro/checkout", "/api/v1/pro/checkout", "/v1/pro/nothing"} {
			if share := g.rates[g.route(p)]; perSecond > share*2/3 {
				t.Errorf("100 addresses make %v of %v calls a second of %s", perSecond, share, p)
			}
		}
		scope := compact(at(rule, "Statement", "RateBasedStatement", "ScopeDownStatement"))
		if !strings.Contains(scope, `"^(/api)?/v1/pro/"`) || !strings.Contains(scope, "NotStatement") ||
			!strings.Contains(scope, "/v1/pro/webhook") {
			t.Errorf("the limit counts %s", scope)
		}
		if on := h.property("Distribution", "DistributionConfig", "IPV6Enabled"); on != false {
			t.Errorf("IPv6 is %v", on)
		}
		return
	}
	t.Error("the firewall has no rule for the shop")
}

// Only API Gateway's own 429s are counted in its log. A function's have an integration status.
func TestThrottledCallsAreCounted(t *testing.T) {
	h := fixture(t, "example")
	if format := compact(h.property("ApiStage", "AccessLogSettings", "Format")); !strings.Contains(format,
		`integration\":\"$context.integration.status`) {
		t.Errorf("the log does not tell who answered: %s", format)
	}
	filter := h.Resources["ApiThrottledFilter"].Properties
	if compact(filter["LogGroupName"]) != `{"Ref":"ApiLog"}` ||
		filter["FilterPattern"] != `{ ($.status = "429") && ($.integration != "429") }` {
		t.Errorf("counted are %v of %v", filter["FilterPattern"], compact(filter["LogGroupName"]))
	}
}
