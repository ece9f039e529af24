package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAlarmsTell(t *testing.T) {
	for _, name := range []string{"example", "least", "most"} {
		h := fixture(t, name)
		alarms := 0
		for id, r := range h.Resources {
			if r.Type != "AWS::CloudWatch::Alarm" {
				continue
			}
			alarms++
			want := `[{"Ref":"Alarms"}]`
			if strings.HasPrefix(id, "Edge") && h.Resources["EdgeAlarms"].Type != "" {
				want = `[{"Ref":"EdgeAlarms"}]`
			}
			if got := compact(r.Properties["AlarmActions"]); got != want || compact(r.Properties["OKActions"]) != want {
				t.Errorf("%s: %s tells %s, want %s", name, id, got, want)
			}
			if about, _ := r.Properties["AlarmDescription"].(string); len(about) < 40 {
				t.Errorf("%s: %s says of itself %q", name, id, about)
			}
		}
		if alarms < 10 {
			t.Errorf("%s: only %d alarms were looked at", name, alarms)
		}
	}
}

func TestRunbook(t *testing.T) {
	doc := awsDocument(t)
	described := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\*\\*`([A-Za-z0-9]+)`").FindAllStringSubmatch(doc, -1) {
		described[m[1]] = true
	}
	pages := regexp.MustCompile("(?m)^These alarms are pages: (.*)[.]$").FindStringSubmatch(doc)
	if pages == nil {
		t.Fatal("docs/aws.md does not list the pages")
	}
	h := fixture(t, "most")
	for id, r := range h.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		if want := alarmName("second", id, strings.Contains(pages[1], "`"+id+"`")); r.Properties["AlarmName"] != want {
			t.Errorf("%s is %v; docs/aws.md has it as %s", id, r.Properties["AlarmName"], want)
		}
		if !described[id] {
			t.Errorf("docs/aws.md does not say what to do when %s is on", id)
		}
		delete(described, id)
	}
	for id := range described {
		t.Errorf("docs/aws.md speaks of an alarm %s, which there is not", id)
	}
}

type value struct {
	metric, resource string
	value            float64
}

