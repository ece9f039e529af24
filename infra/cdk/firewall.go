package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awswafv2"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// The core rule set is absent, because it blocks the URLs in Stripe's deliveries and clients without a
// User-Agent.
var managed = []string{"AWSManagedRulesAmazonIpReputationList", "AWSManagedRulesKnownBadInputsRuleSet"}

const rare = "^(" + routes.Alias + ")?/v1/(pro|termini|privacy|contatti|note-legali|alerts)(/|$)"

// 100 addresses at this limit make at most two thirds of the calls that API Gateway accepts for shop or
// alerts, unless API Gateway accepts very few.
func rarePerFiveMinutes(c config) int {
	const addresses = 100
	rates := routes.Throttles(c.RequestsPerSecond)
	return min(c.RequestsPerFiveMinutes, max(10, min(rates["shop"], rates["alerts"])*300*2/3/addresses))
}

func firewall(stack awscdk.Stack, c config) *string {
	if c.Firewall != "" {
		return jsii.String(c.Firewall)
	}
	if !c.ownFirewall() {
		return nil
	}
	seen := func(metric string) *awswafv2.CfnWebACL_VisibilityConfigProperty {
		return &awswafv2.CfnWebACL_VisibilityConfigProperty{
			CloudWatchMetricsEnabled: jsii.Bool(true), MetricName: jsii.String(c.Name + "-firewall-" + metric),
			SampledRequestsEnabled: jsii.Bool(false)}
	}
	refused := func(status float64) *awswafv2.CfnWebACL_RuleActionProperty {
		return &awswafv2.CfnWebACL_RuleActionProperty{Block: &awswafv2.CfnWebACL_BlockActionProperty{
			CustomResponse: &awswafv2.CfnWebACL_CustomResponseProperty{
				ResponseCode: jsii.Number(status), CustomResponseBodyKey: jsii.String(fmt.Sprint("status-", status)),
				ResponseHeaders: &[]*awswafv2.CfnWebACL_CustomHTTPHeaderProperty{
					{Name: jsii.String("Cache-Control"), Value: jsii.String("no-store")},
					{Name: jsii.String("Retry-After"), Value: jsii.String("300")},
					{Name: jsii.String("Access-Control-Allow-Origin"), Value: jsii.String("*")},
				}}}}
	}
	var rules []*awswafv2.CfnWebACL_RuleProperty
	rule := func(name string, r *awswafv2.CfnWebACL_RuleProperty) {
		r.Name, r.Priority, r.VisibilityConfig = jsii.String(name), jsii.Number(len(rules)), seen(name)
		rules = append(rules, r)
	}
	rate := func(limit int, on *awswafv2.CfnWebACL_StatementProperty) *awswafv2.CfnWebACL_RuleProperty {
		return &awswafv2.CfnWebACL_RuleProperty{Action: refused(429), Statement: &awswafv2.CfnWebACL_StatementProperty{
			RateBasedStatement: &awswafv2.CfnWebACL_RateBasedStatementProperty{
				AggregateKeyType: jsii.String("IP"), Limit: jsii.Number(limit), EvaluationWindowSec: jsii.Number(300),
				ScopeDownStatement: on}}}
	}
	rule("rate", rate(c.RequestsPerFiveMinutes, nil))
	// Providers make signed calls for many people from few addresses.
	signed := matchPaths(func(r routes.Route) bool { return r.Signed })
	rule("rate-rare", rate(rarePerFiveMinutes(c), both(matchPath(rare), not(signed))))
	if c.FreeTier != open {
		rule("free-tier", &awswafv2.CfnWebACL_RuleProperty{Action: refused(503),
			Statement: both(matchPaths(func(r routes.Route) bool { return r.FreeTier }), not(withKey()))})
	}
	for _, group := range managed {
		rule(strings.TrimPrefix(group, "AWSManagedRules"), &awswafv2.CfnWebACL_RuleProperty{
			OverrideAction: &awswafv2.CfnWebACL_OverrideActionProperty{None: map[string]any{}},
			Statement: &awswafv2.CfnWebACL_StatementProperty{ManagedRuleGroupStatement: &awswafv2.CfnWebACL_ManagedRuleGroupStatementProperty{
				VendorName: jsii.String("AWS"), Name: jsii.String(group)}},
		})
	}
	made := awswafv2.NewCfnWebACL(stack, jsii.String("Firewall"), &awswafv2.CfnWebACLProps{
		Name: jsii.String(c.Name), Scope: jsii.String("CLOUDFRONT"),
		DefaultAction:        &awswafv2.CfnWebACL_DefaultActionProperty{Allow: &awswafv2.CfnWebACL_AllowActionProperty{}},
		VisibilityConfig:     seen("all"),
		CustomResponseBodies: refusalBodies(),
		Rules:                &rules,
	})
	return made.AttrArn()
}

