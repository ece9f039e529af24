package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsses"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssnssubscriptions"
	"github.com/aws/jsii-runtime-go"
)

// The topics are not encrypted at rest: SES and CloudWatch cannot use AWS's own key, and a key of ours
// would cost more than the topics.
type notices struct{ alarms, returns awssns.Topic }

// The topic of alarms must be in the region of the alarms.
func newNotices(stack awscdk.Stack, c config, prefix string) notices {
	ours := map[string]any{"StringEquals": map[string]string{"aws:SourceAccount": c.Account}}
	topic := func(id, purpose, service string) awssns.Topic {
		id = prefix + id
		made := awssns.NewTopic(stack, jsii.String(id), &awssns.TopicProps{
			TopicName: jsii.String(c.Name + "-" + purpose), EnforceSSL: jsii.Bool(true)})
		name(made, id)
		made.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid: jsii.String("Publish"), Actions: list("sns:Publish"), Resources: &[]*string{made.TopicArn()},
			Conditions: &ours,
			Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String(service), nil)},
		}))
		return made
	}
	n := notices{alarms: topic("Alarms", "alarms", "cloudwatch.amazonaws.com")}
	if prefix == "" {
		n.returns = topic("Returns", "returned-mail", "ses.amazonaws.com")
	}
	n.alarms.AddSubscription(awssnssubscriptions.NewEmailSubscription(jsii.String(c.AlarmEmail), nil))
	return n
}

type mailer struct {
	set                 awsses.ConfigurationSet
	identityARN, setARN *string
	returns             awssns.Topic
}

func newMailer(stack awscdk.Stack, c config, n notices) mailer {
	set := awsses.NewConfigurationSet(stack, jsii.String("MailSet"), &awsses.ConfigurationSetProps{
		ConfigurationSetName: jsii.String(c.Name),
		TlsPolicy:            awsses.ConfigurationSetTlsPolicy_REQUIRE,
		ReputationMetrics:    jsii.Bool(true),
		SuppressionReasons:   awsses.SuppressionReasons_BOUNCES_AND_COMPLAINTS,
	})
	name(set, "MailSet")
	identity := awsses.NewEmailIdentity(stack, jsii.String("MailIdentity"), &awsses.EmailIdentityProps{
		Identity: awsses.Identity_Domain(jsii.String(c.mailDomain())), ConfigurationSet: set,
		FeedbackForwarding: jsii.Bool(false), // the topic of returned mail receives feedback
		// With this domain, SPF counts for DMARC. Until the domain's DNS records exist, SES uses a
		// domain of AWS.
		MailFromDomain:              jsii.String(c.bounceDomain()),
		MailFromBehaviorOnMxFailure: awsses.MailFromBehaviorOnMxFailure_USE_DEFAULT_VALUE,
	})
	name(identity, "MailIdentity")
	awsses.NewCfnConfigurationSetEventDestination(stack, jsii.String("MailReturns"),
		&awsses.CfnConfigurationSetEventDestinationProps{
			ConfigurationSetName: set.ConfigurationSetName(),
			EventDestination: &awsses.CfnConfigurationSetEventDestination_EventDestinationProperty{
				Name: jsii.String("returns"), Enabled: jsii.Bool(true), MatchingEventTypes: list("bounce", "complaint"),
				SnsDestination: &awsses.CfnConfigurationSetEventDestination_SnsDestinationProperty{TopicArn: n.returns.TopicArn()},
			},
		}).Node().AddDependency(n.returns.Node().FindChild(jsii.String("Policy"))) // SES tests the topic at once
	for i, record := range *identity.DkimRecords() {
		output(stack, fmt.Sprintf("Dkim%d", i+1), join(" CNAME ", record.Name, record.Value),
			"a DNS record that proves that the domain is ours")
	}
	for _, record := range c.mailRecords() {
		output(stack, record.output, jsii.String(record.value), record.what)
	}
	arn := func(resource string) *string {
		return jsii.String(fmt.Sprintf("arn:aws:ses:%s:%s:%s", c.Region, c.Account, resource))
	}
	return mailer{set: set, identityARN: arn("identity/" + c.mailDomain()), setARN: arn("configuration-set/" + c.Name),
		returns: n.returns}
}

func (c config) bounceDomain() string { return "bounces." + c.mailDomain() }

type record struct{ output, value, what string }

// mailRecords returns the DNS records that large providers require of bulk senders, besides DKIM.
func (c config) mailRecords() []record {
	return []record{
		{"MailFromMx", c.bounceDomain() + " MX 10 feedback-smtp." + c.Region + ".amazonses.com",
			"a DNS record: where undelivered mail goes"},
		{"MailFromSpf", c.bounceDomain() + ` TXT "v=spf1 include:amazonses.com ~all"`,
			"a DNS record: who may send for that domain"},
		{"Dmarc", "_dmarc." + c.mailDomain() + ` TXT "v=DMARC1; p=none"`,
			"a DNS record: what is done with mail of others in our name; see docs/aws.md"},
	}
}

func (p mailer) notify(f awslambda.IFunction) {
	p.returns.AddSubscription(awssnssubscriptions.NewLambdaSubscription(f, nil))
}
