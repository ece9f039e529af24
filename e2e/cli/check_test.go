package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
)

const goodSettings = `
VERDETTO_STORE = "bolt:verdetto.db"
VERDETTO_UPSTREAM = "travelpayouts"
VERDETTO_BASE_URL = "https://verdetto.example"
VERDETTO_MONEY = "real"
VERDETTO_CALLS_A_DAY = 5000
VERDETTO_OPERATOR_EMAIL = "help@verdetto.example"
TRAVELPAYOUTS_TOKEN = "0123456789abcdef"
STRIPE_KEY_FILE = "stripe-key"
STRIPE_PRICE = "price_1Example"
STRIPE_WEBHOOK_SECRETS = ["whsec_first", "whsec_second"]
SOLANA_NODES = "https://node.example/key"
SOLANA_WALLET = "6PCANXw778iMrBzLUVK4c9q6Xc2X9oRUCvLoa4tfsLWG"
`

var mistakes = []struct {
	name  string
	flags []string
	file  string // a line that is added to goodSettings, or replaces the line with the same name
	names string
	mend  string
}{
	{"a name that is mistyped", nil, `VERDETTO_LISTENN = "127.0.0.1:8080"`, "VERDETTO_LISTENN",
		"was VERDETTO_LISTEN meant?"},
	{"an unknown name", nil, `MAIL_SERVER = "x"`, "MAIL_SERVER", "docs/configuration.md lists all"},
	{"a port alone", nil, `VERDETTO_LISTEN = "8080"`, "VERDETTO_LISTEN", "such as 127.0.0.1:8080"},
	{"a port that is none", nil, `VERDETTO_METRICS = "127.0.0.1:99999"`, "VERDETTO_METRICS", "such as 127.0.0.1:9464"},
	{"metrics where callers are", []string{"-listen", "127.0.0.1:8080"}, `VERDETTO_METRICS = "127.0.0.1:8080"`,
		"VERDETTO_METRICS", "choose another address"},
	{"a URL without a scheme", nil, `VERDETTO_BASE_URL = "verdetto.example"`, "VERDETTO_BASE_URL",
		"such as https://verdetto.example"},
	{"a URL with a slash at the end", nil, `VERDETTO_BASE_URL = "https://verdetto.example/"`, "VERDETTO_BASE_URL",
		"without a slash at the end"},
	{"a store without its kind", nil, `VERDETTO_STORE = "verdetto.db"`, "VERDETTO_STORE",
		"bolt:FILE or dynamodb:TABLE"},
	{"a store in no folder", nil, `VERDETTO_STORE = "bolt:nowhere/verdetto.db"`, "VERDETTO_STORE", "make the folder"},
	{"an unknown source", nil, `VERDETTO_UPSTREAM = "amadeus"`, "VERDETTO_UPSTREAM",
		"sample, csv:FILE or travelpayouts"},
	{"a panel that is not there", nil, `VERDETTO_UPSTREAM = "csv:gone.csv"`, "VERDETTO_UPSTREAM",
		"give the path of a panel"},
	{"invented fares for real money", nil, `VERDETTO_UPSTREAM = "sample"`, "VERDETTO_UPSTREAM",
		"set travelpayouts or csv:FILE"},
	{"a budget that is no number", nil, `VERDETTO_CALLS_A_DAY = "20k"`, "VERDETTO_CALLS_A_DAY", "0 for no limit"},
	{"a value of another kind", nil, `VERDETTO_MONEY = true`, "VERDETTO_MONEY", `write NAME = "value"`},
	{"money of another kind", nil, `VERDETTO_MONEY = "monopoly"`, "VERDETTO_MONEY", "demo or real"},
	{"play money for strangers", nil, `VERDETTO_MONEY = "play"`, "VERDETTO_MONEY", "demo, with which every page says"},
	{"a publishable key", nil, `STRIPE_KEY = "pk_live_topsecret"`, "STRIPE_KEY", "begins with sk_ or rk_"},
	{"a secret twice", nil, "STRIPE_KEY = \"sk_live_topsecret\"\nSTRIPE_KEY_FILE = \"stripe-key\"", "STRIPE_KEY",
		"leave one of them out"},
	{"a secret's file that is not there", nil, `STRIPE_KEY_FILE = "gone"`, "STRIPE_KEY_FILE",
		"put the value into that file"},
	{"a secret's file that is empty", nil, `STRIPE_KEY_FILE = "empty"`, "STRIPE_KEY_FILE", "put the value into it"},
	{"a file for what is no secret", nil, `STRIPE_PRICE_FILE = "price"`, "STRIPE_PRICE_FILE", "set STRIPE_PRICE"},
	{"one bad secret of two", nil, `STRIPE_WEBHOOK_SECRETS = ["whsec_first", "topsecret"]`,
		"STRIPE_WEBHOOK_SECRETS: value 2", "whsec_..."},
	{"an address of another chain", nil, `SOLANA_WALLET = "0x52908400098527886E0F7030069857D2E4169EE7"`,
		"SOLANA_WALLET", "32 bytes in base 58"},
	{"the stand-in for a wallet", nil, `SOLANA_WALLET = "` + onemachine.StandInWallet + `"`, "SOLANA_WALLET",
		"nobody has its key"},
	{"a program for a wallet", nil, `SOLANA_WALLET = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"`, "SOLANA_WALLET",
		"nobody has its key"},
	{"a token that nobody filled in", nil, `TRAVELPAYOUTS_TOKEN = "YOUR-TOKEN"`, "TRAVELPAYOUTS_TOKEN",
		"still a placeholder"},
	{"a node without TLS", nil, `SOLANA_NODES = "http://node.example/topsecret"`, "SOLANA_NODES", "https"},
	{"a price with a comma", nil, `VERDETTO_PRICE_USDC = "12,99"`, "VERDETTO_PRICE_USDC", "such as 12.99"},
	{"an address with a name", nil, `VERDETTO_OPERATOR_EMAIL = "Help <help@verdetto.example>"`,
		"VERDETTO_OPERATOR_EMAIL", "a bare email address"},
	{"a pepper that is short", nil, `VERDETTO_PEPPER = "topsecret"`, "VERDETTO_PEPPER", "32 characters or more"},
	{"mail into a file", nil, `VERDETTO_MAIL = "stripe-key"`, "VERDETTO_MAIL", "give a folder"},
	{"a domain that is an address", nil, `VERDETTO_TLS = "192.0.2.1"`, "VERDETTO_TLS", "such as verdetto.example"},
	{"one bad domain of two", nil, `VERDETTO_TLS = ["verdetto.example", "*.verdetto.example"]`, "VERDETTO_TLS",
		"lead to this machine"},
	{"an issuer without TLS", nil, `VERDETTO_ACME = "http://issuer.example/dir"`, "VERDETTO_ACME",
		"the https URL of an ACME directory"},
	{"a port alone for plain HTTP", nil, `VERDETTO_HTTP = "80"`, "VERDETTO_HTTP", "such as :80"},
	{"everybody a proxy", nil, `VERDETTO_BEHIND = "0.0.0.0/0"`, "VERDETTO_BEHIND", "never all addresses"},
	{"a mail server without a sender", nil, `VERDETTO_MAIL = "smtp://mail.example:587"`, "VERDETTO_MAIL_FROM",
		"missing; give a sender"},
	{"a mail server without TLS", nil,
		"VERDETTO_MAIL = \"smtp://mail.example:25?tls=off\"\nVERDETTO_MAIL_FROM = \"mail@verdetto.example\"",
		"VERDETTO_MAIL", "only a server on this machine"},
	{"a password in the address", nil,
		"VERDETTO_MAIL = \"smtp://ada:topsecret@mail.example\"\nVERDETTO_MAIL_FROM = \"mail@verdetto.example\"",
		"VERDETTO_MAIL", "VERDETTO_SMTP_PASSWORD_FILE"},
	{"a name without a password", nil,
		"VERDETTO_MAIL = \"smtp://mail.example\"\nVERDETTO_MAIL_FROM = \"mail@verdetto.example\"\nVERDETTO_SMTP_USER " +
			"= \"ada\"", "VERDETTO_SMTP_USER", "give both"},
	{"a password twice", nil, "VERDETTO_SMTP_PASSWORD = \"topsecret\"\nVERDETTO_SMTP_PASSWORD_FILE = \"stripe-key\"",
		"VERDETTO_SMTP_PASSWORD", "leave one of them out"},
	{"SES without a sender", []string{"-mail", "ses"}, "", "VERDETTO_MAIL_FROM", "missing; give a sender"},
	{"a flag", []string{"-log", "xml"}, "", "-log", "text or json"},
}

