// Package importtest holds the one test that says who may import whom. It
// parses the sources in-process, so its result can never be a stale one.
package importtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "verdetto"

// rule says what the packages of a folder may import. "inside" lists folders of
// this module ("*" all), "outside" prefixes of other modules. The standard
// library is always allowed. The rule with the longest matching folder holds; a
// folder name of * stands for any one name.
type rule struct {
	folder          string
	inside, outside []string
}

var (
	pure       = []string{"shared/fare", "shared/fare/packed"}
	interfaces = []string{"shared/fare", "shared/apikey"}
	parts      = []string{
		"shared/text/wording",
		"shared/fare", "shared/fare/places", "shared/verdict", "shared/verdict/departure", "shared/answer", "shared/published", "shared/verdict/deals", "shared/verdict/score", "shared/verdict/trends", "shared/answer/view", "shared/apikey", "shared/notify",
		"shared/store", "shared/carrier/mail", "shared/pay", "shared/upstream", "shared/web/limit", "shared/web/httpapi", "shared/web/routes", "shared/web/page", "shared/runtime/queue", "shared/runtime/metrics", "shared/web/chart", "shared/text/i18n", "shared/carrier/ntfy", "shared/carrier/telegram", "shared/carrier/outbound", "shared/outbox", "shared/notify/webhook",
	}
	text = []string{"golang.org/x/text/"}
	aws  = []string{"github.com/aws/aws-sdk-go-v2", "github.com/aws/smithy-go"}
)

