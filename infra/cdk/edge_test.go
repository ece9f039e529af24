package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

func TestBehaviours(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		t.Run(name, func(t *testing.T) {
			h := fixture(t, name)
			const unshared = `{"Ref":"UnsharedCache"}`
			policies := func(b any) string {
				return compact(at(b, "CachePolicyId")) + compact(at(b, "OriginRequestPolicyId")) +
					compact(at(b, "ResponseHeadersPolicyId"))
			}
			got := map[string]string{}
			for _, b := range asList(h.property("Distribution", "DistributionConfig", "CacheBehaviors")) {
				got[at(b, "PathPattern").(string)] = policies(b)
			}
			if n := len(got); n > 74 {
				t.Errorf("%d behaviours; a distribution has 75 with the default one", n)
			}
			for _, b := range routes.Behaviours() {
				want := unshared + `{"Ref":"OriginRequest"}{"Ref":"Answers"}`
				switch r := b.Route; {
				case r.Edge != (routes.Edge{}):
					want = `{"Ref":"` + cacheID(r) + `"}{"Ref":"KeptOriginRequest"}{"Ref":"SharedAnswers"}`
				case len(r.Headers) > 0:
					ids := slices.Clone(r.Headers)
					slices.Reverse(ids)
					want = unshared + `{"Ref":"` + strings.ReplaceAll(strings.Join(ids, ""), "-", "") +
						`OriginRequest"}{"Ref":"Answers"}`
				}
				if got[b.Pattern] != want {
					t.Errorf("%s is kept by %q, want %q", b.Pattern, got[b.Pattern], want)
				}
				delete(got, b.Pattern)
			}
			if len(got) > 0 {
				t.Errorf("the edge keeps what the table does not have: %v", got)
			}
			if d := policies(h.property("Distribution", "DistributionConfig",
				"DefaultCacheBehavior")); d != unshared+`{"Ref":"OriginRequest"}{"Ref":"Answers"}` {
				t.Errorf("everything else is kept by %v", d)
			}
		})
	}
}

func TestCacheKeys(t *testing.T) {
	h := fixture(t, "example")
	seen := map[string]bool{"UnsharedCache": true}
	for _, r := range routes.Table {
		if r.Edge == (routes.Edge{}) {
			continue
		}
		id := cacheID(r)
		seen[id] = true
		headers, queries := `{"HeaderBehavior":"none"}`, `{"QueryStringBehavior":"all"}`
		if r.Keyed() {
			headers = `{"HeaderBehavior":"whitelist","Headers":["X-Api-Key","Authorization"]}`
		}
		c := h.property(id, "CachePolicyConfig")
		key := at(c, "ParametersInCacheKeyAndForwardedToOrigin")
		if got := compact(at(key, "HeadersConfig")); got != headers {
			t.Errorf("%s: headers %s, want %s", id, got, headers)
		}
		if got := compact(at(key, "QueryStringsConfig")); got != queries {
			t.Errorf("%s: queries %s, want %s", id, got, queries)
		}
		if k := at(key, "CookiesConfig", "CookieBehavior"); k != "none" {
			t.Errorf("%s: cookies %v", id, k)
		}
		if at(c, "MinTTL") != 0.0 || at(c, "DefaultTTL") != 0.0 {
			t.Errorf("%s keeps answers for at least %v s and by default %v s", id, at(c, "MinTTL"), at(c, "DefaultTTL"))
		}
		if most, ok := at(c, "MaxTTL").(float64); !ok || most < longest().Seconds() {
			t.Errorf("%s cuts what may be kept for %v to %v s", id, longest(), at(c, "MaxTTL"))
		}
	}
	for id, r := range h.Resources {
		if r.Type == "AWS::CloudFront::CachePolicy" && !seen[id] {
			t.Errorf("%s is of no endpoint", id)
		}
	}
	c := h.property("UnsharedCache", "CachePolicyConfig")
	key := at(c, "ParametersInCacheKeyAndForwardedToOrigin")
	if got := compact(at(key, "HeadersConfig")) + compact(at(key, "QueryStringsConfig")) +
		compact(at(key,
			"CookiesConfig")); got != `{"HeaderBehavior":"whitelist","Headers":["X-Api-Key","Authorization"]}{"QueryStringBehavior":"all"}{"CookieBehavior":"none"}` {
		t.Errorf("what is not kept has the key %s", got)
	}
	// With a maximum TTL of 0, CloudFront would not forward the headers of the cache key.
	if at(c, "MinTTL") != 0.0 || at(c, "DefaultTTL") != 0.0 || at(c, "MaxTTL") != 1.0 {
		t.Errorf("what is not kept is kept for %v, %v to %v s", at(c, "DefaultTTL"), at(c, "MinTTL"), at(c, "MaxTTL"))
	}
	if len(seen) != 3 {
		t.Errorf("%d kinds of keys were looked at, want 3", len(seen))
	}
}

