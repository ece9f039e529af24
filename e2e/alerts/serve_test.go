// Package alerts holds end-to-end tests of alerts. They follow an alert from the request to the
// mail, over HTTP and in the running command serve. Some tests kill the process in between.
package alerts

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
)

// The test starts no worker: serve itself must send the mails.
func TestServeAlerts(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	mails := filepath.Join(t.TempDir(), "mail")
	s := d.Serve("-now", "2016-03-01T12:00:00Z", "-mail", mails)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: time.Minute}
	load := func(method, target string, form url.Values) (int, string) {
		t.Helper()
		response, body := fixture.Call(t, browser, method, target, form.Encode(), "Accept", "text/html", "Accept-Language", "en",
			"Content-Type", fixture.Form)
		if response.Header.Get("X-Data") != "sample" {
			t.Errorf("%s %s is not marked as sample data", method, target)
		}
		return response.StatusCode, body
	}
	action := regexp.MustCompile(`action="([^"]+)"`)

	if status, page := load("POST", s.URL+"/v1/alerts",
		url.Values{"route": {"MIL-BUH"}, "email": {"ada@example.com"}, "threshold": {""}}); status != 202 {
		t.Fatal(status, page)
	}
	all := fixture.Mail(t, mails, fixture.Any)
	if len(all) != 1 {
		t.Fatalf("%d mails", len(all))
	}
	link := regexp.MustCompile(regexp.QuoteMeta(s.URL) + `/v1/alerts/confirm\?id=\S+`).FindString(all[0].Text)
	status, page := load("GET", link, nil)
	button := action.FindStringSubmatch(page)
	if status != 200 || button == nil {
		t.Fatal(status, page)
	}
	if status, page = load("POST", s.URL+button[1], url.Values{}); status != 200 ||
		!strings.Contains(page, "Your alert is on") {
		t.Fatal(status, page)
	}
	manage := regexp.MustCompile(`href="(/v1/alerts/manage[^"]+)"`).FindStringSubmatch(page)
	if manage == nil {
		t.Fatal(page)
	}
	if status, page = load("GET", s.URL+manage[1], nil); status != 200 || !strings.Contains(page, "Milan–Bucharest") {
		t.Fatal(status, page)
	}
	if status, page = load("POST", s.URL+action.FindStringSubmatch(page)[1],
		url.Values{"all": {"1"}}); status != 200 || !strings.Contains(page, "You have no alerts left") {
		t.Fatal(status, page)
	}
	if here, err := url.Parse(s.URL); err != nil || len(jar.Cookies(here)) > 0 {
		t.Error("there are cookies", err)
	}
	s.Stop(t)
	_, id, _ := strings.Cut(link, "id=")
	_, token, _ := strings.Cut(manage[1], "t=")
	for _, secret := range []string{"example.com", id, token} {
		if strings.Contains(s.Stderr.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, s.Stderr)
		}
	}
}
