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

// policies are what the edge keeps answers by and passes requests on with. Each
// is made once, however many paths it is for: an account has 20 of a kind.
type policies struct {
	stack    awscdk.Stack
	config   config
	requests map[string]cloudfront.IOriginRequestPolicy
	caches   map[string]cloudfront.ICachePolicy
}

func newPolicies(stack awscdk.Stack, c config) policies {
	return policies{stack, c, map[string]cloudfront.IOriginRequestPolicy{}, map[string]cloudfront.ICachePolicy{}}
}

// request passes on the named headers, no cookie, and every parameter or none:
// where answers are kept, those of the cache key are passed on with it.
func (p policies) request(headers []string, query bool) cloudfront.IOriginRequestPolicy {
	id := "OriginRequest"
	for _, h := range headers {
		if !slices.Contains(always, h) && !slices.Contains(usual, h) {
			id = identifier(h) + id
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

// cacheID names what an endpoint's answers are kept by.
func cacheID(r routes.Route) string {
	id := "Open"
	if r.Keyed() {
		id = "Keyed"
	}
	for _, q := range r.Query {
		id += title(q)
	}
	return id + "Cache"
}

// cache keeps answers as long as they say themselves and not at all where they
// say nothing. An answer is for the parameters that the table names, and for the
// key where keys are looked at.
func (p policies) cache(r routes.Route) cloudfront.ICachePolicy {
	id := cacheID(r)
	if made, ok := p.caches[id]; ok {
		return made
	}
	queries := cloudfront.CacheQueryStringBehavior_None()
	if len(r.Query) > 0 {
		queries = cloudfront.CacheQueryStringBehavior_AllowList(*list(r.Query...)...)
	}
	return p.keeping(id, longest(), r.Keyed(), queries)
}

// unshared is what everything else goes by. What nobody may share says so (no-store,
// private), and is kept by no cache; yet a policy that could keep nothing at all, with a
// most of 0, would pass on no Authorization either.
func (p policies) unshared() cloudfront.ICachePolicy {
	const id = "UnsharedCache"
	if made, ok := p.caches[id]; ok {
		return made
	}
	return p.keeping(id, time.Second, true, cloudfront.CacheQueryStringBehavior_All())
}

// keeping makes a policy that keeps answers as long as they say, but no longer than most.
func (p policies) keeping(id string, most time.Duration, keyed bool,
	queries cloudfront.CacheQueryStringBehavior) cloudfront.ICachePolicy {
	headers := cloudfront.CacheHeaderBehavior_None()
	if keyed {
		headers = cloudfront.CacheHeaderBehavior_AllowList(*list(keyHeaders...)...)
	}
	made := cloudfront.NewCachePolicy(p.stack, jsii.String(id), &cloudfront.CachePolicyProps{
		CachePolicyName: jsii.String(p.config.Name + "-" + strings.ToLower(id)),
		MinTtl:          seconds(0), DefaultTtl: seconds(0), MaxTtl: seconds(int(most.Seconds())),
		QueryStringBehavior: queries, CookieBehavior: cloudfront.CacheCookieBehavior_None(), HeaderBehavior: headers,
		EnableAcceptEncodingGzip: jsii.Bool(true), EnableAcceptEncodingBrotli: jsii.Bool(true),
	})
	name(made, id)
	p.caches[id] = made
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
