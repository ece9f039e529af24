package cli

import (
	"net/http"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
)

// A public service offers the stand-ins for payments only with -money demo.
func TestAPublicServiceOffersNoPlayMoney(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	for _, c := range []struct {
		name         string
		args         []string
		public, demo bool
	}{
		{"on this machine", nil, false, false},
		{"public", []string{"-base", "https://verdetto.example"}, true, false},
		{"a demonstration", []string{"-base", "https://verdetto.example", "-money", "demo"}, true, true},
	} {
		unsold := c.public && !c.demo
		s := d.Serve(append(c.args, "-listen", "127.0.0.1:0", "-upstream", "csv:good.csv", "-now", "2016-03-01")...)
		call := func(method, path, body, accept string) (int, string) {
			answer, text := fixture.Call(t, http.DefaultClient, method, s.URL+path, body, "Content-Type", "application/json", "Accept", accept)
			return answer.StatusCode, text
		}
		const email = `{"email":"ada@example.com"}`
		_, home := call("GET", "/?lang=en", "", "text/html")
		if strings.Contains(home, `href="/v1/pro?`) == unsold || strings.Contains(home, "This is a demonstration") != c.demo || strings.Contains(home, "Emails are not delivered") != c.public {
			t.Errorf("%s: the first page:\n%s", c.name, home)
		}
		_, offer := call("GET", "/v1/pro?lang=en", "", "text/html")
		if strings.Contains(offer, "12.99") == unsold || strings.Contains(offer, "Nothing is sold here") != unsold {
			t.Errorf("%s: the page of the offer:\n%s", c.name, offer)
		}
		for path, method := range map[string]string{"/v1/pro/checkout": "POST", "/v1/pro/cripta": "GET"} {
			body := ""
			if method == "POST" {
				body = email
			}
			status, text := call(method, path, body, "application/json")
			if (status == http.StatusNotFound && strings.Contains(text, "piano-non-offerto")) != unsold {
				t.Errorf("%s: %s: %d %s", c.name, path, status, text)
			}
		}
		if _, index := call("GET", "/v1", "", "application/json"); strings.Contains(index, "/v1/pro/checkout") == unsold {
			t.Errorf("%s: the index: %s", c.name, index)
		}
		if status, text := call("POST", "/v1/pro/recupera", email, "application/json"); status != http.StatusAccepted {
			t.Errorf("%s: recupera: %d %s", c.name, status, text)
		}
		s.End(t)
	}
}
