package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	acmtypes "github.com/aws/aws-sdk-go-v2/service/acm/types"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamotypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	secrettypes "github.com/aws/aws-sdk-go-v2/service/secretsmanager/types"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	sestypes "github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	"github.com/aws/aws-sdk-go-v2/service/sts"
	"github.com/aws/smithy-go"

	settings "verdetto/shared/runtime/config"
)

func (p *preflight) in(region string) aws.Config {
	there := p.aws.Copy()
	there.Region = region
	return there
}

func (p *preflight) account(ctx context.Context) ([]fault, error) {
	who, err := sts.NewFromConfig(p.aws).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return nil, err
	}
	if id := aws.ToString(who.Account); id != p.config.Account {
		return []fault{{"the credentials are of account " + id + ", the configuration is for " + p.config.Account,
			"use the credentials of the account that is meant (AWS_PROFILE), or another configuration: stage and " +
				"production have one each"}}, nil
	}
	return nil, nil
}

func (p *preflight) parameters(ctx context.Context) (faults []fault, err error) {
	var names []string
	for _, w := range p.config.required() {
		names = append(names, w.Path(p.config.Name))
	}
	out, err := ssm.NewFromConfig(p.aws).GetParameters(ctx, &ssm.GetParametersInput{Names: names,
		WithDecryption: aws.Bool(true)})
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	for _, found := range out.Parameters {
		name := strings.TrimPrefix(aws.ToString(found.Name), p.config.parameter(""))
		p.secrets[name], types[name] = aws.ToString(found.Value), string(found.Type)
	}
	for _, w := range p.config.required() {
		name := w.Path(p.config.Name)
		value, there := p.secrets[w.Name]
		put := "put it as docs/aws.md shows: secret " + w.Name
		switch {
		case !there:
			faults = append(faults, fault{name + " is not there", put})
		case types[w.Name] != "SecureString":
			faults = append(faults, fault{name + " is a " + types[w.Name] + ", which is kept in clear text",
				"delete it, choose another secret, and " + put})
		default:
			setting, _ := settings.Named(w.Variable)
			for _, says := range setting.Faults(value) {
				faults = append(faults, fault{name + strings.TrimPrefix(says, w.Variable), put})
			}
			if w.Variable == "X402_FEE_KEY" && value == settings.Off && p.config.PaidCalls {
				faults = append(faults, fault{name + ": it is off, and paidCalls has callers told that answers are sold one by one", put})
			}
		}
	}
	return faults, nil
}

func (p *preflight) originSecret(ctx context.Context) ([]fault, error) {
	name, version := p.config.Name+"/origin", strconv.Itoa(p.config.OriginSecret)
	make := "create it as docs/aws.md shows, with one of the values of " + p.config.parameter("origin-secrets") +
		" under \"" + version + "\""
	out, err := secretsmanager.NewFromConfig(p.in(edgeRegion)).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &name})
	if errors.As(err, new(*secrettypes.ResourceNotFoundException)) {
		return []fault{{"the secret " + name + " is not in the Secrets Manager of " + edgeRegion, make}}, nil
	}
	if err != nil {
		return nil, err
	}
	var values map[string]string
	_ = json.Unmarshal([]byte(aws.ToString(out.SecretString)), &values)
	if values[version] == "" {
		return []fault{{"the secret " + name + " has no value " + version, make}}, nil
	}
	if !slices.Contains(strings.Split(p.secrets["origin-secrets"], ","), values[version]) {
		return []fault{{"value " + version + " of the secret " + name +
			" is none that functions accept: every call would be refused", make}}, nil
	}
	return nil, nil
}

const leastBootstrap = 6

func (p *preflight) bootstrap(ctx context.Context) (faults []fault, err error) {
	name := "/cdk-bootstrap/hnb659fds/version"
	for _, r := range p.config.regions() {
		do := fmt.Sprintf("npx aws-cdk@2 bootstrap aws://%s/%s", p.config.Account, r.name)
		out, err := ssm.NewFromConfig(p.in(r.name)).GetParameters(ctx, &ssm.GetParametersInput{Names: []string{name}})
		if err != nil {
			return nil, err
		}
		if len(out.Parameters) == 0 {
			faults = append(faults, fault{"the CDK has not prepared " + r.name + " of this account", do})
		} else if version, err := strconv.Atoi(aws.ToString(out.Parameters[0].Value)); err != nil ||
			version < leastBootstrap {
			faults = append(faults, fault{"the CDK has prepared " + r.name + " of this account long ago (version " +
				aws.ToString(out.Parameters[0].Value) + ")", do})
		}
	}
	return faults, nil
}

