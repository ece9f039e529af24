package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2/assertions"
	"github.com/aws/jsii-runtime-go"

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
	claim
}

// claim is what a statement claims of the resources of a type. spoil makes a
// resource one of which it is not so, and gives it a twin where the claim is of their number.
type claim struct {
	kind  string
	check func(assertions.Template)
	spoil func(resource map[string]any) (twin bool)
}

// overwritten spoils what is wanted, whether it was to be something or not to be.
func overwritten(want props) func(map[string]any) bool {
	return func(r map[string]any) bool {
		properties, _ := r["Properties"].(map[string]any)
		spoiled := map[string]any{}
		for k, v := range properties {
			spoiled[k] = v
		}
		for k := range want {
			spoiled[k] = "spoiled"
		}
		r["Properties"] = spoiled
		return false
	}
}

// has says that a resource of a type has the properties, whatever else it has.
func has(kind string, want props) claim {
	return claim{kind, func(t assertions.Template) { t.HasResourceProperties(jsii.String(kind), want) }, overwritten(want)}
}

// kept says that a resource of a type stays when it leaves the template.
func kept(kind string) claim {
	return claim{kind, func(t assertions.Template) {
		t.AllResources(jsii.String(kind), props{"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"})
	}, func(r map[string]any) bool { delete(r, "DeletionPolicy"); return false }}
}

func number(kind string, n int) claim {
	return claim{kind, func(t assertions.Template) { t.ResourceCountIs(jsii.String(kind), jsii.Number(n)) }, func(map[string]any) bool { return true }}
}

func all(kind string, want props) claim {
	return claim{kind, func(t assertions.Template) { t.AllResourcesProperties(jsii.String(kind), want) }, overwritten(want)}
}

// The paths that the firewall tells apart, written out for whoever reads the template.
const (
	relayedPaths = `^(/api)?(/v1/pro/webhook|/v1/alerts/unsubscribe|/v1/alerts/telegram)/?$`
	freePaths    = `^(/api)?(/v1/analisi|/v1/confronto|/v1/calendario|/v1/occasioni|/feed/[^/]+|/v1/rotte|/v1/storico|/card/[^/]+|/v1/price-trends|/mcp|/v1/analytics/itinerary-price-metrics|/v1/shopping/flight-dates|/v1/shopping/flight-destinations)/?$`
)

