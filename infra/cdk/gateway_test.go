package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/web/routes"
)

type gateway struct {
	behaviours []any
	origins    map[any]string
	functions  map[string]string
	rates      map[string]float64
}

func gatewayOf(t *testing.T, h *synthesized) gateway {
	t.Helper()
	distribution := h.property("Distribution", "DistributionConfig")
	g := gateway{append(slices.Clone(asList(at(distribution, "CacheBehaviors"))), at(distribution, "DefaultCacheBehavior")),
		map[any]string{}, map[string]string{}, map[string]float64{}}
	for _, o := range asList(at(distribution, "Origins")) {
		g.origins[at(o, "Id")] = at(o, "OriginPath").(string)
	}
	for id, r := range h.Resources {
		if r.Type != "AWS::ApiGatewayV2::Route" {
			continue
		}
		key := r.Properties["RouteKey"].(string)
		settings := h.property("ApiStage", "DefaultRouteSettings")
		if key != "$default" {
			settings = h.property("ApiStage", "RouteSettings", key)
			if !slices.ContainsFunc(asList(h.Resources["ApiStage"].DependsOn), func(d any) bool { return d == id }) {
				t.Errorf("the stage is made before %s, whose share API Gateway then refuses", id)
			}
		}
		for _, f := range functions {
			if strings.Contains(compact(r.Properties["Target"]), `"`+title(f.name)+`Integration"`) {
				g.functions[key] = f.name
			}
		}
		g.rates[key], _ = at(settings, "ThrottlingRateLimit").(float64)
		if burst := at(settings, "ThrottlingBurstLimit"); burst != 2*g.rates[key] {
			t.Errorf("%q takes bursts of %v", key, burst)
		}
	}
	return g
}

func (g gateway) route(path string) (key, raw string) {
	i := slices.IndexFunc(g.behaviours, func(b any) bool {
		pattern, given := at(b, "PathPattern").(string)
		return !given || regexp.MustCompile("^"+strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")+"$").MatchString(path)
	})
	origin := g.origins[at(g.behaviours[i], "TargetOriginId")]
	if key := "ANY " + origin + "/{proxy+}"; g.functions[key] != "" && path != "/" {
		return key, origin + path
	}
	return "$default", origin + path
}

func TestRoutesLead(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		g := gatewayOf(t, fixture(t, name))
		want := map[string]string{}
		for _, r := range routes.Table {
			for _, p := range r.Paths() {
				want[strings.ReplaceAll(p, "{file}", "x")] = r.Function
			}
		}
		for _, p := range []string{"/nothing", "/v1/nothing", "/api/v1/nothing", "/api", "/v2", "/v1/proxy",
			"/v1/shopping", "/shop/v1/pro/checkout", "/page/v1/pro", "/page/"} {
			want[p] = routes.Fallback
		}
		for p, function := range want {
			key, raw := g.route(p)
			if f := g.functions[key]; f != function || routes.ShareOf(p).Function != function {
				t.Errorf("%s: %s is led to %q by %q, want %s", name, p, f, key, function)
			}
			event := events.APIGatewayV2HTTPRequest{RouteKey: key, RawPath: raw}
			event.RequestContext.HTTP.Method = "GET"
			if r, err := lambdahttp.Request(t.Context(), event); err != nil || r.URL.Path != p {
				t.Errorf("%s: the function is asked %s for %v: %v", name, raw, r.URL, err)
			}
		}
	}
}

func TestThrottles(t *testing.T) {
	h := fixture(t, "example")
	g := gatewayOf(t, h)
	limits := map[string]float64{}
	for _, rule := range asList(h.property("Firewall", "Rules")) {
		if perFiveMinutes, ok := at(rule, "Statement", "RateBasedStatement", "Limit").(float64); ok {
			limits[at(rule, "Name").(string)] = perFiveMinutes / 300
		}
	}
	together := 0.0
	for key, rate := range g.rates {
		together += rate
		if rate < 10*limits["rate"] {
			t.Errorf("ten addresses use up the %v calls a second of %s", rate, key)
		}
	}
	if chosen := float64(defaults().RequestsPerSecond); together != chosen || together > 5000 {
		t.Errorf("all together come to %v a second, not to %v", together, chosen)
	}
	if n := len(g.rates); n != 10 {
		t.Errorf("%d routes share the throughput", n)
	}
	rare := regexp.MustCompile(rare)
	for _, r := range routes.Table {
		for _, p := range r.Paths() {
			key, _ := g.route(p)
			isRare := r.Function == "alerts" || r.Function == "pro" && r.Name != "pro-webhook"
			if isRare && (!rare.MatchString(p) || 100*limits["rate-rare"] > g.rates[key]*2/3) {
				t.Errorf("100 addresses make %v of %v calls a second of %s", 100*limits["rate-rare"], g.rates[key], p)
			}
			if !isRare && r.Name != "pro-webhook" && rare.MatchString(p) {
				t.Errorf("the firewall takes %s for a path of the shop or of alerts", p)
			}
		}
	}
	if shop, _ := g.route("/v1/pro/checkout"); shop != "ANY /shop/{proxy+}" {
		t.Errorf("the checkout is in %s", shop)
	}
	if webhook, _ := g.route("/api/v1/pro/webhook"); webhook != "ANY /webhook/{proxy+}" {
		t.Errorf("the webhook is in %s", webhook)
	}
	scope, err := json.Marshal(h.property("Firewall", "Rules"))
	if err != nil || !strings.Contains(string(scope), `"NotStatement":{"Statement":{"RegexMatchStatement":{"FieldToMatch":{"UriPath":{}},"RegexString":"^(/api)?(/v1/pro/webhook|/v1/alerts/unsubscribe|/v1/alerts/telegram)/?$"`) {
		t.Errorf("providers are counted as strangers: %s %v", scope, err)
	}
	if on := h.property("Distribution", "DistributionConfig", "IPV6Enabled"); on != false {
		t.Errorf("IPv6 is %v", on)
	}
}

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
