package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambdadestinations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/jsii-runtime-go"

	"verdetto/shared/runtime/config/parameters"
	"verdetto/shared/store/dynamostore/schema"
)

type function struct {
	name    string
	timeout int // seconds
	// instances is the concurrency to reserve, which is also a maximum, so a flood of calls to one
	// function does not affect the others.
	instances int
	http      bool
	// A worker has a queue, sends mails and is called by schedules.
	worker bool
	links  bool
	// table lists the actions for writes. A Check in a transaction needs dynamodb:ConditionCheckItem.
	table []string
}

const memory = 512 // MB

var (
	reads   = []string{"dynamodb:GetItem", "dynamodb:Query"}
	counts  = []string{"dynamodb:UpdateItem", "dynamodb:PutItem"}
	records = []string{"dynamodb:UpdateItem", "dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"}
)

// A function that callers wait for has a timeout below API Gateway's limit of 30 seconds.
var functions = []function{
	{name: "analisi", instances: 50, timeout: 10, http: true, links: true, table: counts},
	{name: "pricetrends", instances: 20, timeout: 10, http: true, table: counts},
	{name: "compat", instances: 20, timeout: 10, http: true, links: true, table: counts},
	{name: "x402", instances: 20, timeout: 29, http: true, links: true, table: records},
	{name: "pro", instances: 30, timeout: 29, http: true, worker: true, links: true, table: records},
	{name: "alerts", instances: 20, timeout: 29, http: true, worker: true, links: true, table: records},
	{name: "refresh", instances: 3, timeout: 900, worker: true, links: true, table: records},
}

type parts struct {
	table  awsdynamodb.ITable
	queues queues
	mailer mailer
	edge   edge
}

type lambdas struct {
	function map[string]awslambda.Function
	live     map[string]awslambda.Alias
}

func newFunctions(stack awscdk.Stack, c config, assets string, p parts) lambdas {
	l := lambdas{map[string]awslambda.Function{}, map[string]awslambda.Alias{}}
	for _, f := range functions {
		l.function[f.name] = newFunction(stack, c, assets, p, f)
		l.live[f.name] = newLive(stack, p, f, l.function[f.name])
	}
	return l
}

func newFunction(stack awscdk.Stack, c config, assets string, p parts, f function) awslambda.Function {
	id, full := title(f.name), c.Name+"-"+f.name
	log := newLog(stack, c, id+"Log", "/aws/lambda/"+full)
	role := awsiam.NewRole(stack, jsii.String(id+"Role"), &awsiam.RoleProps{
		AssumedBy:      awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		Description:    jsii.String("What functions/" + f.name + " may do"),
		InlinePolicies: inline(f.allowed(c, p, log)...),
	})
	name(role, id+"Role")
	props := &awslambda.FunctionProps{
		FunctionName:          jsii.String(full),
		Description:           jsii.String(fmt.Sprintf("functions/%s, generation %d", f.name, c.Generation)),
		Runtime:               awslambda.Runtime_PROVIDED_AL2023(),
		Architecture:          awslambda.Architecture_ARM_64(),
		Handler:               jsii.String("bootstrap"),
		Code:                  awslambda.Code_FromAsset(jsii.String(filepath.Join(assets, f.name)), nil),
		MemorySize:            jsii.Number(memory),
		Timeout:               seconds(f.timeout),
		LogGroup:              log,
		LoggingFormat:         awslambda.LoggingFormat_JSON,
		ApplicationLogLevelV2: awslambda.ApplicationLogLevel_INFO,
		// The function logs each request itself.
		SystemLogLevelV2: awslambda.SystemLogLevel_WARN,
		Role:             role,
		Environment:      f.environment(c, p),
	}
	if f.name == "refresh" {
		props.SystemLogLevelV2 = awslambda.SystemLogLevel_INFO
	}
	if n := c.reserved(f); n > 0 {
		props.ReservedConcurrentExecutions = jsii.Number(n)
	}
	made := awslambda.NewFunction(stack, jsii.String(id+"Function"), props)
	name(made, id+"Function")
	return made
}

// environment contains the names of the parameters with secrets, not the secrets.
func (f function) environment(c config, p parts) *map[string]*string {
	e := map[string]*string{"VERDETTO_TABLE": p.table.TableName()}
	set := func(key, value string) { e[key] = jsii.String(value) }
	for _, secret := range parameters.ReadByFunction(f.name, c.choices()...) {
		set(secret.Variable, "ssm:"+secret.Path(c.Name))
	}
	if f.http {
		// Above the default of 100, GOGC makes garbage collections rarer.
		set("GOGC", "300")
	}
	if f.links {
		e["VERDETTO_BASE_URL"] = p.edge.url
	}
	if f.worker {
		set("VERDETTO_MAIL_FROM", c.MailFrom)
		e["VERDETTO_MAIL_SET"] = p.mailer.set.ConfigurationSetName()
	}
	if c.TelegramBot != "" && (f.name == "alerts" || f.name == "analisi") {
		set("TELEGRAM_BOT", c.TelegramBot)
	}
	if f.name == "analisi" && c.PaidCalls {
		set("VERDETTO_PAID_CALLS", "on")
	}
	if f.http { // so that pages and answers name only the configured ways to pay
		if c.StripePrice != "" {
			set("STRIPE_PRICE", c.StripePrice)
		}
		if c.SolanaWallet != "" {
			set("SOLANA_WALLET", c.SolanaWallet)
		}
	}
	f.quotas(c, set)
	switch f.name {
	case "analisi", "compat", "pricetrends":
		set("VERDETTO_FARES_SHOWN", c.FaresShown)
	case "x402":
		set("VERDETTO_FARES_SHOWN", c.FaresShown)
		f.chain(c, set)
	case "refresh":
		if len(c.Origins) > 0 {
			set("VERDETTO_ORIGINS", strings.Join(c.Origins, ","))
		}
		set("VERDETTO_CALLS_A_DAY", strconv.Itoa(c.CallsADay))
		e["VERDETTO_QUEUE_URL"] = p.queues.ofFunction[f.name].work.QueueUrl()
		set("VERDETTO_WORKERS", strconv.Itoa(c.Workers))
		set("VERDETTO_MAIL_RATE", strconv.FormatFloat(c.MailRate, 'f', -1, 64))
	case "pro":
		for _, p := range c.Operator.particulars() {
			if p.value != "" {
				set(p.variable, p.value)
			}
		}
		if len(c.StripeFormerPrices) > 0 {
			set("STRIPE_FORMER_PRICES", strings.Join(c.StripeFormerPrices, ","))
		}
		if f.chain(c, set) {
			set("VERDETTO_PRICE_USDC", c.PriceUSDC)
		}
	}
	if f.worker && f.http {
		e["VERDETTO_WORK_QUEUE_URL"] = p.queues.ofFunction[f.name].work.QueueUrl()
	}
	return &e
}

