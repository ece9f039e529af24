package main

import (
	"flag"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/architecture/testenv"
)

var update = flag.Bool("update", false, "write the tables into the document anew")

// synthesized reads the example's templates, synthesized with stand-ins for the executables.
func synthesized(t *testing.T) stack {
	t.Helper()
	testenv.Command(t, "node", "apt-get install nodejs")
	dir := t.TempDir()
	mains, err := filepath.Glob("../../functions/*/bootstrap")
	if err != nil || len(mains) == 0 {
		t.Fatalf("no functions: %v", err)
	}
	for _, main := range mains {
		file := filepath.Join(dir, "assets", filepath.Base(filepath.Dir(main)), "bootstrap")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(main), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("go", "run", "./infra/cdk", "-config", "infra/cdk/example.json", "-assets",
		filepath.Join(dir, "assets"), "-out", filepath.Join(dir, "out"))
	command.Dir = "../.."
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s, err := read(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDocument: the tables in docs/aws.md are the output of this command for the example.
func TestDocument(t *testing.T) {
	s := synthesized(t)
	for _, c := range []struct {
		file, begin, end string
		write            func(io.Writer)
	}{
		{"../../docs/aws.md", "<!-- costs: make build synth && go run ./infra/cost -->\n", "<!-- end of costs -->\n",
			s.tables},
		{"../../docs/aws.md", "<!-- floods: make build synth && go run ./infra/cost -->\n",
			"<!-- end of floods -->\n", s.floodTable},
	} {
		data, err := os.ReadFile(c.file)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(data), c.begin)
		said, after, closed := strings.Cut(rest, c.end)
		if !ok || !closed {
			t.Fatalf("%s does not have the marks %q and %q", c.file, c.begin, c.end)
		}
		var b strings.Builder
		c.write(&b)
		if *update {
			if err := os.WriteFile(c.file, []byte(before+c.begin+b.String()+c.end+after), 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := cmp.Diff(b.String(), said); diff != "" {
			t.Errorf("%s is behind; go test ./infra/cost -update writes it:\n%s", c.file, diff)
		}
	}
	looking := secondsADay * floods[1].perSecond * prices.firewallRequest
	for _, a := range attacks {
		if usd := s.day(floods[1], a); !a.direct && usd > looking+20 {
			t.Errorf("%s by one machine costs %.2f a day, of which the firewall's is %.2f", a.name, usd, looking)
		}
	}
}

// TestRead compares the counts of a template with a count by hand. The template has an alarm on one
// metric, an alarm on two metrics (one of them AWS's own), a dashboard and a firewall.
func TestRead(t *testing.T) {
	const template = `{"Resources": {
"A": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Namespace": "Verdetto", "MetricName": "Errors5xx", "Dimensions": [{"Name": "function", "Value": "pro"}]}},
"B": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Metrics": [{"Expression": "a-b"},
	{"MetricStat": {"Metric": {"Namespace": "AWS/ApiGateway", "MetricName": "5xx"}}}, {"MetricStat": {"Metric": {"Namespace": "Verdetto", "MetricName": "Absent501"}}}]}},
"D": {"Type": "AWS::CloudWatch::Dashboard", "Properties": {"DashboardBody": {"Fn::Join": ["", ["{\"widgets\":[{\"properties\":{\"region\":\"", {"Ref": "AWS::Region"},
	"\",\"metrics\":[[\"Verdetto\",\"Errors5xx\",\"function\",\"pro\",{\"stat\":\"Sum\"}],[\"Verdetto\",\"Errors5xx\",\"function\",\"alerts\"],[\"AWS/SQS\",\"X\"],[{\"expression\":\"1\"}]]}}]}"]]}}},
"F": {"Type": "AWS::WAFv2::WebACL", "Properties": {"Rules": [{"Name": "rate", "Statement": {"RateBasedStatement": {"Limit": 2000}}}, {"Name": "other"}]}},
"S": {"Type": "AWS::ApiGatewayV2::Stage", "Properties": {"DefaultRouteSettings": {"ThrottlingRateLimit": 60}, "RouteSettings": {
	"ANY /v1/pro/webhook": {"ThrottlingRateLimit": 40}, "ANY /v1": {"ThrottlingRateLimit": 20}}}},
"O": {"Type": "Other", "Properties": {"Header": "{{resolve:secretsmanager:verdetto/origin:SecretString:1}}"}},
"K": {"Type": "AWS::KMS::Key"}, "Q": {"Type": "AWS::Lambda::EventSourceMapping"}}}`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.template.json"), []byte(template), 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := read(dir)
	want := stack{alarms: 2, alarmMetrics: 3, metrics: 3, dashboards: 1, rules: 2, keys: 1, secrets: 1, queues: 1,
		throughput: 120, webhook: 40, perAddress: 2000}
	if err != nil || got != want {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
	if _, err := read(t.TempDir()); err == nil {
		t.Error("a folder without templates is read")
	}
}

// TestFloodByHand compares the cost of a day of two attacks with a calculation by hand.
func TestFloodByHand(t *testing.T) {
	u := use{seconds: 0.01, memoryGB: 0.5, logBytes: 1000, answerBytes: 1000}
	// The cost of one call: API Gateway, a Lambda call, 0.005 GB-seconds, and 1 KB of logs.
	each := 1e-6 + 0.2e-6 + 0.005*0.0000133334 + 0.5e-6
	f, s := flood{perSecond: 1000, addresses: 3}, stack{throughput: 840, rules: 4, perAddress: 2000}
	if got, want := s.day(f, attack{direct: true, a: u}), 86400*840*each; math.Abs(got-want) > 1e-6 {
		t.Errorf("direct: %v, want %v", got, want)
	}
	// The firewall inspects all 1,000 requests and admits 20 per second from three addresses.
	if got, want := s.day(f, attack{a: u}), 86400*(1000*0.6e-6+20*(1e-6+0.085e-6+each)); math.Abs(got-want) > 1e-6 {
		t.Errorf("misses: %v, want %v", got, want)
	}
}

// TestByHand compares the cost of one kind of call with a calculation by hand.
func TestByHand(t *testing.T) {
	u := use{"", 0.5, 1, 0.01, 0.5, 1000, 1000, 1}
	// US dollars for a million calls: table 0.0625 + 0.625; Lambda 0.20 and 5,000 GB-seconds; API
	// Gateway 1.00; CloudFront 1.00 and 1 GB; firewall 0.60; 1 GB of logs.
	want := 0.6875 + (0.20 + 5000*0.0000133334) + 1.00 + 1.085 + 0.60 + 0.50
	if got := u.total(); math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v", got, want)
	}
	u.reaches = 0 // all from the edge
	if got := u.total(); math.Abs(got-1.685) > 1e-9 {
		t.Errorf("from the edge alone: %v, want 1.685", got)
	}
}
