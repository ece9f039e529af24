package openapi

import (
	"net/http"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
)

// People paste keys and mail addresses into unknown paths.
func TestUnknownPathsAreNotLogged(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	for _, path := range []string{"/v1/analisi/ada@example.com", "/api/v1/pro/conferma/cs_test_secret",
		"/vd_" + strings.Repeat("a", 65)} {
		if a := s.Do(http.MethodGet, path, ""); a.Status != 404 {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
	logged := s.Log.String()
	for _, personal := range []string{"ada@", "cs_test_secret", "vd_aaa"} {
		if strings.Contains(logged, personal) {
			t.Errorf("the log holds %s:\n%s", personal, logged)
		}
	}
}

func TestEscapedSlash(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	for _, p := range []string{"/v1%2Fanalisi?origine=Milano&destinazione=Roma",
		"/v1/%61nalisi?origine=Milano&destinazione=Roma", "/api/v1/pro%2Fcripta",
		"/v1/pro/../analisi", "//v1/analisi"} {
		a := s.Do("GET", p, "")
		t.Logf("%s: %d %s %.80s", p, a.Status, a.Header.Get("Content-Type"), a.Body)
		if a.Status != 200 && a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s", p, a.Status, a.Body)
		}
	}
}