func (f function) quotas(c config, set func(key, value string)) {
	if f.name == "analisi" {
		set("VERDETTO_QUOTA_PAGE", strconv.Itoa(c.QuotaPage))
	}
	if f.name == "analisi" || f.name == "compat" {
		set("VERDETTO_QUOTA_FREE", strconv.Itoa(c.QuotaFree))
	}
	if len(c.QuotaCalls) > 0 && f.name != "refresh" {
		set("VERDETTO_QUOTA_CALLS", c.quotaCalls())
	}
}

func (f function) chain(c config, set func(key, value string)) (sold bool) {
	if c.SolanaWallet == "" {
		return false
	}
	set("SOLANA_NETWORK", c.SolanaNetwork)
	if c.SolanaMint != "" {
		set("SOLANA_MINT", c.SolanaMint)
	}
	return true
}

// The CDK adds the permission for dead letters of events.
func (f function) allowed(c config, p parts, log awslogs.LogGroup) []awsiam.PolicyStatement {
	statements := []awsiam.PolicyStatement{
		allow("Log", []string{"logs:CreateLogStream", "logs:PutLogEvents"}, log.LogGroupArn()),
	}
	for _, items := range []struct {
		sid        string
		actions    []string
		partitions []string
	}{{"Read", reads, schema.ReadBy(f.name)}, {"Write", f.table, schema.WrittenBy(f.name)}} {
		s := allow(items.sid, items.actions, p.table.TableArn())
		s.AddCondition(jsii.String("ForAllValues:StringLike"),
			map[string][]string{"dynamodb:LeadingKeys": items.partitions})
		statements = append(statements, s)
	}
	var secrets []*string
	for _, secret := range parameters.ReadByFunction(f.name, c.choices()...) {
		secrets = append(secrets, jsii.String(fmt.Sprintf("arn:aws:ssm:%s:%s:parameter%s", c.Region, c.Account,
			secret.Path(c.Name))))
	}
	statements = append(statements, allow("Secrets", []string{"ssm:GetParameters"}, secrets...))
	if f.worker {
		work := p.queues.ofFunction[f.name].work.QueueArn()
		actions := []string{"sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
		if f.name == "refresh" {
			actions = append(actions, "sqs:ChangeMessageVisibility")
		}
		statements = append(statements, allow("Work", actions, work))
		send := allow("Mail", []string{"ses:SendEmail", "ses:SendRawEmail"}, p.mailer.identityARN, p.mailer.setARN)
		send.AddCondition(jsii.String("StringEquals"), map[string]string{"ses:FromAddress": c.mailAddress()})
		statements = append(statements, send)
	}
	return statements
}

// unreserved is the concurrency that Lambda keeps for functions without a reservation.
const unreserved = 100

// If the account's quota is too small for the defaults, only the operator's own values apply.
func (c config) reserved(f function) int {
	if n, ok := c.Reserved[f.name]; ok {
		return n
	}
	usual := 0
	for _, f := range functions {
		usual += c.usual(f)
	}
	if c.Instances < usual+unreserved {
		return 0
	}
	return c.usual(f)
}

func (c config) usual(f function) int {
	if f.name == "refresh" {
		return f.instances + c.Workers
	}
	return f.instances
}

func (c config) reservedAll() int {
	all := 0
	for _, f := range functions {
		all += c.reserved(f)
	}
	return all
}

// newLog sets the retention time on the plain resource, because the CDK's construct takes only constants.
func newLog(stack awscdk.Stack, c config, id, called string) awslogs.LogGroup {
	log := awslogs.NewLogGroup(stack, jsii.String(id), &awslogs.LogGroupProps{
		LogGroupName: jsii.String(called), RemovalPolicy: awscdk.RemovalPolicy_DESTROY})
	name(log, id)
	log.Node().DefaultChild().(awslogs.CfnLogGroup).SetRetentionInDays(jsii.Number(c.LogDays))
	return log
}

const liveAlias = "live"

// The template names $LATEST, so CloudFormation does not move the alias; infra/rollout does.
func newLive(stack awscdk.Stack, p parts, f function, made awslambda.Function) awslambda.Alias {
	props := &awslambda.AliasProps{AliasName: jsii.String(liveAlias), Version: made.LatestVersion()}
	if f.worker {
		props.OnFailure = awslambdadestinations.NewSqsDestination(p.queues.events)
		props.RetryAttempts = jsii.Number(2)
		props.MaxEventAge = awscdk.Duration_Hours(jsii.Number(1))
	}
	live := awslambda.NewAlias(stack, jsii.String(title(f.name)+"Live"), props)
	name(live, title(f.name)+"Live")
	return live
}