func TestIncidentsRing(t *testing.T) {
	passes := value{"CheckPassed", "", 1}
	age := value{"DataAgeDays", "", 3}
	for _, c := range []struct {
		alarm    string
		incident []value
		digits   float64
		bad      []value
	}{
		{"Unreachable", nil, -1, []value{passes}},
		{"FunctionErrors", []value{{"Errors", "ProFunction", 1}}, 10000, []value{{"Invocations", "ProFunction", 9000}}},
		{"Failures", []value{{"Errors5xx", "pro", 5}, {"Errors5xx", "analisi", 60}}, 10001,
			[]value{{"Errors5xx", "pro", 1}, {"Errors5xx", "x402", 4}, {"Throttled429", "analisi", 5000}}},
		{"Throttled", []value{{"ApiThrottled", "", 3000}, {"Throttles", "AnalisiFunction", 2}}, 1e9 + 1,
			[]value{{"ApiThrottled", "", 150}, {"WriteThrottleEvents", "", 40}}},
		{"ApiSlow", []value{{"Latency", "", 4100}}, 1, []value{{"Latency", "", 2400}}},
		{"DeadLetters", []value{{"ApproximateNumberOfMessagesVisible", "RefreshDeadLetters", 2}}, 1000, nil},
		{"RefreshWaiting", []value{{"ApproximateAgeOfOldestMessage", "", 12000}}, 1,
			[]value{{"ApproximateAgeOfOldestMessage", "", 9000}}},
		{"StaleFares", []value{{"DataAgeDays", "", 10}}, 1, []value{{"DataAgeDays", "", 9}}},
		{"StaleFares", nil, -1, []value{age}},
		{"Source", []value{{"OriginsFailed", "", 40}, {"OriginsAsked", "", 60}}, 1,
			[]value{{"OriginsFailed", "", 40}, {"OriginsAsked", "", 3400}}},
		{"Source", []value{{"OriginsFailed", "", 1}, {"OriginsAsked", "", 1}}, 1,
			[]value{{"OriginsAsked", "", 2}}},
		{"Source", []value{{"SeriesFailed", "", 9}, {"SourceRefused", "", 1}}, 110,
			[]value{{"SeriesFailed", "", 9}, {"SeriesAsked", "", 1200}}},
		{"Drift", []value{{"SourceDifferences", "", 1}, {"ScoreWeeksOut", "", 3}}, 11, []value{{"ScoreWeeksOut", "", 2}}},
		{"MailReputation", []value{{"Reputation.ComplaintRate", "", .002}}, 10,
			[]value{{"Reputation.ComplaintRate", "", .0004}, {"Reputation.BounceRate", "", .02}}},
		{"MailFailures", []value{{"MailFailed", "alerts", 12}, {"MailSent", "alerts", 80}}, 100,
			[]value{{"MailFailed", "alerts", 12}, {"MailSent", "alerts", 400}, {"MailFailed", "pro", 1}}},
		{"MailFailures", []value{{"JobsGivenUp", "pro", 1}}, 10, []value{{"MailFailed", "pro", 2}}},
		{"WebhookRefused", []value{{"WebhookStatus", "Minimum", 400}, {"WebhookStatus", "SampleCount", 3}}, 1,
			[]value{{"WebhookStatus", "Minimum", 200}, {"WebhookStatus", "SampleCount", 40}}},
		{"PaymentsUnjudged", []value{{"PaymentsUnjudged", "", 1}}, 1, nil},
		{"FeesLow", []value{{"FeeLamports", "", 0}}, 1, nil},
		{"FeesLow", []value{{"FeeLamports", "", 9_000_000}}, 1, []value{{"FeeLamports", "", 11_000_000}}},
		{"EdgeFailures", []value{{"5xxErrorRate", "", 6}}, 1, []value{{"5xxErrorRate", "", 4}}},
		{"EdgeFlood", []value{{"Requests", "", 200_000}}, 1, []value{{"Requests", "", 90_000}}},
		{"CertificateEnds", []value{{"DaysToExpiry", "", 20}}, 1, []value{{"DaysToExpiry", "", 700}}},
	} {
		a := fixture(t, "most").Resources[c.alarm]
		if a.Type == "" {
			t.Errorf("there is no alarm %s", c.alarm)
			continue
		}
		if got := evaluate(t, a, c.incident); got != c.digits {
			t.Errorf("%s is %v in an incident, want %v: %v", c.alarm, got, c.digits, compact(a.Properties["Metrics"]))
		}
		if got := evaluate(t, a, c.bad); got != 0 {
			t.Errorf("%s is %v on a bad day", c.alarm, got)
		}
	}
}

