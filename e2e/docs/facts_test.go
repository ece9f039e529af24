package docs

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/functions/refresh"
	"verdetto/shared/fare"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/routes"
)

var update = flag.Bool("update", false, "write the tables of settings and packages")

var (
	variable      = regexp.MustCompile(`env:"([A-Z0-9_]+)|(?:Getenv|LookupEnv)\("([A-Z0-9_]+)"\)`)
	settingsTable = regexp.MustCompile(`(?s)\| variable \|.*?\n\n`)
)

func TestVectorOfWebhooks(t *testing.T) {
	m := regexp.MustCompile("(?s)secret `(whsec_[^`]+)`.*?```json\n(.*?)\n```.*?webhook-id: (\\S+)\nwebhook-timestamp: (\\d+)\nwebhook-signature: (\\S+)").
		FindStringSubmatch(read(t, "docs/alerts.md"))
	if m == nil {
		t.Fatal("there is no test vector")
	}
	at, err := strconv.ParseInt(m[4], 10, 64)
	header, failed := webhook.Sign(m[3], time.Unix(at, 0), []byte(m[2]), m[1])
	if err != nil || failed != nil || header.Get("Webhook-Signature") != m[5] {
		t.Errorf("signature %s, want %s; %v %v", m[5], header.Get("Webhook-Signature"), err, failed)
	}
}

func TestConfiguration(t *testing.T) {
	used := map[string]bool{}
	fixture.Walk(t, func(path string) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "e2e/script/") {
			return
		}
		for _, m := range variable.FindAllStringSubmatch(read(t, path), -1) {
			if name := m[1] + m[2]; !slices.Contains([]string{"PATH", "HOME", "DOCKER_HOST", "VERDETTO_DATA", "CI",
				"VERDETTO_CONFIG", "VERDETTO_URL", "NO_COLOR", "TERM"}, name) && !strings.HasPrefix(name, "AWS_") {
				used[name] = true
			}
		}
	})
	if len(used) < 20 {
		t.Fatalf("only %d variables were found: %v", len(used), used)
	}
	settings := map[string]bool{}
	for _, s := range config.Settings {
		if settings[s.Name] = true; s.Flag != "" {
			used[s.Name] = true
		}
	}
	if diff := gocmp.Diff(used, settings); diff != "" {
		t.Errorf("variables (-code +config.Settings):\n%s", diff)
	}
	const file = "docs/configuration.md"
	is := read(t, file)
	want := settingsTable.ReplaceAllLiteralString(is, settingsRows()+"\n")
	if *update {
		if err := os.WriteFile(filepath.Join(root, file), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := gocmp.Diff(want, is); diff != "" {
		t.Errorf("%s (-settings +document): run this test with -update\n%s", file, diff)
	}
}

func settingsRows() string {
	var b strings.Builder
	b.WriteString("| variable | flag | read by | value | use | default |\n|---|---|---|---|---|---|\n")
	for _, s := range config.Settings {
		flag, value, without := "", s.Give, s.Without
		if s.List {
			value += ", separated by commas"
		}
		if s.Secret {
			value = "secret: " + value
		}
		if s.Flag != "" {
			flag = "`-" + s.Flag + "`"
		}
		if s.Default != "" {
			without = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", s.Name, flag, s.ReadBy, value, s.Note, cmp.Or(without, "none"))
	}
	return b.String()
}

func TestEndpoints(t *testing.T) {
	text := read(t, "docs/api.md")
	for _, r := range routes.Table {
		if !strings.Contains(text, r.Path+"`") && !strings.Contains(text, r.Path+"?") {
			t.Errorf("docs/api.md lacks %s %s", r.Method, r.Path)
		}
	}
}

var decision = regexp.MustCompile("(?m)^\\| ([^|]+) \\| \\[[^]]+\\]\\(([^)]+)\\) \\| `([^`]+)` \\|$")

func TestWhereItIsDecided(t *testing.T) {
	rows := decision.FindAllStringSubmatch(read(t, "ARCHITECTURE.md"), -1)
	for _, row := range rows {
		if !strings.Contains(read(t, row[2]), row[3]) {
			t.Errorf("%s: %s has no %q", row[1], row[2], row[3])
		}
	}
	if len(rows) < 15 {
		t.Errorf("only %d rows were found", len(rows))
	}
}

func TestReadme(t *testing.T) {
	text := read(t, "README.md")
	if !strings.Contains(text, "```\nmake run\nmake test\n```") {
		t.Error("README.md does not begin with the two commands that do everything")
	}
	_, rest, _ := strings.Cut(text, "```json\n")
	shown, _, found := strings.Cut(rest, "```")
	var want, got map[string]any
	if err := json.Unmarshal([]byte(shown), &want); err != nil || !found {
		t.Fatalf("README.md shows no answer: %v", err)
	}
	if err := json.Unmarshal([]byte(answer(t, "/v1/analisi?origine=Milano&destinazione=Lisbona")), &got); err != nil {
		t.Fatal(err)
	}
	for field := range got {
		if _, ok := want[field]; !ok && slices.Contains([]string{"mesiPerConvenienza", "aggiornatoIl", "luoghi", "quartili"},
			field) {
			delete(got, field)
		}
	}
	if diff := gocmp.Diff(got, want); diff != "" {
		t.Errorf("the answer of README.md (-service +README):\n%s", diff)
	}
}

func answer(t *testing.T, path string) string {
	t.Helper()
	w := httptest.NewRecorder()
	invented(t).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	if w.Code != http.StatusOK {
		t.Fatal(fmt.Sprint(w.Code, w.Body))
	}
	return w.Body.String()
}

func invented(t *testing.T) http.Handler {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC) }
	table := fixture.Unlimited{Table: fixture.Bolt(t, now)}
	r := refresh.Refresher{Source: sample.New(), Fares: store.Fares{Table: table}, Now: now,
		Rates: ecb.Table().RatesOn(fare.DayOf(now()))}
	if report, err := r.Run(t.Context(), "MIL"); err != nil || report.Failed > 0 {
		t.Fatalf("refresh: %+v, %v", report, err)
	}
	return fixture.New(t, onemachine.Options{Table: table, Now: now}).API
}

