package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"verdetto/shared/store/dynamostore"
	"verdetto/shared/upstream/upstreamtest"
)

func TestReady(t *testing.T) {
	w := newWorld(t)
	output, ready := w.report()
	if !ready || strings.Count(output, "ok ") != len(newPreflight(w.config, aws.Config{}, public).questions()) {
		t.Errorf("a world with nothing missing is not ready:\n%s", output)
	}
}

func TestFreeOnly(t *testing.T) {
	w := newWorld(t)
	w.config.StripePrice, w.config.SolanaWallet = "", ""
	w.price, w.hook, w.node = nil, nil, nil
	for _, name := range []string{"stripe-key", "stripe-webhook-secrets", "solana-nodes", "x402-fee-key"} {
		w.remove("/verdetto/" + name)
	}
	if output, ready := w.report(); !ready || strings.Contains(output, "Stripe") || strings.Contains(output, "chain") {
		t.Errorf("%s", output)
	}
}

func TestWithoutMutualTLS(t *testing.T) {
	w := newWorld(t)
	w.config.Origin.ClientCertificate = ""
	if output, ready := w.report(); !ready {
		t.Errorf("%s", output)
	}
}

func TestNoWayBack(t *testing.T) {
	w := newWorld(t)
	for description, want := range map[string]bool{"Verdetto: is today's cheapest fare cheap?": true, versionOne + " is it cheap?": false} {
		w.instead["Action=DescribeStacks&StackName=verdetto&"] = strings.Replace(stackThat("UPDATE_COMPLETE"), "<StackStatus>",
			"<Description>"+description+"</Description><StackStatus>", 1)
		if report, ready := w.report(); !ready || strings.Contains(report, "make back cannot undo it") != want {
			t.Errorf("of %q:\n%s", description, report)
		}
	}
}

func stackThat(status string) string {
	return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>verdetto</StackName>` +
		`<CreationTime>2026-11-01T00:00:00Z</CreationTime><StackStatus>` + status +
		`</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
}

