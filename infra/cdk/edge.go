package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awswafv2"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/routes"
)

// edge is the distribution that callers reach. It keeps what the table lets it
// keep, as long as the functions' s-maxage says, and proves to them by a secret
// that a request came through it and that the caller's address is true.
type edge struct {
	distribution cloudfront.Distribution
	url          *string // where the service is reached, without a slash at the end
}

const (
	keyHeader    = "X-Api-Key"
	secretHeader = "X-Origin-Secret"
	viewerHeader = "CloudFront-Viewer-Address"
	authHeader   = "Authorization"
)

// ownHeaders belong to one caller only, so they are dropped where answers are shared.
var ownHeaders = []string{"X-RateLimit-Remaining", "RateLimit", "X-Request-Id"}

// forwarded are the headers that functions look at, and agentsForwarded those of
// agents, which speak MCP. CloudFront passes on at most ten in this way; Host must
// not be among them, since API Gateway goes by it. Authorization cannot be: it is
// passed on by standing in the key of a cache.
var (
	forwarded = []string{
		viewerHeader, keyHeader, "Accept", "Accept-Language", "Content-Type", "Origin", "Access-Control-Request-Method",
		"If-None-Match", "Stripe-Signature", "Idempotency-Key",
	}
	agentsForwarded = []string{
		viewerHeader, keyHeader, "Accept", "Content-Type", "Origin", "Access-Control-Request-Method",
		"Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name",
	}
)

// agentsPath is where agents ask.
const agentsPath = "/mcp"

// refusals are the statuses that CloudFront would keep for ten seconds of its own accord.
var refusals = []int{400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504}

func newEdge(stack awscdk.Stack, c config, a api) edge {
	origin := awscloudfrontorigins.NewHttpOrigin(a.host(c), &awscloudfrontorigins.HttpOriginProps{
		ProtocolPolicy:     cloudfront.OriginProtocolPolicy_HTTPS_ONLY,
		OriginSslProtocols: &[]cloudfront.OriginSslPolicy{cloudfront.OriginSslPolicy_TLS_V1_2},
		ReadTimeout:        seconds(30),
		KeepaliveTimeout:   seconds(60),
		CustomHeaders:      &map[string]*string{secretHeader: originSecret(c)},
	})
	request := originRequest(stack, c, "OriginRequest", forwarded)
	behaviour := func(cache cloudfront.ICachePolicy, response cloudfront.ResponseHeadersPolicy) *cloudfront.BehaviorOptions {
		return &cloudfront.BehaviorOptions{
			Origin: origin, CachePolicy: cache, OriginRequestPolicy: request, ResponseHeadersPolicy: response,
			AllowedMethods:       cloudfront.AllowedMethods_ALLOW_ALL(), // the functions say which methods they answer
			CachedMethods:        cloudfront.CachedMethods_CACHE_GET_HEAD(),
			ViewerProtocolPolicy: cloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS,
			Compress:             jsii.Bool(true),
		}
	}
	own := responseHeaders(stack, c, "Answers")
	shared := responseHeaders(stack, c, "SharedAnswers", ownHeaders...)
	keyed, open := cachePolicy(stack, c, "KeyedCache", longest(), keyHeader, authHeader), cachePolicy(stack, c, "OpenCache", longest())
	// What nobody may share says so (no-store, private), and is kept by no cache. A
	// policy that could keep nothing at all would pass on no Authorization either.
	unshared := cachePolicy(stack, c, "UnsharedCache", time.Second, keyHeader, authHeader)
	agents := behaviour(unshared, own)
	agents.OriginRequestPolicy = originRequest(stack, c, "AgentsOriginRequest", agentsForwarded)
	behaviours := map[string]*cloudfront.BehaviorOptions{agentsPath: agents}
	for _, r := range routes.Table {
		if r.Edge == (routes.Edge{}) {
			continue
		}
		for _, p := range r.Paths() {
			if r.Keyed() {
				behaviours[pattern(p)] = behaviour(keyed, shared)
			} else {
				behaviours[pattern(p)] = behaviour(open, shared)
			}
		}
	}
	props := &cloudfront.DistributionProps{
		Comment:             jsii.String(c.Name),
		DefaultBehavior:     behaviour(unshared, own),
		AdditionalBehaviors: &behaviours,
		HttpVersion:         cloudfront.HttpVersion_HTTP2_AND_3,
		PriceClass:          cloudfront.PriceClass_PRICE_CLASS_100,
		LogBucket:           accessLogs(stack, c),
		LogFilePrefix:       jsii.String("edge/"),
		WebAclId:            firewall(stack, c),
	}
	var never []*cloudfront.ErrorResponse
	for _, status := range refusals {
		never = append(never, &cloudfront.ErrorResponse{HttpStatus: jsii.Number(status), Ttl: seconds(0)})
	}
	props.ErrorResponses = &never
	if c.Domain != "" {
		props.DomainNames = list(c.Domain)
		props.Certificate = awscertificatemanager.Certificate_FromCertificateArn(stack, jsii.String("Certificate"), jsii.String(c.Certificate))
		props.MinimumProtocolVersion = cloudfront.SecurityPolicyProtocol_TLS_V1_2_2021
		props.SslSupportMethod = cloudfront.SSLMethod_SNI
	}
	made := cloudfront.NewDistribution(stack, jsii.String("Distribution"), props)
	name(made, "Distribution")
	e := edge{distribution: made}
	if c.Domain != "" {
		e.url = jsii.String("https://" + c.Domain)
	} else {
		e.url = awscdk.Fn_Join(jsii.String(""), &[]*string{jsii.String("https://"), made.DistributionDomainName()})
	}
	awscdk.NewCfnOutput(stack, jsii.String("Url"), &awscdk.CfnOutputProps{Value: e.url, Description: jsii.String("where the service is reached")})
	awscdk.NewCfnOutput(stack, jsii.String("DistributionDomain"), &awscdk.CfnOutputProps{
		Value: made.DistributionDomainName(), Description: jsii.String("what the domain's CNAME or ALIAS record names")})
	return e
}