func evaluate(t *testing.T, a resource, day []value) float64 {
	t.Helper()
	expression, values := "", map[string]float64{}
	for _, m := range asList(a.Properties["Metrics"]) {
		if e, ok := at(m, "Expression").(string); ok {
			expression = e
			continue
		}
		for _, v := range day {
			if at(m, "MetricStat", "Metric", "MetricName") == v.metric &&
				strings.Contains(compact(at(m, "MetricStat")), v.resource) {
				values[compact(at(m, "Id"))] = v.value
			}
		}
	}
	parsed, err := parser.ParseExpr(expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	truth := map[bool]float64{true: 1}
	var value func(ast.Expr) float64
	value = func(e ast.Expr) float64 {
		switch e := e.(type) {
		case *ast.BasicLit:
			n, err := strconv.ParseFloat(e.Value, 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		case *ast.Ident:
			if v, ok := values[e.Name]; ok {
				return v
			}
			return math.NaN()
		case *ast.ParenExpr:
			return value(e.X)
		case *ast.CallExpr:
			first := value(e.Args[0])
			switch name := e.Fun.(*ast.Ident).Name; {
			case name == "FILL" && math.IsNaN(first), name == "IF" && first != 0 && !math.IsNaN(first):
				return value(e.Args[1])
			case name == "IF" && first == 0:
				return value(e.Args[2])
			}
			return first
		case *ast.BinaryExpr:
			x, y := value(e.X), value(e.Y)
			if math.IsNaN(x) || math.IsNaN(y) {
				return math.NaN()
			}
			switch e.Op {
			case token.ADD:
				return x + y
			case token.MUL:
				return x * y
			case token.GTR:
				return truth[x > y]
			case token.LSS:
				return truth[x < y]
			case token.EQL:
				return truth[x == y]
			case token.LAND:
				return truth[x != 0 && y != 0]
			}
		}
		t.Fatalf("%s: %T is unknown", expression, e)
		return 0
	}
	result := value(parsed)
	if math.IsNaN(result) {
		return map[bool]float64{true: -1}[a.Properties["TreatMissingData"] == "breaching"]
	}
	return result
}

func TestCounts(t *testing.T) {
	for name, most := range map[string]struct{ alarms, resources int }{"example": {24, 155}, "least": {14, 155}} {
		h := fixture(t, name)
		alarms, metrics := 0, 0
		for _, r := range h.Resources {
			if r.Type == "AWS::CloudWatch::Alarm" {
				alarms++
				metrics += len(asList(r.Properties["Metrics"])) - 1
			}
		}
		row := fmt.Sprintf("| metrics of alarms | metric | 0.10 | | | %d |", metrics)
		if name == "example" && !strings.Contains(awsDocument(t), row) {
			t.Errorf("docs/aws.md does not say %s", row)
		}
		t.Logf("%s: %d alarms, %d resources", name, alarms, len(h.Resources))
		if alarms > most.alarms || len(h.Resources) > most.resources {
			t.Errorf("%s: %d alarms, %d resources, at most %v", name, alarms, len(h.Resources), most)
		}
	}
}

func TestRolloutIsOfTheAlias(t *testing.T) {
	h := fixture(t, "example")
	seen := 0
	for id, r := range h.Resources {
		if strings.HasPrefix(r.Type, "AWS::CodeDeploy::") || r.Type == "AWS::Lambda::Version" {
			t.Errorf("%s (%s) decides what is live", id, r.Type)
		}
	}
	for _, f := range functions {
		id := title(f.name)
		live := h.Resources[id+"Live"]
		if version := live.Properties["FunctionVersion"]; version != "$LATEST" || live.UpdatePolicy != nil {
			t.Errorf("a deployment of the stack moves %s to %v by %v", id+"Live", version, live.UpdatePolicy)
		}
		for resource, r := range h.Resources {
			switch r.Type {
			case "AWS::Lambda::EventInvokeConfig":
				if compact(r.Properties["FunctionName"]) == `{"Ref":"`+id+`Function"}` &&
					!strings.Contains(compact(r.Properties["Qualifier"]), id+"Live") {
					t.Errorf("%s is of %s itself: %s", resource, f.name, compact(r.Properties))
				}
			case "AWS::Lambda::Permission", "AWS::Lambda::EventSourceMapping", "AWS::ApiGatewayV2::Integration", "AWS::Scheduler::Schedule", "AWS::SNS::Subscription":
				seen++
				if strings.Contains(compact(r.Properties), id+`Function`) {
					t.Errorf("%s is of %s itself, not of its live version: %s", resource, f.name, compact(r.Properties))
				}
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d callers were looked at", seen)
	}
}

func TestGenerationStartsFunctionsAnew(t *testing.T) {
	needsNode(t)
	c := fixtureConfigs(t)["example"]
	made := func(c config) map[string]string {
		all := map[string]string{}
		for id, r := range build(t, c).Resources {
			if r.Type == "AWS::Lambda::Function" {
				all[id] = compact(r.Properties)
			}
		}
		return all
	}
	before := made(c)
	c.AccessLogDays++
	if diff := cmp.Diff(before, made(c)); diff != "" {
		t.Errorf("another choice changes functions: %s", diff)
	}
	c.Generation++
	for id, properties := range made(c) {
		if properties == before[id] {
			t.Errorf("%s stays as it was", id)
		}
	}
	if len(before) != len(functions) {
		t.Errorf("%d of %d functions", len(before), len(functions))
	}
}