func (p *preflight) stackStatus(ctx context.Context, r region) (string, error) {
	out, err := cloudformation.NewFromConfig(p.in(r.name)).DescribeStacks(ctx,
		&cloudformation.DescribeStacksInput{StackName: aws.String(p.config.Name + r.suffix)})
	var api smithy.APIError
	if errors.As(err, &api) && api.ErrorCode() == "ValidationError" &&
		strings.Contains(api.ErrorMessage(), "does not exist") {
		return "", nil
	}
	if err != nil || len(out.Stacks) == 0 {
		return "", err
	}
	if r.suffix == "" && !strings.HasPrefix(aws.ToString(out.Stacks[0].Description), versionOne) {
		p.note = "The stack is of a version before 1.0.0. Once it is deployed, make back cannot undo it: the way back is the " +
			"earlier version with the table as it is now (docs/aws.md, Restore the table). Most paths answer 404 until the " +
			"new versions are live, for some minutes."
	}
	return string(out.Stacks[0].StackStatus), nil
}

// versionOne must begin the description in newStack of infra/cdk.
const versionOne = "Verdetto 1:"

func (p *preflight) stack(ctx context.Context) (faults []fault, err error) {
	for _, r := range p.config.regions() {
		status, err := p.stackStatus(ctx, r)
		which := fmt.Sprintf("--region %s --stack-name %s", r.name, p.config.Name+r.suffix)
		switch {
		case err != nil:
			return nil, err
		case status == "ROLLBACK_COMPLETE" || status == "ROLLBACK_FAILED" || status == "CREATE_FAILED":
			faults = append(faults, fault{"a first deployment failed and left a stack behind (" + p.config.Name +
				r.suffix + " is " + status + ")",
				fmt.Sprintf("read why in its events, then aws cloudformation update-termination-protection %s "+
					"--no-enable-termination-protection, and aws cloudformation delete-stack %[1]s", which)})
		case strings.HasSuffix(status, "_IN_PROGRESS"):
			faults = append(faults, fault{"a deployment is under way (" + p.config.Name + r.suffix + " is " + status +
				")", "wait until it has ended"})
		case strings.HasSuffix(status, "_FAILED"):
			faults = append(faults, fault{"the last deployment left the stack " + p.config.Name + r.suffix + " as " +
				status, "aws cloudformation continue-update-rollback " + which})
		}
	}
	return faults, nil
}

func (p *preflight) table(ctx context.Context) ([]fault, error) {
	there := func(name string) (bool, error) {
		_, err := dynamodb.NewFromConfig(p.aws).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		if errors.As(err, new(*dynamotypes.ResourceNotFoundException)) {
			return false, nil
		}
		return err == nil, err
	}
	if restored := p.config.RestoredTable; restored != "" {
		if ok, err := there(restored); err != nil || !ok {
			return []fault{{"the table " + restored + " of restoredTable is not there",
				"restore it first, as docs/aws.md shows, or leave restoredTable out"}}, err
		}
	}
	status, err := p.stackStatus(ctx, p.config.regions()[0])
	if err != nil || status != "" || p.config.adopt {
		return nil, err // an existing table belongs to the existing stack, or will belong to the new one
	}
	if ok, err := there(p.config.Name); err != nil || ok {
		return []fault{{"the table " + p.config.Name + " of an earlier stack is there, and no stack",
			"make deploy with ADOPT=1 takes it over; if it is not wanted, delete it or choose another name"}}, err
	}
	return nil, nil
}

const soon = 14 * 24 * time.Hour

func (p *preflight) certificates(ctx context.Context) (faults []fault, err error) {
	c := p.config
	for _, w := range []struct{ about, arn, region, domain string }{
		{"the certificate", c.Certificate, edgeRegion, c.Domain},
		{"the origin's certificate", c.Origin.Certificate, c.Region, c.Origin.Domain},
		{"the client certificate", c.Origin.ClientCertificate, edgeRegion, ""},
	} {
		if w.arn == "" {
			continue
		}
		found, err := p.certificate(ctx, w.about, w.arn, w.region, w.domain)
		if err != nil {
			return nil, err
		}
		faults = append(faults, found...)
	}
	return faults, nil
}