var documentedCall = regexp.MustCompile("(?:https?://[a-zA-Z0-9.:]+|[ `('\"|])((?:/api)?/(?:v1|card|feed)/[^\\s`\"'<>)|{]*|/\\?da=[^\\s`\"'<>)|]*)")

func TestCalls(t *testing.T) {
	service, made := invented(t), 0
	values := map[string]string{"origine": "Milano", "destinazione": "Bucarest", "destinazioni": "Bucarest,Londra", "q": "mila"}
	for path, text := range fixture.Documents(t) {
		if strings.HasPrefix(path, "e2e/") { // the calls in documents of e2e are about other days
			continue
		}
		for _, m := range documentedCall.FindAllStringSubmatch(strings.ReplaceAll(text, "&amp;", "&"), -1) {
			call, err := url.Parse(m[1])
			query := call.Query()
			query.Del("page") // the value of page comes from a previous answer
			for name := range query {
				if query.Get(name) == "" {
					query.Set(name, values[name])
				}
			}
			isToken := query.Has("t") || query.Has("id") || query.Has("session_id") || query.Has("email") // values from a mail or a purchase
			isFile := regexp.MustCompile(`^/(card|feed)/.*\.`).MatchString(call.Path)
			if err != nil || isToken || len(query) == 0 && !isFile {
				continue
			}
			call.RawQuery = query.Encode()
			w := httptest.NewRecorder()
			service.ServeHTTP(w, httptest.NewRequest(http.MethodGet, call.String(), nil))
			if made++; w.Code != http.StatusOK {
				t.Errorf("%s shows %s: %d %.300s", path, m[1], w.Code, w.Body)
			}
		}
	}
	if made < 20 {
		t.Errorf("only %d calls were found", made)
	}
}