// originSecret is the value that the distribution proves itself with. The
// template holds its name only; CloudFormation looks it up as it deploys.
func originSecret(c config) *string {
	return jsii.String(fmt.Sprintf("{{resolve:secretsmanager:%s/origin:SecretString:%d}}", c.Name, c.OriginSecret))
}

// pattern is a path of the table as CloudFront writes it.
func pattern(path string) string { return strings.ReplaceAll(path, "{file}", "*") }

// originRequest passes on the named headers, every query and no cookie.
func originRequest(stack awscdk.Stack, c config, id string, headers []string) cloudfront.IOriginRequestPolicy {
	made := cloudfront.NewOriginRequestPolicy(stack, jsii.String(id), &cloudfront.OriginRequestPolicyProps{
		OriginRequestPolicyName: jsii.String(c.Name + "-" + strings.ToLower(id)),
		HeaderBehavior:          cloudfront.OriginRequestHeaderBehavior_AllowList(*list(headers...)...),
		QueryStringBehavior:     cloudfront.OriginRequestQueryStringBehavior_All(),
		CookieBehavior:          cloudfront.OriginRequestCookieBehavior_None(),
	})
	name(made, id)
	return made
}

// longest is how long any answer may be kept.
func longest() time.Duration {
	var most time.Duration
	for _, r := range routes.Table {
		most = max(most, r.Edge.Free, r.Edge.Pro)
	}
	return most
}

// cachePolicy keeps answers as long as they say themselves and not at all where
// they say nothing. An answer is for its query and the headers named.
func cachePolicy(stack awscdk.Stack, c config, id string, most time.Duration, headers ...string) cloudfront.ICachePolicy {
	behaviour := cloudfront.CacheHeaderBehavior_None()
	if len(headers) > 0 {
		behaviour = cloudfront.CacheHeaderBehavior_AllowList(*list(headers...)...)
	}
	made := cloudfront.NewCachePolicy(stack, jsii.String(id), &cloudfront.CachePolicyProps{
		CachePolicyName: jsii.String(c.Name + "-" + strings.ToLower(id)),
		MinTtl:          seconds(0), DefaultTtl: seconds(0), MaxTtl: seconds(int(most.Seconds())),
		QueryStringBehavior: cloudfront.CacheQueryStringBehavior_All(), CookieBehavior: cloudfront.CacheCookieBehavior_None(), HeaderBehavior: behaviour,
		EnableAcceptEncodingGzip: jsii.Bool(true), EnableAcceptEncodingBrotli: jsii.Bool(true),
	})
	name(made, id)
	return made
}