var rules = []rule{
	{"shared/fare/packed", nil, nil},
	{"shared/fare", []string{"shared/fare/packed"}, nil},
	{"shared/web/routes", nil, nil},
	{"shared/text/i18n", pure, []string{"github.com/nicksnyder/go-i18n/v2", "github.com/BurntSushi/toml", "golang.org/x/text/"}},
	{"shared/text/wording", []string{"shared/fare", "shared/text/i18n", "shared/verdict"}, nil},
	{"shared/text/i18n/i18ntest", []string{"shared/text/i18n"}, []string{"github.com/BurntSushi/toml"}},
	{"shared/web/page", []string{"shared/text/i18n"}, nil},
	{"shared/runtime/metrics", nil, nil},
	{"shared/runtime/metrics/metricstest", nil, []string{"github.com/santhosh-tekuri/jsonschema/v6"}},
	{"shared/store/dynamostore/schema", nil, nil},
	{"shared/fare/places", pure, text},
	{"shared/fare/places/generate", []string{"shared/fare/places"}, text},
	{"shared/verdict", append([]string{"shared/verdict/departure"}, pure...), text},
	{"shared/verdict/score", append([]string{"shared/verdict/departure", "shared/verdict"}, pure...), nil},
	{"shared/verdict/deals", append([]string{"shared/verdict"}, pure...), nil},
	{"shared/answer", []string{"shared/fare", "shared/fare/places", "shared/verdict", "shared/verdict/departure", "shared/store"}, nil},
	{"shared/published", []string{"shared/fare", "shared/fare/places", "shared/verdict", "shared/verdict/departure", "shared/answer", "shared/verdict/deals", "shared/store", "shared/web/httpapi"}, nil},
	{"shared/verdict/departure", pure, nil},
	{"shared/verdict/trends", pure, text},
	{"shared/answer/view", []string{"shared/fare", "shared/fare/places", "shared/verdict", "shared/verdict/trends", "shared/store"}, nil},
	{"shared/apikey", pure, text},
	{"shared/notify", []string{"shared/fare", "shared/fare/places", "shared/verdict", "shared/web/chart", "shared/store", "shared/carrier/mail", "shared/web/limit", "shared/runtime/metrics", "shared/text/i18n", "shared/text/wording", "shared/answer", "shared/verdict/departure", "shared/verdict/deals", "shared/fare/packed", "shared/outbox"}, []string{"golang.org/x/time"}},
	{"shared/notify/notifytest", []string{"shared/notify", "shared/fare", "shared/store", "shared/store/boltstore", "shared/carrier/mail", "shared/carrier/mail/maildir"}, []string{"github.com/google/go-cmp"}},
	{"shared/web/chart", []string{"shared/fare", "shared/verdict"}, []string{"golang.org/x/image/", "golang.org/x/text/"}},
	{"shared/store", interfaces, nil},
	{"shared/carrier/mail", []string{"shared/fare", "shared/apikey", "shared/text/i18n"}, []string{"github.com/emersion/go-message"}},
	{"shared/pay", interfaces, nil},
	{"shared/upstream", interfaces, nil},
	{"shared/web/limit", []string{"shared/store"}, nil},
	{"shared/store/boltstore", []string{"shared/store", "shared/fare"}, []string{"go.etcd.io/bbolt"}},
	{"shared/store/dynamostore", []string{"shared/store", "shared/fare", "shared/store/dynamostore/schema"}, aws},
	{"shared/store/dynamostore/dynamolocal", []string{"shared/store", "shared/store/dynamostore", "shared/architecture/testenv"}, aws},
	{"shared/store/migration", []string{"shared/store"}, nil},
	{"shared/store/storetest", []string{"shared/store", "shared/fare"}, []string{"github.com/google/go-cmp"}},
	{"shared/upstream/travelpayouts", []string{"shared/upstream", "shared/fare"}, []string{"golang.org/x/time"}},
	{"shared/upstream/travelpayouts/configured", []string{"shared/upstream", "shared/upstream/travelpayouts", "shared/fare", "shared/fare/places", "shared/runtime/config"}, nil},
	{"shared/upstream/csvfile", []string{"shared/upstream", "shared/fare"}, nil},
	{"shared/upstream/sample", []string{"shared/upstream", "shared/fare"}, nil},
	{"shared/upstream/ecb", []string{"shared/upstream", "shared/fare"}, nil},
	{"shared/upstream/ecb/generate", nil, nil},
	{"shared/upstream/upstreamtest", []string{"shared/upstream", "shared/fare"}, nil},
	{"shared/carrier/mail/instrumented", []string{"shared/carrier/mail", "shared/runtime/metrics"}, nil},
	{"shared/carrier/mail/maildir", []string{"shared/carrier/mail", "shared/fare"}, nil},
	{"shared/carrier/mail/sesmail", []string{"shared/carrier/mail", "shared/fare"}, aws},
	{"shared/carrier/mail/sesmail/motolocal", []string{"shared/architecture/testenv"}, nil},
	{"shared/carrier/mail/smtpmail", []string{"shared/carrier/mail"}, []string{"github.com/emersion/go-smtp", "github.com/emersion/go-sasl"}},
	{"shared/carrier/mail/smtpmail/eximlocal", []string{"shared/architecture/testenv"}, nil},
	{"shared/carrier/mail/smtpmail/smtptest", nil, []string{"github.com/emersion/go-smtp", "github.com/emersion/go-sasl"}},
	{"shared/notify/push", []string{"shared/fare", "shared/text/i18n", "shared/notify", "shared/carrier/ntfy", "shared/store", "shared/carrier/telegram"}, nil},
	{"shared/carrier/ntfy", []string{"shared/carrier/mail", "shared/carrier/outbound"}, nil},
	{"shared/carrier/ntfy/ntfytest", []string{"shared/carrier/outbound"}, nil},
	{"shared/carrier/telegram", []string{"shared/carrier/mail"}, []string{"github.com/go-telegram/bot"}},
	{"shared/carrier/telegram/telegramtest", nil, nil},
	{"shared/pay/stripepay", []string{"shared/pay", "shared/fare"}, []string{"github.com/stripe/stripe-go/v76"}},
	{"shared/pay/solanapay", []string{"shared/pay", "shared/fare"}, []string{"github.com/gagliardetto/solana-go"}},
	{"shared/pay/x402pay", []string{"shared/pay"}, []string{"github.com/gagliardetto/solana-go"}},
	{"shared/pay/x402pay/svmlocal", []string{"shared/architecture/testenv"}, nil},
	{"shared/pay/paytest", []string{"shared/pay", "shared/fare"}, nil},
	{"shared/web/httpapi", []string{"shared/web/limit", "shared/apikey", "shared/store", "shared/web/routes", "shared/runtime/metrics", "shared/text/i18n"}, []string{"github.com/danielgtaylor/huma/v2"}},
	{"shared/runtime/lambdalog", nil, []string{"github.com/aws/aws-lambda-go"}},
	{"shared/runtime/lambdahttp", nil, []string{"github.com/aws/aws-lambda-go"}},
	{"shared/runtime/lambdaqueue", []string{"shared/runtime/queue"}, []string{"github.com/aws/aws-lambda-go"}},
	{"shared/outbox", []string{"shared/runtime/metrics", "shared/store"}, nil},
	{"shared/carrier/outbound", nil, []string{"code.dny.dev/ssrf"}},
	{"shared/notify/webhook", []string{"shared/fare", "shared/store", "shared/notify", "shared/web/limit", "shared/carrier/outbound"}, []string{"github.com/standard-webhooks/standard-webhooks/libraries"}},
	{"shared/runtime/queue", nil, nil},
	{"shared/runtime/queue/sqsqueue", []string{"shared/runtime/queue"}, aws},
	{"shared/runtime/queue/queuetest", []string{"shared/runtime/queue"}, []string{"github.com/google/go-cmp"}},
	{"shared/architecture/testenv", nil, nil},
	{"shared/runtime/config/ssmparams", []string{"shared/runtime/config"}, aws},
	{"shared/runtime/config/parameters", nil, nil},
	{"shared/runtime/config", nil, []string{"github.com/caarlos0/env/v11"}},
	{"functions/pro", parts, []string{"github.com/danielgtaylor/huma/v2", "rsc.io/qr"}},
	{"functions/analisi/agents", append([]string{"functions/analisi"}, parts...), []string{"github.com/danielgtaylor/huma/v2", "github.com/modelcontextprotocol/go-sdk"}},
	{"functions/x402", append([]string{"shared/published", "shared/pay/x402pay"}, parts...), nil},
	{"functions/*", parts, []string{"github.com/danielgtaylor/huma/v2"}},
	{"functions/*/bootstrap", []string{"*"}, append([]string{"github.com/aws/aws-lambda-go"}, aws...)},
	{"cmd/verdetto", []string{"*"}, []string{"golang.org/x/term"}},
	{"cmd/verdetto/onemachine", []string{"*"}, aws},
	{"cmd/verdetto/backtest", []string{"shared/fare", "shared/verdict", "cmd/verdetto/backtest/bootstrap"}, nil},
	{"cmd/verdetto/backtest/bootstrap", nil, nil},
	{"cmd/verdetto/backtest/departures", []string{"shared/fare", "shared/verdict/departure", "shared/verdict/score", "shared/verdict", "shared/notify", "shared/store", "cmd/verdetto/backtest/bootstrap"}, nil},
	{"cmd/verdetto/backtest/scorecard", []string{"shared/fare", "shared/verdict", "shared/verdict/departure", "shared/verdict/score"}, nil},
	{"cmd/verdetto/edge", []string{"shared/runtime/config", "shared/web/routes"}, []string{"github.com/klauspost/compress/gzhttp", "golang.org/x/crypto/acme"}},
	{"cmd/verdetto/monitor", []string{"shared/carrier/mail"}, []string{"github.com/prometheus/client_golang"}},
	{"cmd/verdetto/settings", []string{"shared/runtime/config"}, []string{"github.com/BurntSushi/toml"}},
	{"cmd/verdetto/smoke", nil, nil},
	{"cmd/verdetto/runtimeapi", nil, nil},
	{"cmd/verdetto/statuspage", []string{"shared/text/i18n"}, nil},
	{"cmd/verdetto/localcloud", []string{"shared/runtime/config/parameters"}, aws},
	{"cmd/verdetto/samlocal", []string{"cmd/verdetto/localcloud", "shared/architecture/testenv"}, aws},
	{"e2e/fixture", []string{"*"}, []string{"github.com/gagliardetto/solana-go", "github.com/google/go-cmp", "github.com/santhosh-tekuri/jsonschema/v6"}},
	{"infra/figures", nil, nil},
	{"examples/go", nil, nil}, // a module of its own
	{"infra/cost", nil, nil},
	{"infra/rollout", []string{"cmd/verdetto/smoke", "shared/web/routes"}, append([]string{"github.com/aws/aws-lambda-go"}, aws...)},
	{"infra/preflight", []string{"shared/runtime/config", "shared/runtime/config/parameters", "shared/fare", "shared/upstream", "shared/upstream/travelpayouts"}, aws},
	{"infra/cdk", []string{"shared/runtime/config/parameters", "shared/web/routes", "shared/store/dynamostore/schema"}, []string{
		"github.com/aws/aws-cdk-go", "github.com/aws/constructs-go", "github.com/aws/jsii-runtime-go", "github.com/cdklabs/cdk-nag-go",
	}},
}

