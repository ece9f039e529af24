package languages

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"verdetto/e2e/fixture"
	"verdetto/shared/text/i18n"
)

var (
	canonical = regexp.MustCompile(`<link rel="canonical" href="([^"]+)">`)
	alternate = regexp.MustCompile(`<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">`)
)

func TestAlternates(t *testing.T) {
	r := openToy(t)
	for _, path := range []string{"/", "/?da=Milano&a=Bucarest", "/?da=Milano", "/v1/pro", "/v1/termini", "/v1/privacy",
		"/v1/contatti", "/v1/note-legali"} {
		visit := func(address, language string) (itself string, all map[string]string) {
			address = strings.TrimPrefix(address, fixture.LocalURL)
			a := r.Do("GET", address, "", "Accept", "text/html", "Accept-Language", language)
			if a.Status != 200 || !strings.Contains(a.Body,
				fmt.Sprintf("<html lang=%q>", language)) && address == path {
				t.Fatalf("%s: %d", address, a.Status)
			}
			all = map[string]string{}
			for _, m := range alternate.FindAllStringSubmatch(a.Body, -1) {
				if all[m[1]] != "" || !strings.HasPrefix(m[2], fixture.LocalURL+"/") {
					t.Errorf("%s: %s is at %s", address, m[1], m[2])
				}
				all[m[1]] = html.UnescapeString(m[2])
			}
			links := canonical.FindAllStringSubmatch(a.Body, -1)
			if len(links) != 1 {
				t.Fatalf("%s: %d canonical addresses", address, len(links))
			}
			shown := regexp.MustCompile(`<html lang="(\w+)">`).FindStringSubmatch(a.Body)
			if itself = html.UnescapeString(links[0][1]); all[shown[1]] != itself {
				t.Errorf("%s: canonical is %s, in its language it is %s", address, itself, all[shown[1]])
			}
			return itself, all
		}
		_, first := visit(path, "en")
		if len(first) != len(i18n.Languages())+1 || first["x-default"] == "" {
			t.Errorf("%s: %v", path, first)
		}
		for language, address := range first {
			itself, all := visit(address, i18n.Default().Code)
			if language != "x-default" && itself != address {
				t.Errorf("%s in %s: canonical is %s", address, language, itself)
			}
			if diff := cmp.Diff(first, all); diff != "" {
				t.Errorf("%s names others than %s:\n%s", address, path, diff)
			}
		}
	}
}
