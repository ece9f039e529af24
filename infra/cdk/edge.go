package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
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

// keyHeaders are those in which a key comes. They are in the key of the cache
// wherever keys are looked at, and passed on by that: of Authorization CloudFront
// knows no other way.
var keyHeaders = []string{keyHeader, authHeader}

// Headers that are passed on to functions: always, and to endpoints that name none of
// their own and are not kept. CloudFront passes on at most ten in this
// way; Host must not be among them, since API Gateway goes by it. (To pass on all
// but Host, as AllViewerExceptHostHeader does, would need no list. But then
// CloudFront adds no CloudFront-Viewer-Address, and lets through a caller's own:
// whoever writes one would be whom they please.)
var (
	always = []string{viewerHeader, "Accept", "Content-Type", "Origin", "Access-Control-Request-Method"}
	// the last for one path, which needs no behaviour of its own so
	usual = []string{"Accept-Language", "If-None-Match", "Idempotency-Key", "Payment-Signature",
		"X-Telegram-Bot-Api-Secret-Token"}
)

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
	usually, others := newBehaviours(stack, c, origin)
	props := &cloudfront.DistributionProps{
		Comment:             jsii.String(c.Name),
		DefaultBehavior:     usually,
		AdditionalBehaviors: &others,
		HttpVersion:         cloudfront.HttpVersion_HTTP2_AND_3,
		PriceClass:          cloudfront.PriceClass_PRICE_CLASS_100,
		WebAclId:            firewall(stack, c),
	}
	props.ErrorResponses = &[]*cloudfront.ErrorResponse{}
	for _, status := range refusals {
		*props.ErrorResponses = append(*props.ErrorResponses,
			&cloudfront.ErrorResponse{HttpStatus: jsii.Number(status), Ttl: seconds(0)})
	}
	if c.Domain != "" {
		props.DomainNames = list(c.Domain)
		props.Certificate = awscertificatemanager.Certificate_FromCertificateArn(stack, jsii.String("Certificate"),
			jsii.String(c.Certificate))
		props.MinimumProtocolVersion = cloudfront.SecurityPolicyProtocol_TLS_V1_2_2021
		props.SslSupportMethod = cloudfront.SSLMethod_SNI
	}
	made := cloudfront.NewDistribution(stack, jsii.String("Distribution"), props)
	name(made, "Distribution")
	c.Origin.prove(made)
	newAccessLog(stack, c, made)
	e := edge{made, jsii.String("https://" + c.Domain)}
	if c.Domain == "" {
		e.url = join("", jsii.String("https://"), made.DistributionDomainName())
	}
	output(stack, "Url", e.url, "where the service is reached")
	output(stack, "DistributionDomain", made.DistributionDomainName(), "what the domain's CNAME or ALIAS record names")
	return e
}

// newBehaviours returns how the distribution treats most paths, and the others by their pattern.
func newBehaviours(
	stack awscdk.Stack, c config, origin cloudfront.IOrigin,
) (*cloudfront.BehaviorOptions, map[string]*cloudfront.BehaviorOptions) {
	policies := newPolicies(stack, c)
	own := responseHeaders(stack, c, "Answers")
	shared := responseHeaders(stack, c, "SharedAnswers", ownHeaders...)
	behaviour := func(
		cache cloudfront.ICachePolicy, request cloudfront.IOriginRequestPolicy, response cloudfront.ResponseHeadersPolicy,
	) *cloudfront.BehaviorOptions {
		return &cloudfront.BehaviorOptions{
			Origin: origin, CachePolicy: cache, OriginRequestPolicy: request, ResponseHeadersPolicy: response,
			AllowedMethods:       cloudfront.AllowedMethods_ALLOW_ALL(), // the functions say which methods they answer
			CachedMethods:        cloudfront.CachedMethods_CACHE_GET_HEAD(),
			ViewerProtocolPolicy: cloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS,
			Compress:             jsii.Bool(true),
		}
	}
	passing := func(headers []string) *cloudfront.BehaviorOptions {
		return behaviour(policies.unshared(), policies.request(slices.Concat(always, headers), true), own)
	}
	others := map[string]*cloudfront.BehaviorOptions{}
	for _, r := range routes.Table {
		for _, p := range r.Paths() {
			switch {
			case r.Edge != (routes.Edge{}):
				others[pattern(p)] = behaviour(policies.cache(r), policies.request(always, false), shared)
			case len(r.Headers) > 0:
				others[pattern(p)] = passing(r.Headers)
			}
		}
	}
	return passing(usual), others
}

// originSecret is the value that the distribution proves itself with. The
// template holds its name only; CloudFormation looks it up as it deploys.
func originSecret(c config) *string {
	return jsii.String(fmt.Sprintf("{{resolve:secretsmanager:%s/origin:SecretString:%d}}", c.Name, c.OriginSecret))
}

// pattern is a path of the table as CloudFront writes it.
func pattern(path string) string { return strings.ReplaceAll(path, "{file}", "*") }

// responseHeaders are what every answer tells browsers. What a function
// says itself goes before, pages' own policies above all.
func responseHeaders(stack awscdk.Stack, c config, id string, dropped ...string) cloudfront.ResponseHeadersPolicy {
	props := &cloudfront.ResponseHeadersPolicyProps{
		ResponseHeadersPolicyName: jsii.String(c.Name + "-" + strings.ToLower(id)),
		SecurityHeadersBehavior: &cloudfront.ResponseSecurityHeadersBehavior{
			StrictTransportSecurity: &cloudfront.ResponseHeadersStrictTransportSecurity{
				AccessControlMaxAge: awscdk.Duration_Days(jsii.Number(365)), IncludeSubdomains: jsii.Bool(true),
				Override: jsii.Bool(true)},
			ContentTypeOptions: &cloudfront.ResponseHeadersContentTypeOptions{Override: jsii.Bool(true)},
			FrameOptions: &cloudfront.ResponseHeadersFrameOptions{FrameOption: cloudfront.HeadersFrameOption_DENY,
				Override: jsii.Bool(true)},
			ReferrerPolicy: &cloudfront.ResponseHeadersReferrerPolicy{
				ReferrerPolicy: cloudfront.HeadersReferrerPolicy_NO_REFERRER, Override: jsii.Bool(false)},
			ContentSecurityPolicy: &cloudfront.ResponseHeadersContentSecurityPolicy{
				ContentSecurityPolicy: jsii.String("default-src 'none'; frame-ancestors 'none'"),
				Override:              jsii.Bool(false)},
		},
	}
	if len(dropped) > 0 {
		props.RemoveHeaders = list(dropped...)
	}
	made := cloudfront.NewResponseHeadersPolicy(stack, jsii.String(id), props)
	name(made, id)
	return made
}