func statements(example config) []statement {
	like := assertions.Match_ObjectLike
	array := func(values ...any) assertions.Matcher { return assertions.Match_ArrayWith(&values) }
	absent := assertions.Match_Absent()
	withKeyIn := func(header string) props {
		return props{"ByteMatchStatement": like(&props{"SearchString": "vd_", "PositionalConstraint": "CONTAINS", "FieldToMatch": props{"SingleHeader": props{"Name": header}}})}
	}
	statements := []statement{
		{"the table is on demand", "", has("AWS::DynamoDB::Table", props{"BillingMode": "PAY_PER_REQUEST", "ProvisionedThroughput": absent})},
		{"the table's key is the schema's", "", has("AWS::DynamoDB::Table", props{"KeySchema": []props{
			{"AttributeName": schema.Partition, "KeyType": "HASH"}, {"AttributeName": schema.Sort, "KeyType": "RANGE"}}})},
		{"what the table does in a day has an end", "", has("AWS::DynamoDB::Table", props{"OnDemandThroughput": props{"MaxReadRequestUnits": 3280, "MaxWriteRequestUnits": 2380}})},
		{"the table has no indexes", "", has("AWS::DynamoDB::Table", props{"GlobalSecondaryIndexes": absent, "LocalSecondaryIndexes": absent})},
		{"the table can be restored to any second of 35 days", "", has("AWS::DynamoDB::Table", props{
			"PointInTimeRecoverySpecification": props{"PointInTimeRecoveryEnabled": true, "RecoveryPeriodInDays": 35}})},
		{"the table's items expire", "", has("AWS::DynamoDB::Table", props{"TimeToLiveSpecification": props{"AttributeName": schema.Expires, "Enabled": true}})},
		{"the table is encrypted", "", has("AWS::DynamoDB::Table", props{"SSESpecification": props{"SSEEnabled": true}})},
		{"the table cannot be deleted", "", has("AWS::DynamoDB::Table", props{"DeletionProtectionEnabled": true})},
		{"the table outlives the stack", "", kept("AWS::DynamoDB::Table")},

		{"there are seven functions", "", number("AWS::Lambda::Function", 7)},
		{"functions run on provided.al2023, arm64, and are traced", "", all("AWS::Lambda::Function", props{
			"Runtime": "provided.al2023", "Architectures": []string{"arm64"}, "Handler": "bootstrap", "TracingConfig": props{"Mode": "Active"}})},
		{"functions log JSON", "", all("AWS::Lambda::Function", props{"LoggingConfig": like(&props{"LogFormat": "JSON", "ApplicationLogLevel": "INFO"})})},
		{"logs are kept for 30 days", "", all("AWS::Logs::LogGroup", props{"RetentionInDays": 30})},
		{"logs are kept as long as is chosen", "most", all("AWS::Logs::LogGroup", props{"RetentionInDays": 90})},
		{"roles have no managed policies", "", all("AWS::IAM::Role", props{"ManagedPolicyArns": absent})},
		{"each function has a role of its own, and so have schedules", "", number("AWS::IAM::Role", 8)},
		{"concurrency can be reserved", "most", has("AWS::Lambda::Function", props{"FunctionName": "second-refresh", "ReservedConcurrentExecutions": 5})},
		{"concurrency is reserved unasked where the account has enough", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-pro", "ReservedConcurrentExecutions": 30})},
		{"and for the workers on top", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-refresh", "ReservedConcurrentExecutions": 5})},
		{"a new account's few instances are everybody's", "least", all("AWS::Lambda::Function", props{"ReservedConcurrentExecutions": absent})},
		{"a restored table can be used", "most", has("AWS::Lambda::Function", props{"FunctionName": "second-analisi",
			"Environment": props{"Variables": like(&props{"VERDETTO_TABLE": "second-restored"})}})},

		{"the API is an HTTP API that leads everything else to analisi", "", has("AWS::ApiGatewayV2::Route", props{"RouteKey": "$default"})},
		{"the API is throttled and logs accesses", "", has("AWS::ApiGatewayV2::Stage", props{"StageName": "$default", "AutoDeploy": true,
			"DefaultRouteSettings": like(&props{"ThrottlingRateLimit": 60, "ThrottlingBurstLimit": 120}),
			"AccessLogSettings":    like(&props{"DestinationArn": attr("ApiLog", "Arn")})})},
		{"API Gateway's own address is off", "", has("AWS::ApiGatewayV2::Api", props{"DisableExecuteApiEndpoint": true})},
		{"API Gateway has a domain for the distribution, and asks for no client certificate", "", has("AWS::ApiGatewayV2::DomainName", props{
			"DomainName":               "origin.verdetto.example.com",
			"DomainNameConfigurations": []any{props{"CertificateArn": example.Origin.Certificate, "EndpointType": "REGIONAL", "SecurityPolicy": "TLS_1_2"}},
			"MutualTlsAuthentication":  absent})},
		{"nor does the edge show one", "", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{"Origins": []any{like(&props{
			"CustomOriginConfig": like(&props{"OriginMtlsConfig": absent})})}})})},
		{"with mutual TLS it speaks to no client without a certificate of the operator's authority", "most", has("AWS::ApiGatewayV2::DomainName", props{
			"MutualTlsAuthentication": props{"TruststoreUri": assertions.Match_StringLikeRegexp(jsii.String(`^s3://.*[.]pem$`))}})},
		{"the API answers there and nowhere else", "", has("AWS::ApiGatewayV2::ApiMapping", props{"ApiId": ref("Api"), "DomainName": ref("OriginDomain"), "Stage": ref("ApiStage")})},
		{"there is one way to the API", "", number("AWS::ApiGatewayV2::ApiMapping", 1)},
		{"with mutual TLS the edge shows its certificate to API Gateway, at that domain", "most", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{"Origins": []any{like(&props{
			"DomainName":         "origin.verdetto.example.com",
			"CustomOriginConfig": like(&props{"OriginMtlsConfig": props{"ClientCertificateArn": strings.Replace(example.Certificate, "1111", "9999", 1)}})})}})})},
		{"without a domain API Gateway has its own address", "least", number("AWS::ApiGatewayV2::DomainName", 0)},
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
		{"AWS's delivery of logs may write there, of this account's distribution only", "", has("AWS::S3::BucketPolicy", props{"PolicyDocument": like(&props{"Statement": array(like(&props{
			"Action": "s3:PutObject", "Effect": "Allow", "Principal": props{"Service": "delivery.logs.amazonaws.com"},
			"Condition": props{"StringEquals": props{"aws:SourceAccount": "123456789012", "s3:x-amz-acl": "bucket-owner-full-control"},
				"ArnLike": props{"aws:SourceArn": "arn:aws:logs:us-east-1:123456789012:delivery-source:verdetto-edge"}}}))})})},
		{"the edge's log is JSON of chosen fields", "", has("AWS::Logs::Delivery", props{"DeliverySourceName": ref("AccessLogSource"), "RecordFields": logged})},
		{"it is of the distribution", "", has("AWS::Logs::DeliverySource", props{"LogType": "ACCESS_LOGS", "Name": "verdetto-edge"})},
		{"a budget mails the operator", "", has("AWS::Budgets::Budget", props{"Budget": like(&props{"BudgetType": "COST", "TimeUnit": "MONTHLY", "BudgetLimit": props{"Amount": 100, "Unit": "USD"}}),
			"NotificationsWithSubscribers": array(like(&props{"Notification": like(&props{"NotificationType": "FORECASTED", "Threshold": 100}),
				"Subscribers": []any{props{"SubscriptionType": "EMAIL", "Address": "operator@example.com"}}}))})},
		{"the bucket of access logs is closed and encrypted", "", has("AWS::S3::Bucket", props{
			"PublicAccessBlockConfiguration": props{"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true},
			"BucketEncryption":               like(&props{"ServerSideEncryptionConfiguration": array(like(&props{"ServerSideEncryptionByDefault": props{"SSEAlgorithm": "AES256"}}))})})},
		{"there is no firewall where it is declined", "least", number("AWS::WAFv2::WebACL", 0)},
		{"a firewall stops addresses that ask too often", "", has("AWS::WAFv2::WebACL", props{"Scope": "CLOUDFRONT", "DefaultAction": props{"Allow": props{}},
			"Rules": array(like(&props{"Name": "rate", "Action": props{"Block": like(&props{"CustomResponse": like(&props{"ResponseCode": 429})})},
				"Statement": props{"RateBasedStatement": props{"AggregateKeyType": "IP", "Limit": 2000, "EvaluationWindowSec": 300,
					"ScopeDownStatement": props{"NotStatement": props{"Statement": like(&props{"RegexMatchStatement": like(&props{"RegexString": relayedPaths})})}}}}}))})},
		{"and gives those that call for many ten times as much", "", has("AWS::WAFv2::WebACL", props{
			"Rules": array(like(&props{"Name": "rate-relayed", "Statement": props{"RateBasedStatement": like(&props{"Limit": 20_000,
				"ScopeDownStatement": like(&props{"RegexMatchStatement": like(&props{"RegexString": relayedPaths})})})}}))})},
		{"it stops as many as are chosen", "most", has("AWS::WAFv2::WebACL", props{"Rules": array(like(&props{"Name": "rate", "Statement": props{"RateBasedStatement": like(&props{"Limit": 1000})}}))})},
		{"it stops addresses that are known to attack", "", has("AWS::WAFv2::WebACL", props{"Rules": array(like(&props{"OverrideAction": props{"None": props{}},
			"Statement": props{"ManagedRuleGroupStatement": props{"VendorName": "AWS", "Name": "AWSManagedRulesAmazonIpReputationList"}}}))})},
		{"it stops requests that are known to be attacks", "", has("AWS::WAFv2::WebACL", props{"Rules": array(like(&props{"OverrideAction": props{"None": props{}},
			"Statement": props{"ManagedRuleGroupStatement": props{"VendorName": "AWS", "Name": "AWSManagedRulesKnownBadInputsRuleSet"}}}))})},
		{"the free tier is closed by refusing what has no key", "most", has("AWS::WAFv2::WebACL", props{
			"Rules": array(like(&props{"Name": "free-tier", "Action": props{"Block": like(&props{"CustomResponse": like(&props{"ResponseCode": 503})})},
				"Statement": props{"AndStatement": props{"Statements": []any{like(&props{"RegexMatchStatement": like(&props{"RegexString": freePaths})}),
					props{"NotStatement": props{"Statement": props{"OrStatement": props{"Statements": []any{withKeyIn("x-api-key"), withKeyIn("authorization")}}}}}}}}}))})},
		{"the firewall stands before the edge", "", has("AWS::CloudFront::Distribution", props{"DistributionConfig": like(&props{"WebACLId": attr("Firewall", "Arn")})})},

		{"every seven days a refresh is planned, as of the moment that it was due", "", has("AWS::Scheduler::Schedule", props{"ScheduleExpression": "cron(0 3 ? * TUE *)", "State": "ENABLED",
			"FlexibleTimeWindow": props{"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 15},
			"Target": like(&props{"Arn": ref("RefreshLive"), "Input": `{"source":"aws.scheduler","time":"<aws.scheduler.scheduled-time>"}`,
				"RetryPolicy": props{"MaximumRetryAttempts": 185, "MaximumEventAgeInSeconds": 86400}})})},
		{"every day the departures that are due are planned, as of that moment", "", has("AWS::Scheduler::Schedule", props{"ScheduleExpression": "cron(0 5 * * ? *)", "State": "ENABLED",
			"Target": like(&props{"Arn": ref("RefreshLive"), "Input": `{"departures":true,"time":"<aws.scheduler.scheduled-time>"}`,
				"RetryPolicy": props{"MaximumRetryAttempts": 185, "MaximumEventAgeInSeconds": 43200}})})},
		{"what a schedule cannot hand over is kept", "", all("AWS::Scheduler::Schedule", props{"Target": like(&props{
			"RoleArn": attr("ScheduleRole", "Arn"), "DeadLetterConfig": props{"Arn": attr("EventDeadLetters", "Arn")}})})},
		{"no rule of the event bus is left", "", number("AWS::Events::Rule", 0)},
		{"schedules are AWS's to call by, of this account only", "", has("AWS::IAM::Role", props{"AssumeRolePolicyDocument": like(&props{"Statement": []any{like(&props{
			"Principal": props{"Service": "scheduler.amazonaws.com"}, "Condition": props{"StringEquals": props{"aws:SourceAccount": "123456789012"}}})}})})},
		{"a refresh works its queue, so many at once, and says which messages failed", "", has("AWS::Lambda::EventSourceMapping", props{
			"FunctionName": ref("RefreshLive"), "EventSourceArn": attr("RefreshQueue", "Arn"), "BatchSize": 10,
			"ScalingConfig": props{"MaximumConcurrency": 2}, "FunctionResponseTypes": []string{"ReportBatchItemFailures"}})},
		{"the workers know how many they are", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-refresh",
			"Environment": props{"Variables": like(&props{"VERDETTO_WORKERS": "2", "VERDETTO_QUEUE_URL": ref("RefreshQueue")})}})},
		{"as many workers as are chosen", "most", has("AWS::Lambda::EventSourceMapping", props{"FunctionName": ref("RefreshLive"), "ScalingConfig": props{"MaximumConcurrency": 3}})},
		{"and they know it", "most", has("AWS::Lambda::Function", props{"FunctionName": "second-refresh", "Environment": props{"Variables": like(&props{"VERDETTO_WORKERS": "3"})}})},
		{"a message of a refresh is nobody else's for six times as long as a worker may take", "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-refresh", "VisibilityTimeout": 5400})},
		{"queues are encrypted", "", all("AWS::SQS::Queue", props{"SqsManagedSseEnabled": true})},
		{"queues refuse what is not TLS", "", all("AWS::SQS::QueuePolicy", props{"PolicyDocument": like(&props{"Statement": array(like(&props{
			"Effect": "Deny", "Principal": props{"AWS": "*"}, "Condition": props{"Bool": props{"aws:SecureTransport": "false"}}}))})})},
		{"schedules that fail are tried again and then kept", "", all("AWS::Lambda::EventInvokeConfig", props{"MaximumRetryAttempts": 2,
			"DestinationConfig": props{"OnFailure": props{"Destination": attr("EventDeadLetters", "Arn")}}})},
		{"mail of alerts is looked after every five minutes by the refresh", "", has("AWS::Scheduler::Schedule", props{"ScheduleExpression": "rate(5 minutes)",
			"Target": like(&props{"Arn": ref("RefreshLive"), "Input": `{"mail":true}`})})},

		{"mail is sent from the operator's domain", "", has("AWS::SES::EmailIdentity", props{"EmailIdentity": "verdetto.example.com",
			"ConfigurationSetAttributes": props{"ConfigurationSetName": ref("MailSet")}})},
		{"what comes back goes to a domain beneath the sender's own, so that SPF agrees with the sender", "", has("AWS::SES::EmailIdentity", props{
			"MailFromAttributes": props{"MailFromDomain": "bounces.verdetto.example.com", "BehaviorOnMxFailure": "USE_DEFAULT_VALUE"}})},
		{"mail travels encrypted and its reputation is watched", "", has("AWS::SES::ConfigurationSet", props{"Name": "verdetto",
			"DeliveryOptions": props{"TlsPolicy": "REQUIRE"}, "ReputationOptions": props{"ReputationMetricsEnabled": true}})},
		{"bounces and complaints reach a topic", "", has("AWS::SES::ConfigurationSetEventDestination", props{"ConfigurationSetName": ref("MailSet"),
			"EventDestination": like(&props{"Enabled": true, "MatchingEventTypes": []string{"bounce", "complaint"}, "SnsDestination": props{"TopicARN": ref("Returns")}})})},
		{"SES may publish to that topic, for this account only", "", has("AWS::SNS::TopicPolicy", props{"Topics": []any{ref("Returns")},
			"PolicyDocument": like(&props{"Statement": array(like(&props{"Action": "sns:Publish", "Effect": "Allow", "Principal": props{"Service": "ses.amazonaws.com"},
				"Condition": props{"StringEquals": props{"aws:SourceAccount": "123456789012"}}}))})})},
		{"alerts hears of them", "", has("AWS::SNS::Subscription", props{"Protocol": "lambda", "TopicArn": ref("Returns"), "Endpoint": ref("AlertsLive")})},
		{"topics are encrypted with our key", "most", all("AWS::SNS::Topic", props{"KmsMasterKeyId": attr("NoticeKey", "Arn")})},
		{"and that of the edge's alarms with the edge's", "", has("AWS::SNS::Topic", props{"KmsMasterKeyId": attr("EdgeNoticeKey", "Arn")})},
		{"the key is renewed every year", "", has("AWS::KMS::Key", props{"EnableKeyRotation": true})},
		{"the key outlives the stack", "", kept("AWS::KMS::Key")},
		{"SES and CloudWatch may encrypt with the key", "", has("AWS::KMS::Key", props{"KeyPolicy": like(&props{"Statement": array(like(&props{
			"Action": []string{"kms:Decrypt", "kms:GenerateDataKey"}, "Principal": props{"Service": []string{"cloudwatch.amazonaws.com", "ses.amazonaws.com"}}}))})})},
		{"CloudWatch may publish alarms, for this account only", "", has("AWS::SNS::TopicPolicy", props{"Topics": []any{ref("Alarms")},
			"PolicyDocument": like(&props{"Statement": array(like(&props{"Action": "sns:Publish", "Effect": "Allow", "Principal": props{"Service": "cloudwatch.amazonaws.com"},
				"Condition": props{"StringEquals": props{"aws:SourceAccount": "123456789012"}}}))})})},
		{"the topic's policy is there before SES tries the topic", "", claim{"AWS::SES::ConfigurationSetEventDestination", func(t assertions.Template) {
			t.HasResource(jsii.String("AWS::SES::ConfigurationSetEventDestination"), props{"DependsOn": []any{assertions.Match_StringLikeRegexp(jsii.String("^ReturnsPolicy"))}})
		}, func(r map[string]any) bool { delete(r, "DependsOn"); return false }}},

		{"somebody gets a mail of alarms", "", has("AWS::SNS::Subscription", props{"Protocol": "email", "TopicArn": ref("Alarms"), "Endpoint": "operator@example.com"})},
		{"an alarm watches 5xx, less what there cannot be", "", has("AWS::CloudWatch::Alarm", props{"AlarmName": "verdetto-page-ApiFailures", "Metrics": array(
			like(&props{"Expression": "broken - FILL(absent, 0)"}),
			like(&props{"MetricStat": like(&props{"Metric": like(&props{"Namespace": "Verdetto", "MetricName": "Absent501"})})}),
			like(&props{"MetricStat": like(&props{"Metric": like(&props{"Namespace": "AWS/ApiGateway", "MetricName": "5xx"})})}))})},
		{"an alarm watches the age of fares, silence included", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "Verdetto", "MetricName": "DataAgeDays",
			"Threshold": 9, "ComparisonOperator": "GreaterThanThreshold", "TreatMissingData": "breaching"})},
		{"an alarm watches bounces", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/SES", "MetricName": "Reputation.BounceRate", "Threshold": 0.03})},
		{"an alarm watches complaints", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/SES", "MetricName": "Reputation.ComplaintRate"})},
		{"alarms watch throttles of the table", "", has("AWS::CloudWatch::Alarm", props{"Namespace": "AWS/DynamoDB", "MetricName": "WriteThrottleEvents"})},
		{"which route is slow or fails is asked of the log", "", has("AWS::Logs::QueryDefinition", props{"Name": "verdetto/routes"})},
		{"there is one dashboard", "", number("AWS::CloudWatch::Dashboard", 1)},
	}
	for _, f := range functions {
		id := title(f.name)
		dimensions := []props{{"Name": "FunctionName", "Value": ref(id + "Function")}}
		statements = append(statements,
			statement{f.name + " has its folder, memory, time and role", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-" + f.name,
				"MemorySize": f.memory, "Timeout": f.timeout, "Role": attr(id+"Role", "Arn"), "LoggingConfig": like(&props{"LogGroup": ref(id + "Log")})})},
			statement{"a version of " + f.name + " is called, never what was deployed last", "", has("AWS::Lambda::Alias", props{"Name": liveAlias, "FunctionName": ref(id + "Function")})},
			statement{"an alarm watches errors of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"MetricName": "Errors", "Dimensions": dimensions, "Threshold": 0})},
			statement{"an alarm watches throttles of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"MetricName": "Throttles", "Dimensions": dimensions})},
		)
		if f.http {
			statements = append(statements,
				statement{"an alarm watches 5xx of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"Namespace": "Verdetto", "MetricName": "Errors5xx",
					"Dimensions": []props{{"Name": "function", "Value": f.name}, {"Name": "stack", "Value": "verdetto"}}})},
				statement{"the API and no other may call " + f.name + " over HTTP", "", has("AWS::Lambda::Permission", props{"FunctionName": ref(id + "Live"),
					"Principal": "apigateway.amazonaws.com", "SourceArn": props{"Fn::Sub": "arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"}})})
		}
		if f.queue {
			statements = append(statements,
				statement{"what " + f.name + " gives up is kept for 14 days", "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-" + f.name,
					"RedrivePolicy": props{"deadLetterTargetArn": attr(id+"DeadLetters", "Arn"), "maxReceiveCount": tries}})},
				statement{"dead letters of " + f.name, "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-" + f.name + "-dead", "MessageRetentionPeriod": 14 * 24 * 60 * 60})},
				statement{"an alarm watches dead letters of " + f.name, "", has("AWS::CloudWatch::Alarm", props{"MetricName": "ApproximateNumberOfMessagesVisible",
					"Dimensions": []any{props{"Name": "QueueName", "Value": attr(id+"DeadLetters", "QueueName")}}, "Threshold": 0})},
				statement{f.name + " works its queue", "", has("AWS::Lambda::EventSourceMapping", props{"FunctionName": ref(id + "Live"),
					"EventSourceArn": attr(id+"Queue", "Arn"), "FunctionResponseTypes": []string{"ReportBatchItemFailures"}})})
		}
		if f.queue && f.http {
			statements = append(statements,
				statement{f.name + " looks into its outbox every five minutes", "", has("AWS::Scheduler::Schedule", props{"ScheduleExpression": "rate(5 minutes)",
					"Target": like(&props{"Arn": ref(id + "Live"), "Input": `{"work":true}`})})},
				statement{"signals reach " + f.name + " when their jobs are due", "", has("AWS::SQS::Queue", props{"QueueName": "verdetto-" + f.name, "DelaySeconds": 10})},
				statement{f.name + " can signal itself", "", has("AWS::Lambda::Function", props{"FunctionName": "verdetto-" + f.name,
					"Environment": props{"Variables": like(&props{"VERDETTO_WORK_QUEUE_URL": ref(id + "Queue")})}})})
		}
	}
	for _, s := range refusals {
		statements = append(statements, statement{fmt.Sprintf("the edge keeps no %d", s), "", has("AWS::CloudFront::Distribution", props{
			"DistributionConfig": like(&props{"CustomErrorResponses": array(props{"ErrorCode": s, "ErrorCachingMinTTL": 0})})})})
	}
	return statements
}