func settingsFile(lines string) string {
	text := ""
	for line := range strings.Lines(goodSettings) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if base := strings.TrimSuffix(name, "_FILE"); name == "" || !strings.Contains("\n"+lines, "\n"+base+" ") &&
			!strings.Contains("\n"+lines, "\n"+base+"_FILE ") || strings.HasPrefix(lines, "STRIPE_PRICE_FILE") {
			text += line
		}
	}
	return text + lines + "\n"
}

func checkShell(t *testing.T) fixture.Shell {
	d := fixture.NewShell(t)
	d.Write("stripe-key", "sk_live_topsecret\n")
	d.Write("empty", "\n")
	d.Write("price", "price_1Example")
	return d
}

func TestCheckNamesEachMistake(t *testing.T) {
	t.Parallel()
	d := checkShell(t)
	d.Write("good.toml", goodSettings)
	good := d.Run("check", "-config", "good.toml")
	if good.Code != 0 || strings.Contains(good.Stdout, "topsecret") || strings.Contains(good.Stdout, "whsec_") {
		t.Errorf("good settings: exit code %d\n%s%s", good.Code, good.Stdout, good.Stderr)
	}
	fixture.Has(t, "stdout", good.Stdout, "VERDETTO_CALLS_A_DAY       5000, by good.toml", "(secret), by stripe-key",
		"the settings are right")
	if len(mistakes) < 20 {
		t.Errorf("only %d mistakes", len(mistakes))
	}
	for i, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			d.Write("bad.toml", settingsFile(m.file))
			got := d.Run(append([]string{"check", "-config", "bad.toml"}, m.flags...)...)
			lines := strings.Split(strings.TrimSpace(got.Stdout), "\n")
			if got.Code != 1 || len(lines) != 1 || !strings.HasPrefix(lines[0], m.names) ||
				!strings.Contains(lines[0], m.mend) {
				t.Errorf("exit code %d, want one line on %s with %q:\n%s%s", got.Code, m.names, m.mend, got.Stdout,
					got.Stderr)
			}
			if strings.Contains(got.Stdout+got.Stderr, "topsecret") {
				t.Errorf("a secret is shown: %s", got.Stdout)
			}
			if i%8 > 0 {
				return
			}
			serve := d.Run(append([]string{"serve", "-config", "bad.toml"}, m.flags...)...)
			if serve.Code != 1 || !strings.Contains(serve.Stderr, lines[0]) {
				t.Errorf("serve: exit code %d, want %q:\n%s", serve.Code, lines[0], serve.Stderr)
			}
			if _, made := d.Files()["verdetto.db"]; made {
				t.Error("a store was made")
			}
		})
	}
}

