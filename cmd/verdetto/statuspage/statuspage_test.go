package statuspage_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/statuspage"
	"verdetto/shared/text/i18n"
)

var at = time.Date(2026, 11, 21, 10, 30, 0, 0, time.UTC)

func TestStatus(t *testing.T) {
	const routes = `{"rotte":[{"aggiornatoIl":"2026-11-18T00:00:00Z"},{"aggiornatoIl":"2026-11-20T00:00:00Z"}]}`
	for _, c := range []struct {
		name   string
		routes string
		broken string // a path that fails
		works  bool
		lang   string
		says   []string
		not    string
	}{
		{"well", routes, "", true, "en", []string{"Everything works.", "2026-11-20", "2026-11-21 10:30 UTC", "0 ms"}, `class="no"`},
		{"well, in Italian", routes, "", true, "it", []string{"Tutto funziona.", "2026-11-20"}, `class="no"`},
		{"a part is broken", routes, "/v1/pro/cripta", false, "en", []string{"Something does not work.", `<span class="no">does not answer</span>`}, "Everything"},
		{"old fares", `{"rotte":[{"aggiornatoIl":"2026-11-01T00:00:00Z"}]}`, "", true, "en", []string{"older than they should be"}, "no fares"},
		{"no fares yet", `{"rotte":[]}`, "", true, "en", []string{"no fares yet"}, "older"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == c.broken {
					w.WriteHeader(http.StatusServiceUnavailable)
				}
				if r.URL.Path == "/v1/rotte" {
					_, _ = w.Write([]byte(c.routes))
				}
			}))
			defer s.Close()
			got := statuspage.Ask(t.Context(), s.Client(), s.URL, func() time.Time { return at })
			if got.Works() != c.works {
				t.Errorf("works: %v", got.Works())
			}
			var page bytes.Buffer
			if err := got.Write(&page, i18n.ForCode(c.lang)); err != nil {
				t.Fatal(err)
			}
			text := page.String()
			for _, say := range c.says {
				if !strings.Contains(text, say) {
					t.Errorf("it does not say %q:\n%s", say, text)
				}
			}
			if strings.Contains(text[strings.Index(text, "<h1>"):], c.not) {
				t.Errorf("it says %q:\n%s", c.not, text)
			}
		})
	}
}

// TestNoService: Write also writes a page about a service that does not answer.
func TestNoService(t *testing.T) {
	got := statuspage.Ask(t.Context(), http.DefaultClient, "http://127.0.0.1:1", func() time.Time { return at })
	var page bytes.Buffer
	if err := got.Write(&page, i18n.English()); err != nil {
		t.Fatal(err)
	}
	if got.Works() || strings.Count(page.String(), "does not answer") != len(got.Parts) || len(got.Parts) == 0 {
		t.Errorf("%s", &page)
	}
}
