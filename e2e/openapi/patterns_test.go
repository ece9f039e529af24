package openapi

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/e2e/fixture"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
)

func publishedPattern(t *testing.T, steps ...any) *regexp.Regexp {
	t.Helper()
	data, err := os.ReadFile(fixture.Path(t, fixture.DescriptionFile))
	if err == nil {
		data, err = httpapi.ExpandDescription(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	var node any
	if err := json.Unmarshal(data, &node); err != nil {
		t.Fatal(err)
	}
	for _, step := range steps {
		switch step := step.(type) {
		case string:
			node = node.(map[string]any)[step]
		case int:
			node = node.([]any)[step]
		}
	}
	return publishedRegexp(t, node.(string))
}

// Go's regular expressions do not know the escape \u0000, so publishedRegexp writes \x{0000}.
func publishedRegexp(t *testing.T, pattern string) *regexp.Regexp {
	t.Helper()
	compiled, err := regexp.Compile(regexp.MustCompile(`\\u([0-9a-f]{4})`).ReplaceAllString(pattern, `\x{$1}`))
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func TestEmailPattern(t *testing.T) {
	t.Parallel()
	required := publishedPattern(t, "components", "schemas", "CheckoutInputBody", "properties", "email", "pattern")
	optional := publishedPattern(t, "paths", "/v1/pro/cripta", "get", "parameters", 0, "schema", "pattern")
	for _, email := range []string{
		"ada@example.com", "ADA@EXAMPLE.COM", "a.b.c@d.e.example", "a+b@example.com", "!#$%&'*+-/?=^_`{|}~@example.com",
		"=?utf-8?q?x?=@example.com", "a=?b@example.com", "a==?b@example.com", "a=.?b@example.com", "?=@example.com",
		"=@example.com", "a=b=@example.com", "a=?@example.com",
		"ada@xn--bcher-kva.example", "1@2.co", "a@b-c.example", strings.Repeat("a", 64) + "@example.com",
		"a@" + strings.Repeat("b", 63) + ".com", "a@b.c9",
		"", "ada", "@", "ada@", "@example.com", "ada@example", "ada@.com", "ada@example..com", "ada@example.com.",
		".ada@example.com", "ada.@example.com",
		"a..b@example.com", "a@b@example.com", "a b@example.com", "ada@-b.com", "ada@b-.com", "ada@b_c.com",
		"ada@127.0.0.1", "ada@[127.0.0.1]", "ada@b.c",
		"\"ada\"@example.com", "Ada <ada@example.com>", "ada@example.com\n", "\nada@example.com", "ada@example.c0m-",
		"àda@example.com", "ada@exàmple.com",
		"a@" + strings.Repeat("b", 64) + ".com", "(ada)@example.com", "ada@example.1com", "a,b@example.com",
	} {
		// The service also accepts domains in other scripts and white space around an address,
		// which the pattern does not allow.
		stored, err := mail.ParseAddress(email)
		if err == nil && !strings.EqualFold(stored, email) {
			err = errors.New("not as it is stored")
		}
		if got := required.MatchString(email); got != (err == nil) {
			t.Errorf("%q: the pattern says %v, the service %v", email, got, err)
		}
		if got := optional.MatchString(email); got != (err == nil || email == "") {
			t.Errorf("%q where there need be none: the pattern says %v, the service %v", email, got, err)
		}
	}
}

func TestTextPattern(t *testing.T) {
	t.Parallel()
	now := func() time.Time { return fixture.Today }
	h := fixture.Instance(t, fixture.Bolt(t, now), fixture.Fares(nil), now)
	for parameter, pattern := range map[string]*regexp.Regexp{
		"analisi?destinazione=Roma&origine=": publishedPattern(t, "paths", "/v1/analisi", "get", "parameters", 0,
			"schema", "pattern"),
		"rotte?origine=": publishedPattern(t, "paths", "/v1/rotte", "get", "parameters", 0, "schema", "pattern"),
	} {
		for _, text := range []string{"Milano", "São Paulo", "  x  ", "", " ", "\t", "\u00a0", "\u3000", "a\tb",
			"a\x00", "\n", "a\nb", "\x7f", "\u0085", "a\u009fb", "東京", "'; --", "%", "\u200b", "\U0001F600"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", "/v1/"+parameter+url.QueryEscape(text), nil))
			if got, want := pattern.MatchString(text), w.Code != 400; got != want {
				t.Errorf("%s%q: the pattern says %v, the service %d", parameter, text, got, w.Code)
			}
		}
	}
}

func TestTokenPattern(t *testing.T) {
	t.Parallel()
	pattern := publishedPattern(t, "components", "schemas", "WaitInputBody", "properties", "t", "pattern")
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	for _, token := range []string{
		"000102030405060708090a0b0c0d0e0f", "000102030405060708090A0B0C0D0E0f", "", "0", strings.Repeat("0", 31),
		strings.Repeat("0", 33), strings.Repeat("0", 64),
		strings.Repeat("g", 32), strings.Repeat("0", 32) + "\n", " " + strings.Repeat("0", 31),
		strings.Repeat("\u0660", 16), strings.Repeat("\u0660", 32),
	} {
		a := s.Do("POST", "/v1/pro/cripta/attesa", fixture.Object("email", "ada@example.com", "t", token))
		if got := pattern.MatchString(token); got != (a.Status == 200) {
			t.Errorf("%q: the pattern says %v, the service %d %s", token, got, a.Status, a.Body)
		}
	}
}

// A form also sends the fields that its user left empty, so an optional parameter may be empty.
func TestWhatMayBeLeftOutMayBeEmpty(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, op := range newDescriber(t).operations() {
		for _, p := range op.Parameters {
			if p.In != "query" || p.Required || p.Schema == nil || p.Schema.Type != "string" || len(p.Schema.Enum) > 0 {
				continue
			}
			checked++
			if p.Schema.MinLength != nil && *p.Schema.MinLength > 0 || p.Schema.Pattern != "" &&
				!publishedRegexp(t, p.Schema.Pattern).MatchString("") {
				t.Errorf("%s: %s may be left out and not be empty: %q", op.OperationID, p.Name, p.Schema.Pattern)
			}
		}
	}
	if checked < 20 {
		t.Errorf("%d parameters were looked at", checked)
	}
}
