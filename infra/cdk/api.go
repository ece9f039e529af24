package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/web/routes"
)

// api uses plain resources, because the CDK's construct would create a permission for each route.
type api struct {
	stack   awscdk.Stack
	httpAPI awsapigatewayv2.CfnApi
	stage   awsapigatewayv2.CfnStage
	log     awslogs.LogGroup
}

func newAPI(stack awscdk.Stack, c config) api {
	made := awsapigatewayv2.NewCfnApi(stack, jsii.String("Api"), &awsapigatewayv2.CfnApiProps{
		Name: jsii.String(c.Name), ProtocolType: jsii.String("HTTP"),
		Description:               jsii.String("Reached through the distribution only"),
		DisableExecuteApiEndpoint: jsii.Bool(c.Origin.hasDomain()),
	})
	// A log group with this prefix needs no resource policy of its own.
	log := newLog(stack, c, "ApiLog", "/aws/vendedlogs/"+c.Name+"-api")
	others := routes.Throttles(c.RequestsPerSecond)[routes.Shares[0].Name]
	stage := awsapigatewayv2.NewCfnStage(stack, jsii.String("ApiStage"), &awsapigatewayv2.CfnStageProps{
		ApiId: made.Ref(), StageName: jsii.String("$default"), AutoDeploy: jsii.Bool(true),
		AccessLogSettings: &awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
			DestinationArn: log.LogGroupArn(),
			// The format contains no IP address, query or key.
			Format: jsii.String(`{"requestId":"$context.requestId","time":"$context.requestTimeEpoch","route":"$context.routeKey",` +
				`"status":"$context.status","integration":"$context.integration.status","ms":"$context.responseLatency","error":"$context.integrationErrorMessage"}`),
		},
		DefaultRouteSettings: &awsapigatewayv2.CfnStage_RouteSettingsProperty{
			ThrottlingRateLimit: jsii.Number(others), ThrottlingBurstLimit: jsii.Number(2 * others),
			// Detailed metrics cost money; the query byRoute counts requests in the log instead.
			DetailedMetricsEnabled: jsii.Bool(false),
		},
		RouteSettings: throttles(c),
	})
	if c.Origin.hasDomain() {
		c.Origin.behind(stack, made, stage)
	}
	return api{stack, made, stage, log}
}

func (a api) host(c config) *string {
	if c.Origin.hasDomain() {
		return jsii.String(c.Origin.Domain)
	}
	return join("", a.httpAPI.Ref(),
		jsii.String(".execute-api."+c.Region+".amazonaws.com"))
}

func (a api) addRoutes(l lambdas) {
	target := map[string]*string{}
	for _, f := range functions {
		if !f.http {
			continue
		}
		id := title(f.name)
		integration := awsapigatewayv2.NewCfnIntegration(a.stack, jsii.String(id+"Integration"),
			&awsapigatewayv2.CfnIntegrationProps{
				ApiId: a.httpAPI.Ref(), IntegrationType: jsii.String("AWS_PROXY"),
				IntegrationUri:       l.live[f.name].FunctionArn(),
				PayloadFormatVersion: jsii.String("2.0"), TimeoutInMillis: jsii.Number(1000 * min(f.timeout+1, 30)),
			})
		target[f.name] = join("/", jsii.String("integrations"), integration.Ref())
		awslambda.NewCfnPermission(a.stack, jsii.String(id+"Permission"), &awslambda.CfnPermissionProps{
			Action: jsii.String("lambda:InvokeFunction"), Principal: jsii.String("apigateway.amazonaws.com"),
			FunctionName: l.live[f.name].FunctionArn(),
			SourceArn: awscdk.Fn_Sub(jsii.String("arn:aws:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"),
				nil),
		})
	}
	for i, s := range routes.Shares {
		route := awsapigatewayv2.NewCfnRoute(a.stack, jsii.String("Route"+title(s.Name)), &awsapigatewayv2.CfnRouteProps{
			ApiId: a.httpAPI.Ref(), RouteKey: jsii.String(routeKey(s)), Target: target[s.Function],
		})
		if i > 0 {
			// API Gateway refuses a rate limit for a route that does not exist yet.
			a.stage.AddDependency(route)
		}
	}
}

// {proxy+} does not match the empty path of the page, so routeKey returns $default for the page's
// share.
func routeKey(s routes.Share) string {
	if s == routes.Shares[0] {
		return "$default"
	}
	return "ANY /" + s.Name + "/{proxy+}"
}

// Each route has a limit of its own, so a flood of one share does not affect the others.
func throttles(c config) map[string]any {
	all, rates := map[string]any{}, routes.Throttles(c.RequestsPerSecond)
	for _, s := range routes.Shares[1:] {
		all[routeKey(s)] = map[string]any{"ThrottlingRateLimit": rates[s.Name], "ThrottlingBurstLimit": 2 * rates[s.Name]}
	}
	return all
}