func TestCheckNamesAllAtOnce(t *testing.T) {
	t.Parallel()
	d := checkShell(t)
	var lines []string
	var want []string
	seen := map[string]bool{}
	for _, m := range mistakes {
		name, _, _ := strings.Cut(m.file, " ")
		if base := strings.TrimSuffix(name, "_FILE"); name != "" && len(m.flags) == 0 &&
			strings.Count(m.file, "\n") == 0 && !seen[base] && !strings.Contains(m.name, "invented") {
			seen[base] = true
			lines, want = append(lines, m.file), append(want, m.names)
		}
	}
	d.Write("bad.toml", strings.Join(lines, "\n"))
	if err := os.Chmod(filepath.Join(d.Dir, "bad.toml"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := d.Run("check", "-config", "bad.toml")
	if got.Code != 1 || len(want) < 15 {
		t.Errorf("exit code %d of %d mistakes", got.Code, len(want))
	}
	fixture.Has(t, "stdout", got.Stdout, append(want, "chmod o-r bad.toml",
		"read its secrets, SOLANA_NODES, STRIPE_KEY, STRIPE_WEBHOOK_SECRETS, TRAVELPAYOUTS_TOKEN, VERDETTO_PEPPER;")...)
	if !strings.Contains(got.Stderr, "settings are wrong") || strings.Contains(got.Stdout, "topsecret") {
		t.Errorf("%s", got.Stderr)
	}
}

func TestCheckPlaces(t *testing.T) {
	t.Parallel()
	d := checkShell(t)
	d.Write("some.toml", "VERDETTO_LISTEN = \"127.0.0.1:1\"\nVERDETTO_LOG = \"json\"\nVERDETTO_MAIL = \"post\"\n")
	d.Write("real.toml", `VERDETTO_MONEY = "real"`)
	d.Write("broken.toml", "VERDETTO_LOG = \"json\"\nVERDETTO_MAIL = post\n")
	run := func(environment []string, args ...string) (string, int) {
		t.Helper()
		c := d.Command(t.Context(), append([]string{"check"}, args...)...)
		c.Env = append(c.Env, environment...)
		out, _ := c.CombinedOutput()
		return string(out), c.ProcessState.ExitCode()
	}
	output, code := run([]string{"VERDETTO_LISTEN=127.0.0.1:2", "VERDETTO_LOG=text"}, "-config", "some.toml", "-log",
		"json")
	if code != 0 {
		t.Errorf("exit code %d\n%s", code, output)
	}
	fixture.Has(t, "what is set", output, "127.0.0.1:2, by the environment", "json, by flag -log", "post, by some.toml")
	for _, c := range []struct {
		name        string
		environment []string
		config      string
		says        []string
	}{
		{"nothing for real money", nil, "real.toml", []string{"STRIPE_KEY: missing", "STRIPE_PRICE: missing",
			"STRIPE_WEBHOOK_SECRETS: missing", "SOLANA_NODES: missing", "SOLANA_WALLET: missing",
			"VERDETTO_BASE_URL: missing", "VERDETTO_STORE: missing", "VERDETTO_UPSTREAM", "8 settings are wrong"}},
		{"no TOML", nil, "broken.toml", []string{"broken.toml, line 2", `write NAME = "value"`}},
		{"no file", nil, "gone.toml", []string{"gone.toml", "no such file"}},
		{"a folder", nil, ".", []string{"is a directory"}},
		{"mistyped in the environment", []string{"VERDETTO_LISEN=127.0.0.1:1"}, "",
			[]string{"VERDETTO_LISEN", "was VERDETTO_LISTEN meant? (in the environment)"}},
		{"named by the environment", []string{"VERDETTO_CONFIG=real.toml"}, "", []string{"STRIPE_KEY: missing"}},
		{"wrong in the environment", []string{"TRAVELPAYOUTS_TOKEN=two words"}, "",
			[]string{"TRAVELPAYOUTS_TOKEN: its value, which is not shown"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"-config", c.config}
			if c.config == "" {
				args = nil
			}
			output, code := run(c.environment, args...)
			if code != 1 || strings.Contains(output, "two words") {
				t.Errorf("exit code %d\n%s", code, output)
			}
			fixture.Has(t, "what is said", output, c.says...)
		})
	}
}

func TestCheckComparesTheSource(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"/aviasales/v3/get_latest_prices": `{"success":true,"currency":"eur","data":[{"origin":"MIL",
			"destination":"LON","depart_date":"2026-12-01","value":20,"number_of_changes":0,
			"found_at":"2026-11-20T10:00:00Z","trip_class":0}]}`,
		"/aviasales/v3/grouped_prices": `{"success":true,"currency":"eur","data":{"2026-12-01":{"origin":"MIL",
			"destination":"LON","departure_at":"2026-12-01T06:00:00+01:00","price":20,"transfers":0,"link":"/search/x",
			"origin_airport":"BGY","destination_airport":"STN","airline":"FR","duration":125}}}`,
		"/data/en/cities.json": `[{"code":"MIL","has_flightable_airport":true}]`,
	}
	var status, calls atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte(bodies[r.URL.Path]))
	}))
	defer server.Close()
	d := checkShell(t)
	d.Write("source.toml", goodSettings+"TRAVELPAYOUTS_URL = \""+server.URL+"\"\n")
	for code, want := range map[int32]struct {
		exit int
		says []string
	}{
		http.StatusOK:           {0, []string{"answers in the form that this version reads"}},
		http.StatusUnauthorized: {1, []string{"TRAVELPAYOUTS_TOKEN"}},
		http.StatusBadGateway:   {0, []string{"could not be compared"}},
	} {
		status.Store(code)
		calls.Store(0)
		d.Want(0, "the settings are right", "check", "-config", "source.toml")
		if calls.Load() > 0 {
			t.Errorf("status %d: %d calls without -source", code, calls.Load())
		}
		got := d.Run("check", "-source", "-config", "source.toml")
		if got.Code != want.exit {
			t.Errorf("status %d: exit code %d, want %d", code, got.Code, want.exit)
		}
		fixture.Has(t, "output", got.Stdout+got.Stderr, want.says...)
	}
	status.Store(http.StatusOK)
	for path, body := range bodies {
		bodies[path] = strings.Replace(body, `"airline"`, `"carrier"`, 1)
	}
	got := d.Run("check", "-source", "-config", "source.toml")
	fixture.Has(t, "output", got.Stdout+got.Stderr, "airline is missing", `"carrier" is new`)
	if got.Code != 1 {
		t.Errorf("exit code %d after differences", got.Code)
	}
}