// responseHeaders are what every answer tells browsers. What a function
// says itself goes before, pages' own policies above all.
func responseHeaders(stack awscdk.Stack, c config, id string, dropped ...string) cloudfront.ResponseHeadersPolicy {
	props := &cloudfront.ResponseHeadersPolicyProps{
		ResponseHeadersPolicyName: jsii.String(c.Name + "-" + strings.ToLower(id)),
		SecurityHeadersBehavior: &cloudfront.ResponseSecurityHeadersBehavior{
			StrictTransportSecurity: &cloudfront.ResponseHeadersStrictTransportSecurity{
				AccessControlMaxAge: awscdk.Duration_Days(jsii.Number(365)), IncludeSubdomains: jsii.Bool(true), Override: jsii.Bool(true)},
			ContentTypeOptions: &cloudfront.ResponseHeadersContentTypeOptions{Override: jsii.Bool(true)},
			FrameOptions:       &cloudfront.ResponseHeadersFrameOptions{FrameOption: cloudfront.HeadersFrameOption_DENY, Override: jsii.Bool(true)},
			ReferrerPolicy: &cloudfront.ResponseHeadersReferrerPolicy{
				ReferrerPolicy: cloudfront.HeadersReferrerPolicy_NO_REFERRER, Override: jsii.Bool(false)},
			ContentSecurityPolicy: &cloudfront.ResponseHeadersContentSecurityPolicy{
				ContentSecurityPolicy: jsii.String("default-src 'none'; frame-ancestors 'none'"), Override: jsii.Bool(false)},
		},
	}
	if len(dropped) > 0 {
		props.RemoveHeaders = list(dropped...)
	}
	made := cloudfront.NewResponseHeadersPolicy(stack, jsii.String(id), props)
	name(made, id)
	return made
}

// accessLogs is where the edge writes who asked for what. It holds addresses and
// queries, so it is closed, and emptied after AccessLogDays.
func accessLogs(stack awscdk.Stack, c config) awss3.Bucket {
	bucket := awss3.NewBucket(stack, jsii.String("AccessLogs"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(), Encryption: awss3.BucketEncryption_S3_MANAGED, EnforceSSL: jsii.Bool(true),
		ObjectOwnership: awss3.ObjectOwnership_BUCKET_OWNER_PREFERRED, // CloudFront writes with an ACL
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Expiration:                          awscdk.Duration_Days(jsii.Number(c.AccessLogDays)),
			AbortIncompleteMultipartUploadAfter: awscdk.Duration_Days(jsii.Number(1)),
		}},
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
	name(bucket, "AccessLogs")
	return bucket
}

// firewall is the one that was chosen, made here or elsewhere; nil is none.
func firewall(stack awscdk.Stack, c config) *string {
	if c.Firewall != "" {
		return jsii.String(c.Firewall)
	}
	if c.RequestsPerFiveMinutes == 0 {
		return nil
	}
	seen := func(metric string) *awswafv2.CfnWebACL_VisibilityConfigProperty {
		return &awswafv2.CfnWebACL_VisibilityConfigProperty{
			CloudWatchMetricsEnabled: jsii.Bool(true), MetricName: jsii.String(c.Name + metric), SampledRequestsEnabled: jsii.Bool(false)}
	}
	made := awswafv2.NewCfnWebACL(stack, jsii.String("Firewall"), &awswafv2.CfnWebACLProps{
		Name: jsii.String(c.Name), Scope: jsii.String("CLOUDFRONT"),
		DefaultAction:    &awswafv2.CfnWebACL_DefaultActionProperty{Allow: &awswafv2.CfnWebACL_AllowActionProperty{}},
		VisibilityConfig: seen("-firewall"),
		Rules: &[]*awswafv2.CfnWebACL_RuleProperty{{
			Name: jsii.String("rate"), Priority: jsii.Number(0), VisibilityConfig: seen("-firewall-rate"),
			Action: &awswafv2.CfnWebACL_RuleActionProperty{Block: &awswafv2.CfnWebACL_BlockActionProperty{
				CustomResponse: &awswafv2.CfnWebACL_CustomResponseProperty{ResponseCode: jsii.Number(429)}}},
			Statement: &awswafv2.CfnWebACL_StatementProperty{RateBasedStatement: &awswafv2.CfnWebACL_RateBasedStatementProperty{
				AggregateKeyType: jsii.String("IP"), Limit: jsii.Number(c.RequestsPerFiveMinutes), EvaluationWindowSec: jsii.Number(300)}},
		}},
	})
	return made.AttrArn()
}
