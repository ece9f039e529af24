package main

import (
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// An account may have only 20 policies of each kind, so policies makes each policy once.
type policies struct {
	stack    awscdk.Stack
	config   config
	requests map[string]cloudfront.IOriginRequestPolicy
	caches   map[string]cloudfront.ICachePolicy
}

func newPolicies(stack awscdk.Stack, c config) policies {
	return policies{stack, c, map[string]cloudfront.IOriginRequestPolicy{}, map[string]cloudfront.ICachePolicy{}}
}

// query is false for cached answers, because CloudFront forwards the parameters of the cache key
// anyway.
func (p policies) request(headers []string, query bool) cloudfront.IOriginRequestPolicy {
	id := "OriginRequest"
	for _, h := range headers {
		if !slices.Contains(always, h) && !slices.Contains(usual, h) {
			id = strings.ReplaceAll(h, "-", "") + id
		}
	}
	queries := cloudfront.OriginRequestQueryStringBehavior_All()
	if !query {
		id, queries = "Kept"+id, cloudfront.OriginRequestQueryStringBehavior_None()
	}
	if made, ok := p.requests[id]; ok {
		return made
	}
	made := cloudfront.NewOriginRequestPolicy(p.stack, jsii.String(id), &cloudfront.OriginRequestPolicyProps{
		OriginRequestPolicyName: jsii.String(p.config.Name + "-" + strings.ToLower(id)),
		HeaderBehavior:          cloudfront.OriginRequestHeaderBehavior_AllowList(*list(headers...)...),
		QueryStringBehavior:     queries,
		CookieBehavior:          cloudfront.OriginRequestCookieBehavior_None(),
	})
	name(made, id)
	p.requests[id] = made
	return made
}

func cacheID(r routes.Route) string {
	if r.Keyed() {
		return "KeyedCache"
	}
	return "OpenCache"
}

func (p policies) cache(r routes.Route) cloudfront.ICachePolicy {
	return p.keeping(cacheID(r), longest(), r.Keyed())
}

// The maximum TTL is one second, because with 0 CloudFront would not forward Authorization.
func (p policies) unshared() cloudfront.ICachePolicy {
	return p.keeping("UnsharedCache", time.Second, true)
}

func (p policies) keeping(id string, most time.Duration, keyed bool) cloudfront.ICachePolicy {
	if made, ok := p.caches[id]; ok {
		return made
	}
	headers := cloudfront.CacheHeaderBehavior_None()
	if keyed {
		headers = cloudfront.CacheHeaderBehavior_AllowList(*list(keyHeaders...)...)
	}
	made := cloudfront.NewCachePolicy(p.stack, jsii.String(id), &cloudfront.CachePolicyProps{
		CachePolicyName: jsii.String(p.config.Name + "-" + strings.ToLower(id)),
		MinTtl:          seconds(0), DefaultTtl: seconds(0), MaxTtl: seconds(int(most.Seconds())),
		QueryStringBehavior: cloudfront.CacheQueryStringBehavior_All(),
		CookieBehavior:      cloudfront.CacheCookieBehavior_None(), HeaderBehavior: headers,
		EnableAcceptEncodingGzip: jsii.Bool(true), EnableAcceptEncodingBrotli: jsii.Bool(true),
	})
	name(made, id)
	p.caches[id] = made
	return made
}

func longest() time.Duration {
	var most time.Duration
	for _, r := range routes.Table {
		most = max(most, r.Edge.Free, r.Edge.Pro)
	}
	return most
}
