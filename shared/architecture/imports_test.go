// Package architecture tests two rules for the whole module: which package may import which, and
// which test belongs to which tier (make test, prove or evidence). The tests parse the sources at
// each run. Start reading at groups.
package architecture

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "verdetto"

var root = filepath.Join("..", "..")

// groups maps a folder to the groups that packages in it may import. The longest matching folder
// applies; * stands for any one name. A package may always import its own group. A main (cmd,
// bootstrap) may import everything except other mains.
var groups = map[string]string{
	"shared/fare":           "",
	"shared/apikey":         "",
	"shared/verdict":        "fare",
	"shared/runtime":        "",
	"shared/store":          "fare apikey runtime architecture",
	"shared/upstream":       "fare apikey runtime",
	"shared/pay":            "fare apikey runtime architecture",
	"shared/text":           "fare verdict",
	"shared/carrier":        "fare apikey text runtime architecture",
	"shared/web":            "store text verdict fare apikey runtime",
	"shared/answer":         "fare verdict store",
	"shared/published":      "answer verdict web text fare store",
	"shared/notify":         "answer verdict store carrier text web fare runtime",
	"shared/architecture":   "",
	"functions/*":           "fare apikey verdict runtime store upstream pay text carrier web answer published notify",
	"functions/*/bootstrap": "*",
	"functions/wiring":      "*",
	"cmd/verdetto":          "*",
	"cmd/lambdalocal":       "*",
	"cmd/verdetto/backtest": "fare verdict notify store",
	"cmd/verdetto/smoke":    "",
	"e2e/fixture":           "*",
	"infra":                 "fare runtime upstream web store cmd/verdetto/smoke",
	"examples/go":           "", // a module of its own

	"functions/analisi": "fare verdict store text web answer published functions/analisi/page " +
		"functions/analisi/reference functions/analisi/scorecard",
	"functions/analisi/*": "fare verdict store text web answer published functions/analisi/page/chart",
	"functions/analisi/agents": "fare verdict text runtime web answer published functions/analisi/page " +
		"functions/analisi/reference",
	"functions/analisi/analisitest": "fare verdict store web answer published functions/analisi",
}

// libraries maps a library, by the prefix of its path, to the folders that may import it.
// Mains may import the AWS SDK to build their adapters.
var libraries = map[string]string{
	"code.dny.dev/ssrf":          "shared/carrier/outbound",
	"github.com/BurntSushi/toml": "shared/text/i18n cmd/verdetto/settings",
	"github.com/aws/aws-cdk-go":  "infra/cdk",
	"github.com/aws/aws-lambda-go": "functions/*/bootstrap functions/wiring shared/runtime/lambdahttp " +
		"shared/runtime/lambdalog shared/runtime/lambdaqueue infra/rollout",
	"github.com/aws/aws-sdk-go-v2": "functions/*/bootstrap functions/wiring cmd infra/preflight infra/rollout " +
		"shared/carrier/mail/sesmail shared/runtime/config/ssmparams shared/runtime/queue/sqsqueue " +
		"shared/store/dynamostore",
	"github.com/aws/constructs-go":   "infra/cdk",
	"github.com/aws/jsii-runtime-go": "infra/cdk",
	"github.com/aws/smithy-go": "infra/preflight shared/carrier/mail/sesmail " +
		"shared/runtime/awscall shared/runtime/config/ssmparams shared/store/dynamostore",
	"github.com/caarlos0/env":           "shared/runtime/config",
	"github.com/danielgtaylor/huma":     "functions/* shared/web/httpapi",
	"github.com/emersion/go-message":    "shared/carrier/mail",
	"github.com/emersion/go-sasl":       "shared/carrier/mail/smtpmail",
	"github.com/emersion/go-smtp":       "shared/carrier/mail/smtpmail",
	"github.com/gagliardetto/solana-go": "shared/pay e2e/fixture shared/runtime/config", // config: base58 alone
	"github.com/go-telegram/bot":        "shared/carrier/telegram",
	"github.com/google/go-cmp": "e2e/fixture shared/notify/notifytest shared/runtime/queue/queuetest " +
		"shared/store/storetest",
	"github.com/google/go-containerregistry": "infra/release/image",
	"github.com/klauspost/compress":          "cmd/verdetto/edge",
	"github.com/andybalholm/brotli":          "cmd/verdetto/edge",
	"github.com/modelcontextprotocol":        "functions/analisi/agents",
	"github.com/nicksnyder/go-i18n":          "shared/text/i18n",
	"github.com/prometheus/client_golang":    "cmd/verdetto/monitor",
	"github.com/santhosh-tekuri/jsonschema":  "e2e/fixture shared/runtime/metrics/metricstest",
	"github.com/spf13":                       "cmd/verdetto",
	"github.com/standard-webhooks":           "shared/notify/webhook",
	"github.com/stripe/stripe-go":            "shared/pay/stripepay",
	"go.etcd.io/bbolt":                       "shared/store/boltstore e2e/fixture",
	"golang.org/x/crypto/acme":               "cmd/verdetto/edge",
	"golang.org/x/image":                     "functions/analisi/page/chart",
	"golang.org/x/term":                      "cmd/verdetto",
	"golang.org/x/text":                      "shared/fare shared/text functions/analisi/page/chart",
	"golang.org/x/time":                      "shared/notify shared/upstream/travelpayouts",
	"rsc.io/qr":                              "functions/pro",
}

