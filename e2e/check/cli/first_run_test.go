package cli

import (
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/fare/places"
	"verdetto/shared/text/i18n"
	"verdetto/shared/upstream/upstreamtest"
)

type operator struct {
	t       *testing.T
	shell   fixture.Shell
	source  *upstreamtest.Server
	server  fixture.Server
	once    string
	session string // the address to which the one-time address redirects
}

func firstRun(t *testing.T, d fixture.Shell) *operator {
	t.Helper()
	source := fixture.Upstream(t)
	o := &operator{t: t, shell: d, source: source}
	o.begin()
	return o
}

func (o *operator) begin() {
	o.t.Helper()
	o.server, o.once = o.shell.FirstRun([]string{"TRAVELPAYOUTS_URL=" + o.source.URL}, "-listen",
		"127.0.0.1:"+testenv.Port(o.t))
}

var direct = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func call(t *testing.T, method, address, body string, header ...string) (status int, to, text string) {
	t.Helper()
	if method == http.MethodPost {
		header = append(header, "Content-Type", fixture.Form)
	}
	response, text := fixture.Call(t, direct, method, address, body, header...)
	if location, err := response.Location(); err == nil {
		to = location.String()
	}
	return response.StatusCode, to, html.UnescapeString(text)
}

func (o *operator) open() {
	o.t.Helper()
	status, to, text := call(o.t, "GET", o.once, "", "Sec-Fetch-Site", "none")
	if status != http.StatusSeeOther {
		o.t.Fatalf("%d %s", status, text)
	}
	o.session = to + "?lang=en"
	o.reads("Set up Verdetto")
}

func (o *operator) reads(texts ...string) string {
	o.t.Helper()
	status, _, page := call(o.t, "GET", o.session, "")
	if status != http.StatusOK {
		o.t.Errorf("status %d", status)
	}
	fixture.Has(o.t, "the page", page, texts...)
	return page
}

// If the parameter says is empty, send expects a redirect.
func (o *operator) send(says, do string, fields ...string) {
	o.t.Helper()
	values := url.Values{"do": {do}}
	for i := 0; i < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	at, err := url.Parse(o.once)
	if err != nil {
		o.t.Fatal(err)
	}
	status, to, page := call(o.t, "POST", o.session, values.Encode(), "Origin", "http://"+at.Host, "Sec-Fetch-Site",
		"same-origin")
	if says == "" {
		if status != http.StatusSeeOther || to != o.session {
			o.t.Errorf("%s %q: %d %s\n%s", do, fields, status, to, page)
		}
		return
	}
	if status != http.StatusUnprocessableEntity || strings.Count(page, says) != 1 {
		o.t.Errorf("%s %q: %d, want %q once in\n%s", do, fields, status, says, page)
	}
}

func fault(id string, fill ...any) string { return i18n.English().Text("setup.fault."+id, fill...) }

var verdictHead = regexp.MustCompile(`<article class="verdict (ottimo|buono|normale|caro)`)

var verdictLink = regexp.MustCompile(`class="go" href="(http://127\.0\.0\.1:[^"]*)"`)

func (o *operator) ends() {
	o.t.Helper()
	o.server.Answers(o.t)
	page := ""
	for !strings.Contains(page, "Your first verdict") {
		page = o.reads()
	}
	link := verdictLink.FindStringSubmatch(page)
	if link == nil || !strings.HasPrefix(link[1], o.server.URL+"/?") || !strings.Contains(link[1], "quando=") {
		o.t.Fatalf("%q does not lead to %s: %s", link, o.server.URL, page)
	}
	status, _, verdict := call(o.t, "GET", link[1], "", "Accept", "text/html")
	if status != http.StatusOK || !verdictHead.MatchString(verdict) {
		o.t.Errorf("the page of the verdict: %d %s", status, verdict)
	}
}