func refusalBodies() map[string]any {
	bodies := map[string]any{}
	for status, p := range map[int]struct{ code, title, detail string }{
		429: {"troppe-richieste", "Too many calls",
			"Your address calls more often than anybody needs to. Wait five minutes; GET /v1 says how many calls " +
				"there are."},
		503: {"servizio-non-disponibile", "The service cannot answer right now",
			routes.FreeTierClosed + " Try again in some hours; a Pro key is answered as ever."},
	} {
		content, err := json.Marshal(map[string]any{"type": "/v1/docs#" + p.code, "title": p.title, "status": status,
			"code": p.code, "detail": p.detail})
		if err != nil {
			panic(err)
		}
		bodies[fmt.Sprint("status-", status)] = &awswafv2.CfnWebACL_CustomResponseBodyProperty{
			ContentType: jsii.String("APPLICATION_JSON"), Content: jsii.String(string(content))}
	}
	return bodies
}

func matchPaths(which func(routes.Route) bool) *awswafv2.CfnWebACL_StatementProperty {
	return matchPath(matching(which))
}

func matchPath(pattern string) *awswafv2.CfnWebACL_StatementProperty {
	return &awswafv2.CfnWebACL_StatementProperty{RegexMatchStatement: &awswafv2.CfnWebACL_RegexMatchStatementProperty{
		RegexString:  jsii.String(pattern),
		FieldToMatch: &awswafv2.CfnWebACL_FieldToMatchProperty{UriPath: map[string]any{}},
		TextTransformations: &[]*awswafv2.CfnWebACL_TextTransformationProperty{{Priority: jsii.Number(0),
			Type: jsii.String("URL_DECODE")}},
	}}
}

func matching(which func(routes.Route) bool) string {
	var paths []string
	for _, r := range routes.Table {
		if path := strings.ReplaceAll(regexp.QuoteMeta(r.Path), `\{file\}`, "[^/]+"); which(r) &&
			!slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return "^(" + routes.Alias + ")?(" + strings.Join(paths, "|") + ")/?$"
}

func withKey() *awswafv2.CfnWebACL_StatementProperty {
	var in []*awswafv2.CfnWebACL_StatementProperty
	for _, header := range keyHeaders {
		in = append(in,
			&awswafv2.CfnWebACL_StatementProperty{ByteMatchStatement: &awswafv2.CfnWebACL_ByteMatchStatementProperty{
				SearchString: jsii.String("vd_"), PositionalConstraint: jsii.String("CONTAINS"),
				FieldToMatch: &awswafv2.CfnWebACL_FieldToMatchProperty{SingleHeader: map[string]string{"Name": strings.ToLower(header)}},
				TextTransformations: &[]*awswafv2.CfnWebACL_TextTransformationProperty{{Priority: jsii.Number(0),
					Type: jsii.String("NONE")}},
			}})
	}
	return &awswafv2.CfnWebACL_StatementProperty{OrStatement: &awswafv2.CfnWebACL_OrStatementProperty{Statements: &in}}
}

func not(s *awswafv2.CfnWebACL_StatementProperty) *awswafv2.CfnWebACL_StatementProperty {
	return &awswafv2.CfnWebACL_StatementProperty{NotStatement: &awswafv2.CfnWebACL_NotStatementProperty{Statement: s}}
}

func both(s ...*awswafv2.CfnWebACL_StatementProperty) *awswafv2.CfnWebACL_StatementProperty {
	return &awswafv2.CfnWebACL_StatementProperty{AndStatement: &awswafv2.CfnWebACL_AndStatementProperty{Statements: &s}}
}