func (p *preflight) certificate(ctx context.Context, about, arn, region, domain string) ([]fault, error) {
	anew := fmt.Sprintf("ask ACM for one there, for %s: aws acm request-certificate --region %s --validation-method "+
		"DNS --domain-name %[1]s", domain, region)
	if domain == "" {
		anew = "make one of the same authority and import it, as docs/aws.md shows"
	}
	out, err := acm.NewFromConfig(p.in(region)).DescribeCertificate(ctx,
		&acm.DescribeCertificateInput{CertificateArn: &arn})
	if errors.As(err, new(*acmtypes.ResourceNotFoundException)) {
		return []fault{{about + " is not in " + region + " of this account", anew}}, nil
	}
	if err != nil {
		return nil, err
	}
	c := out.Certificate
	if c.Status == acmtypes.CertificateStatusPendingValidation {
		return []fault{{about + " waits for its DNS record",
			"set the record that aws acm describe-certificate --region " + region + " --certificate-arn " + arn +
				" names, and wait for ISSUED"}}, nil
	}
	if c.Status != acmtypes.CertificateStatusIssued || c.NotAfter != nil && time.Until(*c.NotAfter) < soon {
		return []fault{{about + " is " + string(c.Status) + ", or ends within 14 days", anew}}, nil
	}
	if domain != "" && !slices.ContainsFunc(c.SubjectAlternativeNames,
		func(name string) bool { return covers(name, domain) }) {
		return []fault{{about + " is for " + strings.Join(c.SubjectAlternativeNames, ", ") + " and not for " + domain,
			anew}}, nil
	}
	return nil, nil
}

func covers(name, domain string) bool {
	_, parent, _ := strings.Cut(domain, ".")
	return strings.EqualFold(name, domain) || strings.EqualFold(name, "*."+parent)
}

func (p *preflight) mail(ctx context.Context) (faults []fault, err error) {
	out, err := sesv2.NewFromConfig(p.aws).GetAccount(ctx, &sesv2.GetAccountInput{})
	if err != nil {
		return nil, err
	}
	if !out.ProductionAccessEnabled {
		faults = append(faults, fault{"SES is in the sandbox: mail goes to verified addresses only",
			"ask for production access: SES console, Account dashboard, Request production access; it takes a day or " +
				"so"})
	}
	if !out.SendingEnabled {
		faults = append(faults, fault{"AWS has stopped this account from sending mail",
			"answer the case that AWS has opened (SES console, Reputation metrics)"})
	}
	if out.SendQuota != nil && out.ProductionAccessEnabled && out.SendQuota.MaxSendRate < p.config.MailRate {
		faults = append(faults, fault{fmt.Sprintf("SES lets %.0f mails a second through, mailRate is %.0f",
			out.SendQuota.MaxSendRate, p.config.MailRate), "lower mailRate, or ask for a higher quota"})
	}
	return faults, nil
}

// sender finds no fault if SES does not know the domain, because the stack then adds the domain.
func (p *preflight) sender(ctx context.Context) ([]fault, error) {
	domain := p.config.mailDomain()
	out, err := sesv2.NewFromConfig(p.aws).GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: &domain})
	if errors.As(err, new(*sestypes.NotFoundException)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !out.VerifiedForSendingStatus {
		return []fault{{"SES knows " + domain + " and has not verified it",
			"set the three DKIM records that aws sesv2 get-email-identity --email-identity " + domain + " names"}}, nil
	}
	if from := out.MailFromAttributes; from != nil &&
		from.MailFromDomainStatus != sestypes.MailFromDomainStatusSuccess {
		return []fault{{"SES does not use " + aws.ToString(from.MailFromDomain) +
			" as where mail is returned to, so SPF does not agree with the sender",
			"set the two DNS records MailFromMx and MailFromSpf of the stack's outputs; SES looks for them for three " +
				"days, and again when the domain is set anew"}}, nil
	}
	return nil, nil
}

// atOnce is the concurrency that the functions need, without the refresh workers. unreserved is the
// concurrency that Lambda keeps for functions without a reservation.
const (
	atOnce     = 50
	unreserved = 100
)

func (p *preflight) concurrency(ctx context.Context) ([]fault, error) {
	out, err := lambda.NewFromConfig(p.aws).GetAccountSettings(ctx, &lambda.GetAccountSettingsInput{})
	if err != nil {
		return nil, err
	}
	if out.AccountLimit == nil {
		return nil, errors.New("the answer holds no limit")
	}
	has, needs := int(out.AccountLimit.ConcurrentExecutions), atOnce+p.config.Workers
	if instances := p.config.Instances; instances > has {
		return []fault{{fmt.Sprintf("the account may run %d instances of functions at once, and instances says %d: "+
			"more would be reserved than there are", has, instances),
			"say so many, or ask for more first, which is free: aws service-quotas request-service-quota-increase " +
				"--service-code lambda --quota-code L-B99A9384 --desired-value 1000"}}, nil
	}
	if len(p.config.Reserved) > 0 {
		needs = unreserved
		for _, n := range p.config.Reserved {
			needs += n
		}
	}
	if has < needs {
		return []fault{{fmt.Sprintf("the account may run %d instances of functions at once, the service wants %d", has,
			needs),
			"ask for more, which is free: aws service-quotas request-service-quota-increase --service-code lambda " +
				"--quota-code L-B99A9384 --desired-value 1000"}}, nil
	}
	return nil, nil
}
