package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// The edge sends a secret with each request, so the functions know that the header with the
// caller's address is not forged.
type edge struct {
	distribution cloudfront.Distribution
	url          *string
}

const (
	keyHeader    = "X-Api-Key"
	secretHeader = "X-Origin-Secret"
	viewerHeader = "CloudFront-Viewer-Address"
	authHeader   = "Authorization"
)

// ownHeaders are about one call, so the edge removes these headers from answers that it shares.
var ownHeaders = []string{"X-RateLimit-Remaining", "RateLimit", "X-Request-Id"}

// CloudFront forwards keyHeaders as part of a cache key, because an origin request policy cannot list Authorization.
var keyHeaders = []string{keyHeader, authHeader}

// An origin request policy lists at most ten headers. The ready-made AllViewerExceptHostHeader needs
// no list, but would let callers forge CloudFront-Viewer-Address.
var (
	always = []string{viewerHeader, "Accept", "Content-Type", "Origin", "Access-Control-Request-Method"}
	usual  = []string{"Accept-Language", "If-None-Match", "Idempotency-Key", "Payment-Signature",
		"X-Telegram-Bot-Api-Secret-Token"}
)

// refusals are the error statuses whose caching time a distribution can set; the default is ten seconds.
var refusals = []int{400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504}

func newEdge(stack awscdk.Stack, c config, a api) edge {
	origins := map[string]cloudfront.IOrigin{}
	for _, share := range routes.Shares {
		origins[share.Name] = awscloudfrontorigins.NewHttpOrigin(a.host(c), &awscloudfrontorigins.HttpOriginProps{
			OriginPath:         jsii.String("/" + share.Name),
			ProtocolPolicy:     cloudfront.OriginProtocolPolicy_HTTPS_ONLY,
			OriginSslProtocols: &[]cloudfront.OriginSslPolicy{cloudfront.OriginSslPolicy_TLS_V1_2},
			ReadTimeout:        seconds(30),
			KeepaliveTimeout:   seconds(60),
			CustomHeaders:      &map[string]*string{secretHeader: originSecret(c)},
		})
	}
	policies := newPolicies(stack, c)
	unshared := responseHeaders(stack, c, "Answers")
	shared := responseHeaders(stack, c, "SharedAnswers", ownHeaders...)
	behaviour := func(
		cache cloudfront.ICachePolicy, request cloudfront.IOriginRequestPolicy, response cloudfront.ResponseHeadersPolicy,
	) *cloudfront.AddBehaviorOptions {
		return &cloudfront.AddBehaviorOptions{
			CachePolicy: cache, OriginRequestPolicy: request, ResponseHeadersPolicy: response,
			AllowedMethods:       cloudfront.AllowedMethods_ALLOW_ALL(), // the functions refuse wrong methods
			CachedMethods:        cloudfront.CachedMethods_CACHE_GET_HEAD(),
			ViewerProtocolPolicy: cloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS,
			Compress:             jsii.Bool(true),
		}
	}
	passing := func(headers []string) *cloudfront.AddBehaviorOptions {
		return behaviour(policies.unshared(), policies.request(slices.Concat(always, headers), true), unshared)
	}
	others := passing(usual)
	props := &cloudfront.DistributionProps{
		Comment: jsii.String(c.Name),
		DefaultBehavior: &cloudfront.BehaviorOptions{
			Origin: origins[routes.Shares[0].Name], CachePolicy: others.CachePolicy,
			OriginRequestPolicy: others.OriginRequestPolicy, ResponseHeadersPolicy: others.ResponseHeadersPolicy,
			AllowedMethods: others.AllowedMethods, CachedMethods: others.CachedMethods,
			ViewerProtocolPolicy: others.ViewerProtocolPolicy, Compress: others.Compress,
		},
		HttpVersion: cloudfront.HttpVersion_HTTP2_AND_3,
		// The firewall counts requests by address, and one IPv6 customer has too many addresses.
		EnableIpv6: jsii.Bool(false),
		PriceClass: cloudfront.PriceClass_PRICE_CLASS_100,
		WebAclId:   firewall(stack, c),
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
	for _, b := range routes.Behaviours() {
		options := others
		switch r := b.Route; {
		case r.Edge != (routes.Edge{}):
			options = behaviour(policies.cache(r), policies.request(always, false), shared)
		case len(r.Headers) > 0:
			options = passing(r.Headers)
		}
		made.AddBehavior(jsii.String(b.Pattern), origins[b.Route.Share], options)
	}
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

// CloudFormation resolves the reference during the deployment, so the template does not contain
// the secret.
func originSecret(c config) *string {
	return jsii.String(fmt.Sprintf("{{resolve:secretsmanager:%s/origin:SecretString:%d}}", c.Name, c.OriginSecret))
}

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

// logged omits IP address, query, cookie, referrer and user agent, because such fields identify callers or carry e-mail
// addresses, signed links and keys.
var logged = []string{
	"timestamp(ms)", "x-edge-location", "x-edge-request-id", "cs-method", "cs-protocol", "cs-uri-stem",
	"cache-behavior-path-pattern",
	"sc-status", "sc-bytes", "x-edge-result-type", "x-edge-detailed-result-type", "time-taken", "origin-fbl",
	"c-country", "asn",
}

// newAccessLog uses standard logging (v2), whose fields can be selected.
func newAccessLog(stack awscdk.Stack, c config, d cloudfront.Distribution) {
	bucket := awss3.NewBucket(stack, jsii.String("AccessLogs"), &awss3.BucketProps{
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(), Encryption: awss3.BucketEncryption_S3_MANAGED,
		EnforceSSL:      jsii.Bool(true),
		ObjectOwnership: awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Expiration:                          awscdk.Duration_Days(jsii.Number(c.AccessLogDays)),
			AbortIncompleteMultipartUploadAfter: awscdk.Duration_Days(jsii.Number(1)),
		}},
		RemovalPolicy: awscdk.RemovalPolicy_RETAIN,
	})
	name(bucket, "AccessLogs")
	// AWS writes the same policy for a log delivery that is set up by hand.
	bucket.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String("Delivery"), Actions: list("s3:PutObject"),
		Resources:  &[]*string{bucket.ArnForObjects(jsii.String("AWSLogs/" + c.Account + "/*"))},
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("delivery.logs.amazonaws.com"), nil)},
		Conditions: &map[string]any{
			"StringEquals": map[string]string{"aws:SourceAccount": c.Account,
				"s3:x-amz-acl": "bucket-owner-full-control"},
			"ArnLike": map[string]string{"aws:SourceArn": fmt.Sprintf("arn:aws:logs:%s:%s:delivery-source:%s-edge",
				edgeRegion, c.Account, c.Name)},
		},
	}))
	source := awslogs.NewCfnDeliverySource(stack, jsii.String("AccessLogSource"), &awslogs.CfnDeliverySourceProps{
		Name: jsii.String(c.Name + "-edge"), LogType: jsii.String("ACCESS_LOGS"), ResourceArn: d.DistributionArn(),
	})
	destination := awslogs.NewCfnDeliveryDestination(stack, jsii.String("AccessLogDestination"),
		&awslogs.CfnDeliveryDestinationProps{
			Name: jsii.String(c.Name + "-edge"), OutputFormat: jsii.String("json"),
			DestinationResourceArn: bucket.BucketArn(),
		})
	delivery := awslogs.NewCfnDelivery(stack, jsii.String("AccessLogDelivery"), &awslogs.CfnDeliveryProps{
		DeliverySourceName: source.Ref(), DeliveryDestinationArn: destination.AttrArn(), RecordFields: list(logged...),
	})
	delivery.Node().AddDependency(bucket.Policy()) // AWS checks the bucket's policy when it creates the delivery
}
