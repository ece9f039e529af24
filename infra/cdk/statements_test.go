package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/routes"
	"verdetto/shared/store/dynamostore/schema"
)

type props = map[string]any

// ref and attr are references as the template writes them.
func ref(id string) props        { return props{"Ref": id} }
func attr(id, name string) props { return props{"Fn::GetAtt": []string{id, name}} }

// statement is something that must be so, as a pattern of resources or a count of them.
type statement struct {
	says   string
	config string // example where it is empty
	check  func(assertions.Template)
}

// has says that a resource of a type has the properties, whatever else it has.
func has(kind string, want props) func(assertions.Template) {
	return func(t assertions.Template) { t.HasResourceProperties(jsii.String(kind), want) }
}

// kept says that a resource of a type stays when it leaves the template.
func kept(kind string) func(assertions.Template) {
	return func(t assertions.Template) {
		t.AllResources(jsii.String(kind), props{"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"})
	}
}

func number(kind string, n int) func(assertions.Template) {
	return func(t assertions.Template) { t.ResourceCountIs(jsii.String(kind), jsii.Number(n)) }
}

func all(kind string, want props) func(assertions.Template) {
	return func(t assertions.Template) { t.AllResourcesProperties(jsii.String(kind), want) }
}

func statements() []statement {
	like := assertions.Match_ObjectLike
	array := func(values ...any) assertions.Matcher { return assertions.Match_ArrayWith(&values) }
	absent := assertions.Match_Absent()
	statements := []statement{
		{"the table is on demand", "", has("AWS::DynamoDB::Table", props{"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": absent})},
		{"the table's key is the schema's", "", has("AWS::DynamoDB::Table", props{"KeySchema": []props{
			{"AttributeName": schema.Partition, "KeyType": "HASH"}, {"AttributeName": schema.Sort, "KeyType": "RANGE"}}})},
		{"the table has no indexes", "", has("AWS::DynamoDB::Table", props{"GlobalSecondaryIndexes": absent, "LocalSecondaryIndexes": absent})},
		{"the table can be restored to any second of 35 days", "", has("AWS::DynamoDB::Table", props{
			"PointInTimeRecoverySpecification": props{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 35}})},
		{"the table's items expire", "", has("AWS::DynamoDB::Table", props{"TimeToLiveSpecification": props{"AttributeName": schema.Expires, "Enabled": true}})},
		{"the table is encrypted", "", has("AWS::DynamoDB::Table", props{"SSESpecification": props{"SSEEnabled": true}})},
		{"the table cannot be deleted", "", has("AWS::DynamoDB::Table", props{"DeletionProtectionEnabled": true})},
		{"the table outlives the stack", "", kept("AWS::DynamoDB::Table")},

		{"there are five functions", "", number("AWS::Lambda::Function", 5)},
		{"functions run on provided.al2023, arm64, and are traced", "", all("AWS::Lambda::Function", props{
			"Runtime": "provided.al2023", "Architectures": []string{"arm64"}, "Handler": "bootstrap", "TracingConfig": props{"Mode": "Active"}})},
		{"functions log JSON", "", all("AWS::Lambda::Function", props{"LoggingConfig": like(&props{"LogFormat": "JSON", "ApplicationLogLevel": "INFO"})})},
		{"logs are kept for 30 days", "", all("AWS::Logs::LogGroup", props{"RetentionInDays": 30})},
		{"logs are kept as long as is chosen", "most", all("AWS::Logs::LogGroup", props{"RetentionInDays": 90})},
		{"roles are for Lambda and have no managed policies", "", all("AWS::IAM::Role", props{"ManagedPolicyArns": absent,
			"AssumeRolePolicyDocument": like(&props{"Statement": []props{{"Action": "sts:AssumeRole", "Effect": "Allow", "Principal": props{"Service": "lambda.amazonaws.com"}}}})})},
		{"each function has a role of its own", "", number("AWS::IAM::Role", 5)},
		{"concurrency can be reserved", "most", has("AWS::Lambda::Function", props{"FunctionName": "second-refresh", "ReservedConcurrentExecutions": 5})},
		{"concurrency is not reserved unasked", "", all("AWS::Lambda::Function", props{"ReservedConcurrentExecutions": absent})},
		{"a restored table can be used", "most", has("AWS::Lambda::Function", props{"FunctionName": "second-analisi",
			"Environment": props{"Variables": like(&props{"VERDETTO_TABLE": "second-restored"})}})},

		{"the API is an HTTP API that leads everything else to analisi", "", has("AWS::ApiGatewayV2::Route", props{"RouteKey": "$default"})},
		{"the API is throttled and logs accesses", "", has("AWS::ApiGatewayV2::Stage", props{"StageName": "$default", "AutoDeploy": true,
			"DefaultRouteSettings": like(&props{"ThrottlingRateLimit": 200, "ThrottlingBurstLimit": 400}),
			"AccessLogSettings":    like(&props{"DestinationArn": attr("ApiLog", "Arn")})})},
		{"the edge proves itself with the secret that is chosen", "", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{"Origins": array(like(&props{
			"OriginCustomHeaders": []props{{"HeaderName": "X-Origin-Secret", "HeaderValue": "{{resolve:secretsmanager:verdetto/origin:SecretString:1}}"}}}))})})},
		{"the edge speaks TLS 1.2 to the API and nothing less", "", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{"Origins": array(like(&props{
			"CustomOriginConfig": like(&props{"OriginProtocolPolicy": "https-only", "OriginSSLProtocols": []string{"TLSv1.2"}})}))})})},
		{"callers speak TLS 1.2 or more to the service's domain", "", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{
			"Aliases": []string{"verdetto.example.com"}, "ViewerCertificate": like(&props{"MinimumProtocolVersion": "TLSv1.2_2021", "SslSupportMethod": "sni-only"})})})},
		{"without a domain the edge has CloudFront's", "least", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{
			"Aliases": absent, "ViewerCertificate": absent})})},
		{"the edge logs accesses, for 14 days", "", has("AWS::S3::Bucket", props{
			"LifecycleConfiguration": props{"Rules": array(like(&props{"ExpirationInDays": 14, "Status": "Enabled"}))}})},
		{"the bucket of access logs is closed and encrypted", "", has("AWS::S3::Bucket", props{
			"PublicAccessBlockConfiguration": props{"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true},
			"BucketEncryption":               like(&props{"ServerSideEncryptionConfiguration": array(like(&props{"ServerSideEncryptionByDefault": props{"SSEAlgorithm": "AES256"}}))})})},
		{"there is no firewall unasked", "", number("AWS::WAFv2::WebACL", 0)},
		{"a firewall stops addresses that ask too often", "most", has("AWS::WAFv2::WebACL", props{"Scope": "CLOUDFRONT", "DefaultAction": props{"Allow": props{}},
			"Rules": []any{like(&props{"Statement": props{"RateBasedStatement": props{"AggregateKeyType": "IP", "Limit": 2000, "EvaluationWindowSec": 300}}})}})},
		{"the firewall stands before the edge", "most", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{"WebACLId": attr("Firewall", "Arn")})})},
		{"origin requests carry the viewer's address and every query, and no Host or cookie", "", has("AWS::CloudFront::OriginRequestPolicy", props{"OriginRequestPolicyConfig": like(&props{
			"HeadersConfig":      props{"HeaderBehavior": "whitelist", "Headers": forwarded},
			"QueryStringsConfig": props{"QueryStringBehavior": "all"}, "CookiesConfig": props{"CookieBehavior": "none"}})})},

		{"every seven days a refresh is planned", "", has("AWS::Events::Rule", props{"ScheduleExpression": "cron(0 3 ? * TUE *)", "State": "ENABLED",
			"Targets": []any{props{"Arn": attr("RefreshFunction", "Arn"), "Id": "Target0"}}})},
		{"a refresh works its queue, so many at once, and says which messages failed", "", has("AWS::Lambda::EventSourceMapping", props{
			"FunctionName": ref("RefreshFunction"), "EventSourceArn": attr("RefreshQueue", "Arn"), "BatchSize": 10,
			"ScalingConfig": props{"MaximumConcurrency": 2}, "FunctionResponseTypes": []string{"ReportBatchItemFailures"}})},
		{"the workers know how many they are", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-refresh",
			"Environment": props{"Variables": like(&props{"VERDETTO_WORKERS": "2", "VERDETTO_QUEUE_URL": ref("RefreshQueue")})}})},
		{"as many workers as are chosen", "most", has("AWS::Lambda::EventSourceMapping", props{"FunctionName": ref("RefreshFunction"), "ScalingConfig": props{"MaximumConcurrency": 3}})},
		{"and they know it", "most", has("AWS::Lambda::Function", props{"FunctionName": "second-refresh", "Environment": props{"Variables": like(&props{"VERDETTO_WORKERS": "3"})}})},
		{"a message of a refresh is nobody else's for six times as long as a worker may take", "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-refresh", "VisibilityTimeout": 5400})},
		{"queues are encrypted", "", all("AWS::SQS::Queue", props{"SqsManagedSseEnabled": true})},
		{"queues refuse what is not TLS", "", all("AWS::SQS::QueuePolicy", props{"PolicyDocument": like(&props{"Statement": array(like(&props{
			"Effect": "Deny", "Principal": props{"AWS": "*"}, "Condition": props{"Bool": props{"aws:SecureTransport": "false"}}}))})})},
		{"schedules that fail are tried again and then kept", "", all("AWS::Lambda::EventInvokeConfig", props{"MaximumRetryAttempts": 2,
			"DestinationConfig": props{"OnFailure": props{"Destination": attr("EventDeadLetters", "Arn")}}})},
		{"mail of alerts is looked after every five minutes by the refresh", "", has("AWS::Events::Rule", props{"ScheduleExpression": "rate(5 minutes)",
			"Targets": []any{props{"Arn": attr("RefreshFunction", "Arn"), "Id": "Target0", "Input": `{"mail":true}`}}})},

		{"mail is sent from the operator's domain", "", has("AWS::SES::EmailIdentity", props{"EmailIdentity": "verdetto.example.com",
			"ConfigurationSetAttributes": props{"ConfigurationSetName": ref("MailSet")}})},
		{"mail travels encrypted and its reputation is watched", "", has("AWS::SES::ConfigurationSet", props{"Name": "verdetto",
			"DeliveryOptions": props{"TlsPolicy": "REQUIRE"}, "ReputationOptions": props{"ReputationMetricsEnabled": true}})},
		{"bounces and complaints reach a topic", "", has("AWS::SES::ConfigurationSetEventDestination", props{"ConfigurationSetName": ref("MailSet"),
			"EventDestination": like(&props{"Enabled": true, "MatchingEventTypes": []string{"bounce", "complaint"}, "SnsDestination": props{"TopicARN": ref("Returns")}})})},
		{"SES may publish to that topic, for this account only", "", has("AWS::SNS::TopicPolicy", props{"Topics": []any{ref("Returns")},
			"PolicyDocument": like(&props{"Statement": array(like(&props{"Action": "sns:Publish", "Effect": "Allow", "Principal": props{"Service": "ses.amazonaws.com"},
				"Condition": props{"StringEquals": props{"aws:SourceAccount": "123456789012"}}}))})})},
		{"alerts hears of them", "", has("AWS::SNS::Subscription", props{"Protocol": "lambda", "TopicArn": ref("Returns"), "Endpoint": attr("AlertsFunction", "Arn")})},
		{"topics are encrypted with our key", "", all("AWS::SNS::Topic", props{"KmsMasterKeyId": attr("NoticeKey", "Arn")})},
		{"the key is renewed every year", "", has("AWS::KMS::Key", props{"EnableKeyRotation": true})},
		{"the key outlives the stack", "", kept("AWS::KMS::Key")},
		{"SES and CloudWatch may encrypt with the key", "", has("AWS::KMS::Key", props{"KeyPolicy": like(&props{"Statement": array(like(&props{
			"Action": []string{"kms:Decrypt", "kms:GenerateDataKey"}, "Principal": props{"Service": []string{"cloudwatch.amazonaws.com", "ses.amazonaws.com"}}}))})})},
		{"CloudWatch may publish alarms, for this account only", "", has("AWS::SNS::TopicPolicy", props{"Topics": []any{ref("Alarms")},
			"PolicyDocument": like(&props{"Statement": array(like(&props{"Action": "sns:Publish", "Effect": "Allow", "Principal": props{"Service": "cloudwatch.amazonaws.com"},
				"Condition": props{"StringEquals": props{"aws:SourceAccount": "123456789012"}}}))})})},
		{"the topic's policy is there before SES tries the topic", "", func(t assertions.Template) {
			t.HasResource(jsii.String("AWS::SES::ConfigurationSetEventDestination"), props{"DependsOn": []any{assertions.Match_StringLikeRegexp(jsii.String("^ReturnsPolicy"))}})
		}},

		{"somebody gets a mail of alarms", "", has("AWS::SNS::Subscription", props{"Protocol": "email", "TopicArn": ref("Alarms"), "Endpoint": "operator@example.com"})},
		{"every alarm tells when it begins and when it ends", "", all("AWS::CloudWatch::Alarm", props{"AlarmActions": []any{ref("Alarms")}, "OKActions": []any{ref("Alarms")},
			"AlarmDescription": assertions.Match_StringLikeRegexp(jsii.String(`\w{3}.*\.`))})},
		{"an alarm watches 5xx", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/ApiGateway", "MetricName": "5xx"})},
		{"an alarm watches the age of fares, silence included", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "Verdetto", "MetricName": "DataAgeDays",
			"Threshold": 9, "ComparisonOperator": "GreaterThanThreshold", "TreatMissingData": "breaching"})},
		{"an alarm watches bounces", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/SES", "MetricName": "Reputation.BounceRate", "Threshold": 0.03})},
		{"an alarm watches complaints", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/SES", "MetricName": "Reputation.ComplaintRate"})},
		{"alarms watch throttles of the table", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/DynamoDB", "MetricName": "WriteThrottleEvents"})},
		{"there is one dashboard", "", number("AWS::CloudWatch::Dashboard", 1)},
	}
	for _, f := range functions {
		id := title(f.name)
		dimensions := []props{{"Name": "FunctionName", "Value": ref(id + "Function")}}
		statements = append(statements,
			statement{f.name + " has its folder, memory, time and role", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-" + f.name,
				"MemorySize": f.memory, "Timeout": f.timeout, "Role": attr(id+"Role", "Arn"), "LoggingConfig": like(&props{"LogGroup": ref(id + "Log")})})},
			statement{"an alarm watches errors of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"MetricName": "Errors", "Dimensions": dimensions, "Threshold": 0})},
			statement{"an alarm watches throttles of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"MetricName": "Throttles", "Dimensions": dimensions})},
		)
		if f.http {
			statements = append(statements,
				statement{"an alarm watches 5xx of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"Namespace": "Verdetto", "MetricName": "Errors5xx",
					"Dimensions": []props{{"Name": "function", "Value": f.name}}})},
				statement{"the API and no other may call " + f.name + " over HTTP", "", has("AWS::Lambda::Permission", props{"FunctionName": attr(id+"Function", "Arn"),
					"Principal": "apigateway.amazonaws.com", "SourceArn": props{"Fn::Sub": "arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"}})})
		}
		if f.queue {
			statements = append(statements,
				statement{"what " + f.name + " gives up is kept for 14 days", "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-" + f.name,
					"RedrivePolicy": props{"deadLetterTargetArn": attr(id+"DeadLetters", "Arn"), "maxReceiveCount": tries}})},
				statement{"dead letters of " + f.name, "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-" + f.name + "-dead", "MessageRetentionPeriod": 14 * 24 * 60 * 60})},
				statement{"an alarm watches dead letters of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"MetricName": "ApproximateNumberOfMessagesVisible",
					"Dimensions": []any{props{"Name": "QueueName", "Value": attr(id+"DeadLetters", "QueueName")}}, "Threshold": 0})},
				statement{f.name + " works its queue", "", has("AWS::Lambda::EventSourceMapping", props{"FunctionName": ref(id + "Function"),
					"EventSourceArn": attr(id+"Queue", "Arn"), "FunctionResponseTypes": []string{"ReportBatchItemFailures"}})})
		}
		if f.queue && f.http {
			statements = append(statements,
				statement{f.name + " looks into its outbox every five minutes", "", has("AWS::Events::Rule", props{"ScheduleExpression": "rate(5 minutes)",
					"Targets": []any{props{"Arn": attr(id+"Function", "Arn"), "Id": "Target0", "Input": `{"work":true}`}}})},
				statement{f.name + " can signal itself", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-" + f.name,
					"Environment": props{"Variables": like(&props{"VERDETTO_WORK_QUEUE_URL": ref(id + "Queue")})}})})
		}
	}
	for _, s := range refusals {
		statements = append(statements, statement{fmt.Sprintf("the edge keeps no %d", s), "", has("AWS::CloudFront::Distribution", props{
			"DistributionConfig": like(&props{"CustomErrorResponses": array(props{"ErrorCode": s, "ErrorCachingMinTTL": 0})})})})
	}
	for _, p := range paths() {
		statements = append(statements, statement{p.path + " leads to " + p.function, "", has("AWS::ApiGatewayV2::Route", props{"RouteKey": "ANY " + p.path,
			"Target": props{"Fn::Join": []any{"/", []any{"integrations", ref(title(p.function) + "Integration")}}}})})
	}
	return statements
}

