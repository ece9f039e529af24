package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestForeignForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, site, origin string
		direct, behind     bool
	}{
		{"a mail client", "", "", false, false},
		{"our page", "same-origin", "https://verdetto.example", false, false},
		{"our page in an old browser", "", "https://origin.example", false, false},
		{"another site", "cross-site", "https://evil.example", true, true},
		{"another site in an old browser", "", "https://evil.example", true, false},
		{"another host of our domain", "same-site", "https://evil.verdetto.example", true, true},
	} {
		for _, api := range []*API{{}, {origins: make([][32]byte, 1)}} {
			r := httptest.NewRequest(http.MethodPost, "https://origin.example/v1/alerts", http.NoBody)
			if c.site != "" {
				r.Header.Set("Sec-Fetch-Site", c.site)
			}
			if c.origin != "" {
				r.Header.Set("Origin", c.origin)
			}
			want := c.direct
			if len(api.origins) > 0 {
				want = c.behind
			}
			if got := api.foreign(r) != nil; got != want {
				t.Errorf("%s, behind a distribution: %t: refused: %t", c.name, len(api.origins) > 0, got)
			}
		}
	}
}