func TestFirstRun(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	o := firstRun(t, d)
	o.open()
	o.send(fault("token_empty"), "token", "token", " \n")
	o.send(fault("token_long"), "token", "token", strings.Repeat("x", 201))
	o.send(fault("token_form"), "token", "token", "two words")
	o.send(fault("token_form"), "token", "token", "schlüssel")
	o.send(fault("token_refused"), "token", "token", "wrong-token")
	calls := len(o.source.Calls())
	for _, c := range []struct {
		id     string
		answer upstreamtest.Fault
	}{{"token_refused", upstreamtest.Fault{Status: 403}}, {"limited", upstreamtest.TooMany("Retry-After", "60")},
		{"source", upstreamtest.Broken(503)}, {"source", upstreamtest.Broken(500)},
		{"source", upstreamtest.Garbled("<html>Sign in to this network</html>")}, {"source", upstreamtest.Garbled("")}} {
		o.source.Fail(c.answer)
		o.send(fault(c.id), "token", "token", upstreamtest.Token)
	}
	if n := len(o.source.Calls()) - calls; n != 6 {
		t.Errorf("6 checks made %d calls", n)
	}
	o.send("", "token", "token", " "+upstreamtest.Token+"\n")
	if _, page := o.reads("Which cities do you fly from?"), d.Files(); len(page) != 1 {
		t.Errorf("something is stored before the end: %q", page)
	}
	o.send(fault("city_none"), "start")
	o.send(fault("city_unknown", "Name", "Qqqqqqqqqq"), "add", "city", "Qqqqqqqqqq")
	o.send("There is no city called “Milna”. Did you mean", "add", "city", "Milna")
	o.send("", "add", "city", "Milan, rome")
	o.send(fault("city_twice", "Name", "Milan"), "add", "city", "MXP")
	o.send("", "remove ROM")
	o.send("", "add", "city", "Paris\n")
	if err := os.WriteFile(filepath.Join(d.Dir, "verdetto.toml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o.send(fault("exists", "File", filepath.Join(d.Dir, "verdetto.toml")), "start")
	d.Remove("verdetto.toml")
	o.send("", "start", "city", "LON")
	o.ends()
	if status, _, _ := call(t, "GET", o.session, ""); status != http.StatusGone {
		t.Errorf("after the end the page answers %d", status)
	}
	o.server.End(t)
	info, err := os.Stat(filepath.Join(d.Dir, "verdetto.toml"))
	if err != nil || info.Mode() != 0o600 {
		t.Fatalf("the settings file: %v %v", info, err)
	}
	fixture.Has(t, "the settings", d.Files()["verdetto.toml"], `VERDETTO_ORIGINS = ["MIL", "PAR", "LON"]`,
		`VERDETTO_STORE = "bolt:`+d.Dir+`/verdetto.db"`, `VERDETTO_UPSTREAM = "travelpayouts"`,
		`TRAVELPAYOUTS_TOKEN = "`+upstreamtest.Token+`"`)
	d.Env = []string{"TRAVELPAYOUTS_URL=" + o.source.URL}
	d.Want(0, "the settings are right", "check")
	again := d.ServeWith(nil, "-listen", "127.0.0.1:0")
	status, _, page := call(t, "GET", again.URL+"/v1/rotte?origine=Milano", "")
	if status != http.StatusOK || !strings.Contains(page, `"MIL"`) {
		t.Errorf("the service started again: %d %s", status, page)
	}
	again.End(t)
	for _, c := range o.source.Calls() {
		if origin := regexp.MustCompile(`origin=(\w+)`).FindStringSubmatch(c.Query); c.Query != "" &&
			!strings.Contains("MIL PAR LON", origin[1]) {
			t.Errorf("the source was asked for %s", c.Query)
		}
	}
}

func TestFirstRunWithoutAToken(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	o := firstRun(t, d)
	o.open()
	o.send("", "sample")
	o.ends()
	o.server.End(t)
	d.LeftNothing()
	if files := d.Files(); len(files) != 2 || files["mail"] == "" || len(o.source.Calls()) > 0 {
		t.Errorf("stored: %q; %d calls", files, len(o.source.Calls()))
	}
}

func TestFirstRunRefused(t *testing.T) {
	t.Parallel()
	o := firstRun(t, fixture.NewShell(t))
	at, err := url.Parse(o.once)
	if err != nil {
		t.Fatal(err)
	}
	if at.Hostname() != "127.0.0.1" || len(at.Path) < 1+26 { // 26 characters of base 32 hold 130 bits
		t.Errorf("the address is %s", o.once)
	}
	host := "http://" + at.Host
	for name, header := range map[string][]string{
		"a foreign host": {"Host", "attacker.example"}, "another port": {"Host", "127.0.0.1:1"},
		"localhost by name":      {"Host", "localhost:" + at.Port()},
		"a link of another page": {"Sec-Fetch-Site", "cross-site"}, "another port's page": {"Sec-Fetch-Site", "same-site"},
		"a script of another page": {"Origin", "http://attacker.example"},
		"a frame":                  {"Sec-Fetch-Site", "none", "Sec-Fetch-Dest", "iframe"}, "a prefetch": {"Sec-Purpose", "prefetch"},
	} {
		if status, _, text := call(t, "GET", o.once, "", header...); status < 400 || strings.Contains(text, "<") {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	for _, address := range []string{host, host + "/wrong", o.once + "x", o.once + "/"} {
		if status, _, _ := call(t, "GET", address, ""); status != http.StatusNotFound {
			t.Errorf("%s: %d", address, status)
		}
	}
	o.open()
	if status, _, text := call(t, "GET", o.once, "", "Accept-Language", "en"); status != http.StatusGone ||
		!strings.Contains(text, "This address no longer works") {
		t.Errorf("opened twice: %d %s", status, text)
	}
	for name, header := range map[string][]string{
		"a form of another page": {"Origin", "http://attacker.example"}, "a form of no page": nil,
		"a form of a sandboxed page": {"Origin", "null"},
		"a foreign site":             {"Origin", host, "Sec-Fetch-Site", "cross-site"},
		"a foreign host":             {"Origin", host, "Host", "attacker.example"},
	} {
		if status, _, _ := call(t, "POST", o.session, "do=sample", header...); status < 400 {
			t.Errorf("%s: %d", name, status)
		}
	}
	if status, _, _ := call(t, "PUT", o.session, "", "Origin", host); status != http.StatusMethodNotAllowed {
		t.Errorf("PUT: %d", status)
	}
	if status, _, _ := call(t, "POST", o.session, "do=token&token="+strings.Repeat("x", 20_000), "Origin",
		host); status != http.StatusBadRequest {
		t.Errorf("a long form: %d", status)
	}
	response, err := direct.Get(o.session)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "Cache-Control": "no-store",
		"Cross-Origin-Resource-Policy": "same-origin", "Access-Control-Allow-Origin": ""} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	fixture.Has(t, "the policy", response.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'", "default-src 'none'")
	o.reads("Set up Verdetto")
	o.server.End(t)
}

func TestFirstRunInterrupted(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	o := firstRun(t, d)
	o.open()
	o.send("", "token", "token", upstreamtest.Token)
	o.server.End(t)
	if files := d.Files(); len(files) != 1 {
		t.Errorf("stored: %q", files)
	}
	o.begin()
	o.open()
	o.send("", "token", "token", upstreamtest.Token)
	until := make(chan struct{})
	o.source.Fail(upstreamtest.Slow(until))
	o.send("", "start", "city", "Milano")
	o.server.Answers(t)
	o.reads("Collecting the first fares", filepath.Join(d.Dir, "verdetto.toml"))
	o.server.Kill(t)
	close(until)
	d.Env = []string{"TRAVELPAYOUTS_URL=" + o.source.URL}
	again := d.ServeWith(nil, "-listen", "127.0.0.1:0")
	for status := 0; status != http.StatusOK; {
		status, _, _ = call(t, "GET", again.URL+"/v1/rotte?origine=Milano", "")
	}
	again.End(t)
}

func someCities(n int) (codes []string) {
	for city := range places.Cities() {
		if codes = append(codes, string(city)); len(codes) == n {
			break
		}
	}
	return codes
}

func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		testenv.Missing(t, "root, to mount a small disk", "run the test as root")
	}
	folder := filepath.Join(t.TempDir(), "disk")
	if out, err := exec.Command("sh", "-c", fmt.Sprintf(
		"mkdir %[1]s && mount -t tmpfs -o size=64k verdetto-test %[1]s", folder)).CombinedOutput(); err != nil {
		t.Skipf("mount a small disk: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", folder).Run() })
	return folder
}

func fill(t *testing.T, folder string) {
	t.Helper()
	if err := exec.Command("sh", "-c", "cat /dev/zero >"+folder+"/ballast; true").Run(); err != nil {
		t.Fatal(err)
	}
}

func larger(t *testing.T, folder string) {
	t.Helper()
	if out, err := exec.Command("mount", "-o", "remount,size=64m", folder).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestFirstRunFaults(t *testing.T) {
	t.Parallel()
	t.Run("a busy port", func(t *testing.T) {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		got := fixture.NewShell(t).Want(1, "address already in use", "serve", "-listen", taken.Addr().String())
		fixture.Has(t, "stderr", got.Stderr, "choose another with -listen")
		if got.Stdout != "" {
			t.Errorf("questions before the fault: %s", got.Stdout)
		}
	})
	t.Run("no network", func(t *testing.T) {
		o := firstRun(t, fixture.NewShell(t))
		o.open()
		o.source.Close()
		o.send(fault("network"), "token", "token", upstreamtest.Token)
		o.server.End(t)
	})
	t.Run("too many cities", func(t *testing.T) {
		o := firstRun(t, fixture.NewShell(t))
		o.open()
		o.send("", "token", "token", upstreamtest.Token)
		o.send(fault("city_many", "Most", 100), "add", "city", strings.Join(someCities(101), ","))
		o.reads("Remove")
		o.server.End(t)
	})
	t.Run("a source that falls silent", func(t *testing.T) {
		o := firstRun(t, fixture.NewShell(t))
		o.open()
		o.send("", "token", "token", upstreamtest.Token)
		o.source.Fail(upstreamtest.Fault{Status: 401})
		o.send("", "start", "city", "Milano")
		o.server.Answers(t)
		for !strings.Contains(o.reads(), fault("token_refused")) {
		}
		o.reads("The service tries again by itself.")
		o.server.End(t)
	})
	t.Run("a full disk", func(t *testing.T) {
		d := fixture.NewShell(t)
		d.Dir = smallDisk(t)
		o := firstRun(t, d)
		o.open()
		o.send("", "token", "token", upstreamtest.Token)
		fill(t, d.Dir)
		o.send(fault("disk"), "start", "city", "Milano")
		d.Remove("ballast")
		if files := d.Files(); len(files) != 0 {
			t.Errorf("left behind: %q", files)
		}
		o.send("", "start")
		o.server.Answers(t)
		o.server.Kill(t)
	})
	t.Run("a folder that cannot be written", func(t *testing.T) {
		d := fixture.NewShell(t)
		o := firstRun(t, d)
		o.open()
		o.send("", "token", "token", upstreamtest.Token)
		gone := d.Dir + "-gone"
		if err := os.Rename(d.Dir, gone); err != nil {
			t.Fatal(err)
		}
		o.send(fault("unwritable", "File", filepath.Join(d.Dir, "verdetto.toml")), "start", "city", "Milano")
		if err := os.Rename(gone, d.Dir); err != nil {
			t.Fatal(err)
		}
		o.send("", "start")
		o.ends()
		o.server.End(t)
	})
}