func TestStatements(t *testing.T) {
	for _, s := range statements() {
		if s.config == "" {
			s.config = "example"
		}
		h := fixture(t, s.config)
		t.Run(s.says, func(t *testing.T) {
			defer func() {
				if v := recover(); v != nil {
					t.Errorf("%s: %v", s.config, v)
				}
			}()
			s.check(h.template)
		})
	}
}

// TestStatementsCanFail shows that a statement which is not so is noticed.
func TestStatementsCanFail(t *testing.T) {
	h := fixture(t, "example")
	for _, check := range []func(assertions.Template){
		has("AWS::DynamoDB::Table", props{"BillingMode": "PROVISIONED"}),
		all("AWS::SQS::Queue", props{"QueueName": "verdetto-refresh"}),
		number("AWS::Lambda::Function", 6),
		kept("AWS::SQS::Queue"),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("what is not so was let pass")
				}
			}()
			check(h.template)
		}()
	}
}

// TestBehaviours: what the table lets the edge keep, and only that, is kept,
// under a key that holds all that the answer depends on.
func TestBehaviours(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		t.Run(name, func(t *testing.T) {
			h := fixture(t, name)
			const unshared = `{"Ref":"UnsharedCache"}`
			got := map[string]string{}
			for _, b := range asList(h.property("Distribution", "DistributionConfig", "CacheBehaviors")) {
				got[at(b, "PathPattern").(string)] = compact(at(b, "CachePolicyId")) + compact(at(b, "ResponseHeadersPolicyId"))
			}
			if got[agentsPath] != unshared+`{"Ref":"Answers"}` {
				t.Errorf("%s is kept by %q", agentsPath, got[agentsPath])
			}
			delete(got, agentsPath)
			for _, r := range routes.Table {
				for _, p := range r.Paths() {
					if p == agentsPath {
						continue
					}
					want := ""
					if r.Edge != (routes.Edge{}) {
						want = `{"Ref":"OpenCache"}{"Ref":"SharedAnswers"}`
						if r.Keyed() {
							want = `{"Ref":"KeyedCache"}{"Ref":"SharedAnswers"}`
						}
					}
					p = pattern(p)
					if got[p] != want {
						t.Errorf("%s is kept by %q, want %q", p, got[p], want)
					}
					delete(got, p)
				}
			}
			if len(got) > 0 {
				t.Errorf("the edge keeps what the table does not have: %v", got)
			}
			if d := h.property("Distribution", "DistributionConfig", "DefaultCacheBehavior", "CachePolicyId"); compact(d) != unshared {
				t.Errorf("everything else is kept by %v", d)
			}
			if n := len(asList(h.property("Distribution", "DistributionConfig", "CacheBehaviors"))); n > 24 {
				t.Errorf("%d behaviours; an account has 25 with the default one", n)
			}
		})
	}
}