var omissions = []struct {
	name  string
	spoil func(w *world)
	says  string
	do    string
}{
	{"other account", func(w *world) { w.config.Account = "999999999999" },
		"NO the account: the credentials are of account 123456789012", "AWS_PROFILE"},
	{"parameter", func(w *world) { w.remove("/verdetto/stripe-webhook-secrets") },
		"NO parameters: /verdetto/stripe-webhook-secrets is not there", "secret stripe-webhook-secrets"},
	{"parameter in clear", func(w *world) {
		w.parameter("/verdetto/pepper", strings.Repeat("p", 32), types.ParameterTypeString)
	}, "NO parameters: /verdetto/pepper is a String", "choose another secret"},
	{"pepper of callers", func(w *world) { w.remove("/verdetto/callers-pepper") },
		"NO parameters: /verdetto/callers-pepper is not there", "docs/aws.md"},
	{"mistyped pepper", func(w *world) { w.put("/verdetto/pepper", "verdetto-pepper-"+strings.Repeat("p", 73)) },
		"NO parameters: /verdetto/pepper: its value, which is not shown, is not 32 characters or more", "secret pepper"},
	{"short pepper", func(w *world) { w.put("/verdetto/pepper", "short") },
		"NO parameters: /verdetto/pepper: its value, which is not shown, is not 32 characters or more", "secret pepper"},
	{"publishable key", func(w *world) {
		w.put("/verdetto/stripe-key", "pk_live_1")
		w.key = "pk_live_1"
	}, "NO parameters: /verdetto/stripe-key: its value, which is not shown, is not Stripe's secret key, which begins with sk_", "secret stripe-key"},
	{"no origin secret", func(w *world) { w.secret("") },
		"NO the origin's secret: the secret verdetto/origin is not in the Secrets Manager of us-east-1", "create it"},
	{"its number", func(w *world) { w.config.OriginSecret = 2 },
		"NO the origin's secret: the secret verdetto/origin has no value 2", "create it"},
	{"another origin secret", func(w *world) { w.secret(`{"1":"something else entirely"}`) },
		"NO the origin's secret: value 1 of the secret verdetto/origin is none that functions accept", "create it"},
	{"no bootstrap", func(w *world) { w.remove("/cdk-bootstrap/hnb659fds/version") },
		"NO the bucket of deployments: the CDK has not prepared eu-west-1",
		"npx aws-cdk@2 bootstrap aws://123456789012/eu-west-1"},
	{"no bootstrap before it", func(w *world) { w.removeIn(edgeRegion, "/cdk-bootstrap/hnb659fds/version") },
		"NO the bucket of deployments: the CDK has not prepared us-east-1",
		"npx aws-cdk@2 bootstrap aws://123456789012/us-east-1"},
	{"old bootstrap", func(w *world) {
		w.parameter("/cdk-bootstrap/hnb659fds/version", "5", types.ParameterTypeString)
	}, "NO the bucket of deployments: the CDK has prepared eu-west-1 of this account long ago",
		"npx aws-cdk@2 bootstrap"},
	{"stack left behind", func(w *world) {
		w.instead["Action=DescribeStacks&StackName=verdetto&"] = stackThat("ROLLBACK_COMPLETE")
	}, "NO the stack: a first deployment failed", "delete-stack"},
	{"deployment under way", func(w *world) {
		w.instead["Action=DescribeStacks&StackName=verdetto&"] = stackThat("UPDATE_IN_PROGRESS")
	}, "NO the stack: a deployment is under way", "wait"},
	{"the edge's stack left behind", func(w *world) {
		w.instead["Action=DescribeStacks&StackName=verdetto-edge&"] = stackThat("ROLLBACK_COMPLETE")
	}, "NO the stack: a first deployment failed and left a stack behind (verdetto-edge is ROLLBACK_COMPLETE)",
		"delete-stack --region us-east-1 --stack-name verdetto-edge"},
	{"table left behind", func(w *world) {
		if err := dynamostore.Create(w.t.Context(), dynamodb.NewFromConfig(w.settings), "verdetto"); err != nil {
			w.t.Fatal(err)
		}
	}, "NO the table: the table verdetto of an earlier stack is there", "ADOPT=1"},
	{"no restored table", func(w *world) { w.config.RestoredTable = "verdetto-2026" },
		"NO the table: the table verdetto-2026 of restoredTable is not there", "restore it"},
	{"certificate elsewhere", func(w *world) {
		w.config.Certificate = strings.Replace(w.config.Certificate, "certificate/", "certificate/0", 1)
	}, "NO certificates: the certificate is not in us-east-1", "request-certificate --region us-east-1"},
	{"certificate waits", func(w *world) {
		out, err := acm.NewFromConfig(w.in(edgeRegion)).RequestCertificate(w.t.Context(),
			&acm.RequestCertificateInput{DomainName: aws.String("verdetto.example.com")})
		if err != nil {
			w.t.Fatal(err)
		}
		w.config.Certificate = aws.ToString(out.CertificateArn)
	}, "NO certificates: the certificate waits for its DNS record", "describe-certificate"},
	{"certificate of another domain", func(w *world) {
		w.config.Certificate = w.importCertificate(edgeRegion, "other.example.org")
	}, "NO certificates: the certificate is for other.example.org", "ask ACM"},
	{"the origin's certificate elsewhere", func(w *world) {
		w.config.Origin.Certificate = w.importCertificate(edgeRegion, w.config.Origin.Domain)
	}, "NO certificates: the origin's certificate is not in eu-west-1", "request-certificate --region eu-west-1"},
	{"no client certificate", func(w *world) {
		w.config.Origin.ClientCertificate = w.importCertificate(w.config.Region, "edge")
	}, "NO certificates: the client certificate is not in us-east-1", "import it"},
	{"sandbox", func(w *world) {
		w.instead["GET /v2/email/account"] = `{"ProductionAccessEnabled":false,"SendingEnabled":true,"SendQuota":{"MaxSendRate":1}}`
	}, "NO mail: SES is in the sandbox", "production access"},
	{"mail rate", func(w *world) { w.config.MailRate = 20 }, "NO mail: SES lets 14 mails a second through",
		"lower mailRate"},
	{"sender not verified", func(w *world) {
		w.instead["GET /v2/email/identities/example.com"] = `{"IdentityType":"DOMAIN","VerifiedForSendingStatus":false}`
	}, "NO the sender's domain: SES knows example.com and has not verified it", "DKIM"},
	{"no records of where mail is returned to", func(w *world) {
		w.instead["GET /v2/email/identities/example.com"] = `{"IdentityType":"DOMAIN","VerifiedForSendingStatus":true,"MailFromAttributes":{"MailFromDomain":"bounces.example.com","MailFromDomainStatus":"FAILED","BehaviorOnMxFailure":"USE_DEFAULT_VALUE"}}`
	}, "NO the sender's domain: SES does not use bounces.example.com as where mail is returned to",
		"MailFromMx and MailFromSpf"},
	{"fewer instances than are said", func(w *world) { w.config.Instances = 1001 },
		"NO instances of functions: the account may run 1000 instances of functions at once, and instances says 1001",
		"say so many"},
	{"few instances", func(w *world) {
		w.config.Instances = 10
		w.instead["GET /2016-08-19/account-settings"] = `{"AccountLimit":{"ConcurrentExecutions":10}}`
	}, "NO instances of functions: the account may run 10 instances", "request-service-quota-increase"},
	{"reserved", func(w *world) { w.config.Reserved = map[string]int{"refresh": 5, "analisi": 900} },
		"NO instances of functions: the account may run 1000 instances of functions at once, the service wants 1005",
		"request-service-quota-increase"},
	{"price unknown", func(w *world) { w.price = nil }, "NO Stripe's price: Stripe knows no price price_1",
		"test mode and live mode"},
	{"price archived", func(w *world) { w.price["active"] = false }, "NO Stripe's price: the price is archived",
		"make a price"},
	{"price once", func(w *world) { w.price["recurring"] = nil },
		"NO Stripe's price: the price is not paid every month", "make a price"},
	{"price in euro", func(w *world) { w.price["currency"] = "eur" },
		"NO Stripe's price: a card pays 12.99 EUR, priceUSDC is 12.99", "12.99 USD a month"},
	{"price amount", func(w *world) { w.price["unit_amount"] = 999 },
		"NO Stripe's price: a card pays 9.99 USD, priceUSDC is 12.99", "make priceUSDC the same"},
	{"test mode", func(w *world) { w.price["livemode"] = false },
		"NO Stripe's price: the key is one of Stripe's test mode", "live key"},
	{"key without customers", func(w *world) { w.forbidden = "/v1/customers" },
		"NO Stripe's key: the restricted key in /verdetto/stripe-key may not use Customers",
		"give it write access to Checkout Sessions, Subscriptions, Customers and Customer portal"},
	{"key without the portal", func(w *world) { w.forbidden = "/v1/billing_portal/configurations" },
		"NO Stripe's key: the restricted key in /verdetto/stripe-key may not use Customer portal",
		"give it write access to"},
	{"no webhook", func(w *world) { w.hook = nil },
		"NO Stripe's webhook: Stripe has no webhook to https://verdetto.example.com/api/v1/pro/webhook",
		"signing secret"},
	{"webhook events", func(w *world) { w.hook["enabled_events"] = events[1:] },
		"NO Stripe's webhook: the webhook is not told of checkout.session.completed", "add them"},
	{"webhook disabled", func(w *world) { w.hook["status"] = "disabled" },
		"NO Stripe's webhook: Stripe has the webhook disabled", "enable it"},
	{"node of another network", func(w *world) { w.node["getGenesisHash"] = genesis["devnet"] },
		"is a node of another network than mainnet-beta", "put other addresses"},
	{"no account for the token", func(w *world) {
		w.node["getTokenAccountsByOwner"] = map[string]any{"value": []any{}}
	}, "NO the wallet: the wallet has no account for the token", "send it any amount"},
	{"not a wallet", func(w *world) {
		w.node["getAccountInfo"] = map[string]any{"value": map[string]any{"owner": tokenProgram}}
	}, "NO the wallet: solanaWallet is an account for tokens", "the wallet that owns it"},
	{"fare token", func(w *world) { w.fares.Token = "another" },
		"NO the fare source: the fare source refuses the token", "API token"},
}