func TestAnswersTellBrowsers(t *testing.T) {
	h := fixture(t, "example")
	for id, want := range map[string]string{"SharedAnswers": `{"Items":[{"Header":"X-RateLimit-Remaining"},{"Header":"RateLimit"},{"Header":"X-Request-Id"}]}`, "Answers": "null"} {
		if got := compact(h.property(id, "ResponseHeadersPolicyConfig", "RemoveHeadersConfig")); got != want {
			t.Errorf("%s drops %s", id, got)
		}
		security := compact(h.property(id, "ResponseHeadersPolicyConfig", "SecurityHeadersConfig"))
		for _, say := range []string{`"AccessControlMaxAgeSec":31536000`, `"ContentTypeOptions":{"Override":true}`,
			`"FrameOption":"DENY"`,
			`"ReferrerPolicy":"no-referrer"`,
			`{"ContentSecurityPolicy":"default-src 'none'; frame-ancestors 'none'","Override":false}`} {
			if !strings.Contains(security, say) {
				t.Errorf("%s does not say %s: %s", id, say, security)
			}
		}
	}
}

func TestHeadersArePassedOn(t *testing.T) {
	h := fixture(t, "example")
	for id, r := range h.Resources {
		if r.Type != "AWS::CloudFront::OriginRequestPolicy" {
			continue
		}
		headers := asList(h.property(id, "OriginRequestPolicyConfig", "HeadersConfig", "Headers"))
		if len(headers) > 10 {
			t.Errorf("%s passes on %d headers; CloudFront takes ten", id, len(headers))
		}
		if b := h.property(id, "OriginRequestPolicyConfig", "HeadersConfig", "HeaderBehavior"); b != "whitelist" {
			t.Errorf("%s passes on %v", id, b)
		}
		for _, must := range []any{viewerHeader, "Content-Type", "Origin", "Access-Control-Request-Method"} {
			if !slices.Contains(headers, must) {
				t.Errorf("%s does not pass on %s", id, must)
			}
		}
		for _, never := range []any{"Host", "Authorization", "Cookie", "X-Origin-Secret", "X-Forwarded-For"} {
			if slices.Contains(headers, never) {
				t.Errorf("%s passes on %s", id, never)
			}
		}
		if c := h.property(id, "OriginRequestPolicyConfig", "CookiesConfig", "CookieBehavior"); c != "none" {
			t.Errorf("%s passes on %v cookies", id, c)
		}
		queries := "all"
		if id == "KeptOriginRequest" {
			queries = "none"
		}
		if q := h.property(id, "OriginRequestPolicyConfig", "QueryStringsConfig", "QueryStringBehavior"); q != queries {
			t.Errorf("%s passes on %v parameters, want %s", id, q, queries)
		}
	}
	seen := 0
	for _, r := range routes.Table {
		var passed []string
		switch {
		case r.Edge != (routes.Edge{}):
			passed = append(slices.Clone(always), "If-None-Match")
			if r.Keyed() {
				passed = append(passed, keyHeaders...)
			}
		case len(r.Headers) > 0:
			passed = slices.Concat(always, keyHeaders, r.Headers)
		default:
			passed = slices.Concat(always, keyHeaders, usual)
		}
		for _, p := range described(t, r) {
			if p.In == "header" {
				seen++
				if !slices.ContainsFunc(passed, func(name string) bool { return strings.EqualFold(name, p.Name) }) {
					t.Errorf("%s is described to look at %s, which the edge does not pass on", r.Name, p.Name)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d headers were looked for", seen)
	}
}

type parameter struct{ Name, In string }

var operations = sync.OnceValues(func() (paths map[string]map[string]json.RawMessage, err error) {
	data, err := os.ReadFile("../../functions/analisi/reference/openapi.json")
	if err == nil {
		data, err = httpapi.ExpandDescription(data)
	}
	var api struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err == nil {
		err = json.Unmarshal(data, &api)
	}
	return api.Paths, err
})

func described(t *testing.T, r routes.Route) []parameter {
	t.Helper()
	paths, err := operations()
	if err != nil {
		t.Fatal(err)
	}
	var operation struct{ Parameters []parameter }
	if raw, ok := paths[r.Path][strings.ToLower(r.Method)]; ok {
		if err := json.Unmarshal(raw, &operation); err != nil {
			t.Fatal(err)
		}
	}
	return operation.Parameters
}

var personal = regexp.MustCompile(`query|cookie|referer|user-agent|^c-ip$|c-ip-version|x-forwarded-for|c-port|headers|ssl|ja3|ja4`)

func TestLogsHoldNothingPersonal(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		h := fixture(t, name)
		var fields []string
		for _, f := range asList(h.property("AccessLogDelivery", "RecordFields")) {
			fields = append(fields, f.(string))
		}
		if len(fields) == 0 {
			t.Errorf("%s: the edge's log has CloudFront's own fields, the query among them", name)
		}
		for _, f := range fields {
			if personal.MatchString(f) {
				t.Errorf("%s: the edge's log has %s", name, f)
			}
		}
		if old := h.property("Distribution", "DistributionConfig", "Logging"); old != nil {
			t.Errorf("%s: the edge writes its older log, which has every field: %v", name, old)
		}
		format := compact(h.property("ApiStage", "AccessLogSettings", "Format"))
		for variable := range strings.FieldsFuncSeq(format, func(r rune) bool { return r == '"' || r == '\\' }) {
			if strings.HasPrefix(variable, "$") &&
				!slices.Contains([]string{"$context.requestId", "$context.requestTimeEpoch", "$context.routeKey",
					"$context.status", "$context.integration.status", "$context.responseLatency",
					"$context.integrationErrorMessage", "$context.error.responseType"}, variable) {
				t.Errorf("%s: API Gateway's log has %s", name, variable)
			}
		}
		if h.Resources["Firewall"].Type != "" {
			for _, v := range append(asList(h.property("Firewall", "Rules")), h.Resources["Firewall"].Properties) {
				if s := at(v, "VisibilityConfig", "SampledRequestsEnabled"); s != false {
					t.Errorf("%s: the firewall keeps samples of requests, with all their headers", name)
				}
			}
		}
		for id, r := range h.Resources {
			switch r.Type {
			case "AWS::WAFv2::LoggingConfiguration", "AWS::CloudFront::RealtimeLogConfig":
				t.Errorf("%s: %s is a log that nothing here looks at", name, id)
			}
		}
	}
	for _, field := range []string{"cs-uri-query", "c-ip", "cs(Cookie)", "cs(Referer)", "cs(User-Agent)",
		"x-forwarded-for", "cs-headers"} {
		if !personal.MatchString(strings.ToLower(field)) {
			t.Errorf("%s is let pass", field)
		}
	}
}

// 412 and 415 are missing, because CloudFront caches such an answer only for the answer's own lifetime.
func TestErrorsHaveNoLeast(t *testing.T) {
	h := fixture(t, "example")
	set := map[any]any{}
	for _, e := range asList(h.property("Distribution", "DistributionConfig", "CustomErrorResponses")) {
		set[at(e, "ErrorCode")] = at(e, "ErrorCachingMinTTL")
	}
	for _, status := range []float64{400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504} {
		if set[status] != 0.0 {
			t.Errorf("%v is kept for %v s", status, set[status])
		}
	}
}