// adapters are folders whose packages must not import each other, only packages above and below
// their own.
var adapters = []string{"shared/store", "shared/upstream", "shared/pay", "shared/carrier/mail"}

// onlyMains are the packages that only mains, tests and their own group import.
var onlyMains = strings.Fields("shared/store/boltstore shared/store/dynamostore shared/store/socketstore " +
	"shared/upstream/* " +
	"shared/pay/stripepay shared/pay/solanapay " +
	"shared/carrier/mail/* shared/runtime/queue/sqsqueue shared/runtime/config/ssmparams")

func TestImports(t *testing.T) {
	seen := 0
	used := map[string]bool{}
	eachFile(t, func(folder, file string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		seen++
		for _, name := range importsIn(t, file) {
			if why := refusal(folder, name, used); why != "" {
				t.Errorf("%s imports %s: %s", file, name, why)
			}
		}
	})
	if seen < 100 {
		t.Fatalf("read only %d files: is the root right?", seen)
	}
	for library := range libraries {
		if !used[library] {
			t.Errorf("no package imports %s: remove its row", library)
		}
	}
}

// eachFile calls visit for every Go file of the tree, tests included.
func eachFile(t *testing.T, visit func(folder, file string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && file != root && (strings.HasPrefix(name, ".") ||
			slices.Contains([]string{"dist", "node_modules", "testdata"}, name)) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(name, ".go") {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			visit(path.Dir(filepath.ToSlash(rel)), file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func importsIn(t *testing.T, file string) (names []string) {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

// refusal returns why a folder may not import a path, or "" if it may.
func refusal(folder, name string, used map[string]bool) string {
	inside, ours := strings.CutPrefix(name, module+"/")
	if ours {
		return refusalInside(folder, inside)
	}
	if first, _, _ := strings.Cut(name, "/"); !strings.Contains(first, ".") {
		return "" // standard library
	}
	for library, folders := range libraries {
		if strings.HasPrefix(name, library) {
			used[library] = true
			if !slices.ContainsFunc(strings.Fields(folders), func(f string) bool { return covers(f, folder) }) {
				return "only " + folders + " may"
			}
			return ""
		}
	}
	return "no row of libraries names it"
}

func refusalInside(folder, inside string) string {
	if slices.Contains([]string{"cmd/verdetto", "cmd/lambdalocal", "infra/cdk"}, inside) || path.Base(inside) == "bootstrap" &&
		strings.HasPrefix(inside, "functions/") {
		return "a main is imported by no package"
	}
	if covers("e2e", inside) && !covers("e2e", folder) {
		return "only tests import it"
	}
	for _, a := range adapters {
		if covers(a, folder) && covers(a, inside) && !covers(folder, inside) && !covers(inside, folder) &&
			!strings.HasSuffix(folder, "test") {
			return "adapters do not know each other"
		}
	}
	if !isMain(folder) && groupOf(folder) != groupOf(inside) &&
		slices.ContainsFunc(onlyMains, func(f string) bool { return covers(f, inside) }) {
		return "only mains import an adapter"
	}
	row, found := rowFor(folder)
	if !found {
		return "no row of groups covers " + folder
	}
	if groupOf(folder) == groupOf(inside) && !strings.HasPrefix(folder, "functions/") {
		return ""
	}
	for _, allowed := range strings.Fields(groups[row]) {
		if allowed == "*" && !covers("infra", inside) || allowed == inside || "shared/"+allowed == groupOf(inside) {
			return ""
		}
	}
	return row + " may import " + groups[row]
}

// isMain reports whether a folder connects the parts of a program, or of a test environment.
func isMain(folder string) bool {
	return path.Base(folder) == "bootstrap" || strings.HasSuffix(folder, "test") ||
		slices.ContainsFunc([]string{"cmd", "functions/wiring", "e2e", "infra"}, func(f string) bool { return covers(f, folder) })
}

// groupOf returns the folder at the second level, such as shared/store.
func groupOf(folder string) string {
	parts := strings.SplitN(folder, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// rowFor returns the longest folder of groups that covers a folder.
func rowFor(folder string) (row string, found bool) {
	for pattern := range groups {
		if covers(pattern, folder) && (!found || strings.Count(pattern, "/") > strings.Count(row, "/") ||
			len(pattern) > len(row) && strings.Count(pattern, "/") == strings.Count(row, "/")) {
			row, found = pattern, true
		}
	}
	return row, found
}

// covers reports whether a folder is the pattern's or below it; * stands for one name.
func covers(pattern, folder string) bool {
	want, have := strings.Split(pattern, "/"), strings.Split(folder, "/")
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		if w != "*" && w != have[i] {
			return false
		}
	}
	return true
}

// TestRefuses shows that the check reports each kind of fault.
func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		folder, imports string
		allowed         bool
	}{
		{"shared/fare", "strings", true},
		{"shared/fare", "verdetto/shared/store", false},
		{"shared/verdict", "verdetto/shared/fare", true},
		{"shared/verdict/departure", "verdetto/shared/verdict", true},
		{"shared/verdict", "verdetto/shared/store", false},
		{"shared/store", "go.etcd.io/bbolt", false},
		{"shared/store/boltstore", "go.etcd.io/bbolt", true},
		{"shared/store/boltstore", "verdetto/shared/store/dynamostore", false},
		{"shared/upstream/csvfile", "verdetto/shared/upstream/travelpayouts", false},
		{"shared/carrier/mail", "verdetto/shared/notify", false},
		{"shared/answer", "verdetto/shared/web/httpapi", false},
		{"functions/analisi", "verdetto/shared/store", true},
		{"functions/analisi", "verdetto/shared/store/boltstore", false},
		{"functions/pro", "verdetto/shared/pay/stripepay", false},
		{"functions/analisi", "verdetto/functions/refresh", false},
		{"functions/analisi", "verdetto/functions/analisi/scorecard", true},
		{"functions/analisi/page", "verdetto/functions/analisi", false},
		{"functions/analisi/agents", "verdetto/functions/analisi/page", true},
		{"functions/analisi/agents", "verdetto/functions/analisi", false},
		{"functions/analisi", "github.com/aws/aws-sdk-go-v2/service/dynamodb", false},
		{"functions/analisi/bootstrap", "verdetto/shared/store/dynamostore", true},
		{"functions/analisi/bootstrap", "verdetto/cmd/verdetto", false},
		{"functions/analisi", "verdetto/e2e/fixture", false},
		{"cmd/verdetto", "verdetto/cmd/verdetto/onemachine", true},
		{"cmd/verdetto", "verdetto/e2e/fixture", false},
		{"cmd/verdetto/smoke", "verdetto/shared/fare", false},
		{"e2e/fixture", "verdetto/cmd/verdetto/onemachine", true},
		{"e2e/fixture", "verdetto/infra/cdk", false},
		{"unheard/of", "verdetto/shared/fare", false},
		{"shared/fare", "example.org/unheard", false},
	} {
		if got := refusal(c.folder, c.imports, map[string]bool{}) == ""; got != c.allowed {
			t.Errorf("%s importing %s: allowed %v, want %v", c.folder, c.imports, got, c.allowed)
		}
	}
}

func TestModuleName(t *testing.T) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(mod), "module "+module+"\n") {
		t.Errorf("go.mod does not name the module %s", module)
	}
}