func TestStatements(t *testing.T) {
	for _, s := range statements(fixtureConfigs(t)["example"]) {
		h := fixture(t, cmp.Or(s.config, "example"))
		t.Run(s.says, func(t *testing.T) {
			if said := s.fails(h.template); said != nil {
				t.Errorf("%s: %v", s.config, said)
			}
		})
	}
}

// fails gives what is said against a claim; nil where it is so.
func (c claim) fails(template assertions.Template) (said any) {
	defer func() { said = recover() }()
	c.check(template)
	return nil
}

// TestStatementsCanFail: each statement is made of a template in which it is not so, and is seen to fail.
func TestStatementsCanFail(t *testing.T) {
	needsNode(t)
	for _, s := range statements(fixtureConfigs(t)["example"]) {
		h := fixture(t, cmp.Or(s.config, "example"))
		if s.fails(h.spoiled(t, s.claim)) == nil {
			t.Errorf("%q is let pass of a template in which it is not so", s.says)
		}
	}
}

// spoiled is the template with the resources that a claim is of made such that it is not so.
func (h *synthesized) spoiled(t *testing.T, c claim) assertions.Template {
	t.Helper()
	var template map[string]map[string]map[string]any
	if err := json.Unmarshal([]byte(h.text), &template); err != nil {
		t.Fatal(err)
	}
	resources := template["Resources"]
	var twin map[string]any
	for _, r := range resources {
		if r["Type"] == c.kind && c.spoil(r) {
			twin = r
		}
	}
	if twin != nil || c.spoil(map[string]any{}) {
		resources["Twin"] = map[string]any{"Type": c.kind}
	}
	text, err := json.Marshal(template)
	if err != nil {
		t.Fatal(err)
	}
	return assertions.Template_FromString(jsii.String(string(text)), nil)
}