func TestOmissions(t *testing.T) {
	for _, c := range omissions {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			c.spoil(w)
			output, ready := w.report()
			if c.name == "table left behind" {
				w.config.adopt = true
				if output, ready := w.report(); !ready {
					t.Errorf("with ADOPT=1:\n%s", output)
				}
			}
			if ready || !strings.Contains(output, c.says) {
				t.Errorf("not named:\n%s", output)
			}
			_, after, _ := strings.Cut(output, c.says)
			if _, do, _ := strings.Cut(after, "\n   -> "); !strings.Contains(strings.SplitN(do, "\n", 2)[0], c.do) {
				t.Errorf("it does not say to %q:\n%s", c.do, output)
			}
			if n := strings.Count(output, "NO "); n != 1 {
				t.Errorf("%d faults are named:\n%s", n, output)
			}
			for _, secret := range []string{key, nodes, upstreamtest.Token, "whsec_1", strings.Repeat("p", 32),
				strings.Repeat("c", 32), strings.Repeat("o", 24)} {
				if strings.Contains(output, secret) {
					t.Errorf("it tells a secret:\n%s", output)
				}
			}
		})
	}
}

func TestUnasked(t *testing.T) {
	w := newWorld(t)
	w.at.stripe = "http://127.0.0.1:1"
	output, ready := w.report()
	if ready || !strings.Contains(output, "?  Stripe's price: could not be asked: it cannot be reached") ||
		strings.Contains(output, "NO ") {
		t.Errorf("%s", output)
	}
}

func TestConfiguration(t *testing.T) {
	c, err := load("../cdk/example.json")
	if err != nil || c.Account != "123456789012" || c.SolanaMint != usdc || c.mailDomain() != "verdetto.example.com" {
		t.Errorf("%+v %v", c, err)
	}
	var fields map[string]any
	data, err := os.ReadFile("../cdk/example.json")
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(fields, "account")
	data, _ = json.Marshal(fields)
	file := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(file); err == nil || !strings.Contains(err.Error(), "account is missing") {
		t.Error(err)
	}
}

func TestNoCredentials(t *testing.T) {
	for _, name := range []string{"AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", "http://127.0.0.1:1")
	var output strings.Builder
	if ready, err := run(t.Context(), "../cdk/example.json", false, &output); ready || err == nil ||
		!strings.HasPrefix(err.Error(), "there are no AWS credentials: set AWS_PROFILE") {
		t.Errorf("%v %s", err, output.String())
	}
}

func TestDocumentedPermissions(t *testing.T) {
	data, err := os.ReadFile("../../docs/aws.md")
	if err != nil {
		t.Fatal(err)
	}
	if doc := strings.Join(strings.Fields(string(data)), " "); !strings.Contains(doc,
		strings.TrimPrefix(grant, "give it ")) {
		t.Errorf("docs/aws.md does not say: %s", grant)
	}
}