// TestPatternsDoNotOverlap: CloudFront takes the first pattern that matches, and
// the CDK writes them in the order of the alphabet. Neither matters as long as
// no path can match two.
func TestPatternsDoNotOverlap(t *testing.T) {
	var patterns []string
	for _, r := range routes.Table {
		if r.Edge != (routes.Edge{}) {
			for _, p := range r.Paths() {
				patterns = append(patterns, pattern(p))
			}
		}
	}
	for _, r := range routes.Table {
		for _, p := range r.Paths() {
			p = pattern(p)
			matching := slices.DeleteFunc(slices.Clone(patterns), func(q string) bool {
				prefix, wild := strings.CutSuffix(q, "*")
				return q != p && !(wild && strings.HasPrefix(p, prefix))
			})
			if len(matching) > 1 || r.Edge == (routes.Edge{}) && len(matching) > 0 {
				t.Errorf("%s matches %q", p, matching)
			}
		}
	}
}

// TestCacheKeys: the key holds the query, X-Api-Key where keys are looked at, and
// nothing else; nothing is kept longer or otherwise than its s-maxage says.
func TestCacheKeys(t *testing.T) {
	h := fixture(t, "example")
	for id, headers := range map[string]string{
		"KeyedCache":    `{"HeaderBehavior":"whitelist","Headers":["X-Api-Key","Authorization"]}`,
		"UnsharedCache": `{"HeaderBehavior":"whitelist","Headers":["X-Api-Key","Authorization"]}`,
		"OpenCache":     `{"HeaderBehavior":"none"}`,
	} {
		c := h.property(id, "CachePolicyConfig")
		if got := compact(at(c, "ParametersInCacheKeyAndForwardedToOrigin", "HeadersConfig")); got != headers {
			t.Errorf("%s: headers %s", id, got)
		}
		if q := at(c, "ParametersInCacheKeyAndForwardedToOrigin", "QueryStringsConfig", "QueryStringBehavior"); q != "all" {
			t.Errorf("%s: queries %v", id, q)
		}
		if k := at(c, "ParametersInCacheKeyAndForwardedToOrigin", "CookiesConfig", "CookieBehavior"); k != "none" {
			t.Errorf("%s: cookies %v", id, k)
		}
		if at(c, "MinTTL") != 0.0 || at(c, "DefaultTTL") != 0.0 {
			t.Errorf("%s keeps answers for at least %v s and by default %v s", id, at(c, "MinTTL"), at(c, "DefaultTTL"))
		}
		switch most, ok := at(c, "MaxTTL").(float64); {
		case id == "UnsharedCache" && most != 1:
			t.Errorf("%s keeps what says so for %v s; with 0 it would pass on no header, and more is not wanted", id, at(c, "MaxTTL"))
		case id != "UnsharedCache" && (!ok || most < longest().Seconds()):
			t.Errorf("%s cuts what may be kept for %v to %v s", id, longest(), at(c, "MaxTTL"))
		}
	}
	for id, want := range map[string]string{"SharedAnswers": `{"Items":[{"Header":"X-RateLimit-Remaining"},{"Header":"RateLimit"},{"Header":"X-Request-Id"}]}`, "Answers": "null"} {
		if got := compact(h.property(id, "ResponseHeadersPolicyConfig", "RemoveHeadersConfig")); got != want {
			t.Errorf("%s drops %s", id, got)
		}
		security := compact(h.property(id, "ResponseHeadersPolicyConfig", "SecurityHeadersConfig"))
		for _, say := range []string{`"AccessControlMaxAgeSec":31536000`, `"ContentTypeOptions":{"Override":true}`, `"FrameOption":"DENY"`,
			`"ReferrerPolicy":"no-referrer"`, `{"ContentSecurityPolicy":"default-src 'none'; frame-ancestors 'none'","Override":false}`} {
			if !strings.Contains(security, say) {
				t.Errorf("%s does not say %s: %s", id, say, security)
			}
		}
	}
	for id, headers := range map[string][]string{"OriginRequest": forwarded, "AgentsOriginRequest": agentsForwarded} {
		if got := compact(h.property(id, "OriginRequestPolicyConfig", "HeadersConfig", "Headers")); got != compact(headers) {
			t.Errorf("%s passes on %s", id, got)
		}
		if len(headers) > 10 {
			t.Errorf("%s passes on %d headers; CloudFront takes ten", id, len(headers))
		}
		for _, always := range []string{"CloudFront-Viewer-Address", "X-Api-Key", "Content-Type", "Access-Control-Request-Method"} {
			if !slices.Contains(headers, always) {
				t.Errorf("%s does not pass on %s", id, always)
			}
		}
		for _, never := range []string{"Host", "Authorization", "Cookie", "X-Origin-Secret"} {
			if slices.Contains(headers, never) {
				t.Errorf("%s passes on %s", id, never)
			}
		}
	}
}