// mains are the folders whose packages may import adapters and are imported by nobody.
var mains = []string{"functions/*/bootstrap", "cmd/verdetto", "infra/cdk"}

// tests are the folders of what tests have in common: tests and one another import them, and nobody else does.
var tests = []string{"e2e/*"}

func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(path, root), string(filepath.Separator)))
		if d.IsDir() {
			if name := d.Name(); rel != "" && (strings.HasPrefix(name, ".") || name == "dist" || name == "node_modules" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		folder := filepath.ToSlash(filepath.Dir(rel))
		r, ok := ruleFor(folder)
		if !ok {
			t.Errorf("%s: no rule says what %s may import; add one here", rel, folder)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if why := refused(r, folder, name); why != "" {
				t.Errorf("%s imports %s: %s", rel, name, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 10 {
		t.Fatalf("only %d files were looked at: is the root right?", seen)
	}
}

// TestRefuses shows that the rules can fail.
func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		folder, imports string
		allowed         bool
	}{
		{"shared/fare", "strings", true},
		{"shared/fare", "verdetto/shared/store", false},
		{"shared/verdict", "verdetto/shared/fare", true},
		{"shared/verdict", "verdetto/shared/store", false},
		{"shared/store", "go.etcd.io/bbolt", false},
		{"functions/analisi", "verdetto/shared/store", true},
		{"functions/analisi", "verdetto/shared/store/boltstore", false},
		{"functions/analisi", "verdetto/functions/refresh", false},
		{"functions/analisi", "github.com/aws/aws-sdk-go-v2/service/dynamodb", false},
		{"functions/analisi/bootstrap", "verdetto/shared/store/dynamostore", true},
		{"functions/analisi/bootstrap", "verdetto/cmd/verdetto", false},
		{"functions/analisi", "verdetto/e2e/fixture", false},
		{"cmd/verdetto", "verdetto/cmd/verdetto/onemachine", true},
		{"cmd/verdetto", "verdetto/e2e/fixture", false},
		{"cmd/verdetto/runtimeapi", "verdetto/shared/fare", false},
		{"e2e/fixture", "verdetto/cmd/verdetto/onemachine", true},
		{"e2e/fixture", "verdetto/cmd/verdetto", false},
		{"e2e/fixture", "verdetto/infra/cdk", false},
		{"functions/unheard/of", "strings", true},
	} {
		r, ok := ruleFor(c.folder)
		if !ok {
			if c.folder != "functions/unheard/of" {
				t.Errorf("%s has no rule", c.folder)
			}
			continue
		}
		if got := refused(r, c.folder, c.imports) == ""; got != c.allowed {
			t.Errorf("%s importing %s: allowed %v, want %v", c.folder, c.imports, got, c.allowed)
		}
	}
}

func ruleFor(folder string) (rule, bool) {
	for _, r := range rules {
		if matches(r.folder, folder) {
			return r, true
		}
	}
	return rule{}, false
}

func matches(pattern, folder string) bool {
	ok, err := filepath.Match(pattern, folder)
	return err == nil && ok
}

func refused(r rule, folder, name string) string {
	inside, ours := strings.CutPrefix(name, module+"/")
	if !ours {
		if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
			return "" // standard library
		}
		for _, prefix := range r.outside {
			if strings.HasPrefix(name, prefix) {
				return ""
			}
		}
		return "not on the list of outside libraries of " + folder
	}
	for _, m := range mains {
		if matches(m, inside) {
			return "nobody imports a main"
		}
	}
	for _, helper := range tests {
		if matches(helper, inside) && !matches(helper, folder) {
			return "only tests import what is for tests"
		}
	}
	for _, allowed := range r.inside {
		if allowed == "*" && !strings.HasPrefix(inside, "infra/cdk") {
			return ""
		}
		if allowed == inside {
			return ""
		}
	}
	return "not on the list of packages of " + folder
}

func TestModuleName(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join("..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(mod), "module "+module+"\n") {
		t.Errorf("go.mod does not name the module %s", module)
	}
}
