package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	standard "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"verdetto/e2e/fixture"
)

func TestHookTest(t *testing.T) {
	t.Parallel()
	d := fixture.NewShell(t)
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	verified, status := 0, http.StatusNoContent
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		check, err := standard.NewWebhook(secret)
		if err == nil && check.Verify(body, r.Header) == nil && strings.Contains(string(body), `"type":"alert.test"`) {
			verified++
		}
		w.WriteHeader(status)
	}))
	defer s.Close()
	test := []string{"hook-test", "-to", s.URL + "/api/webhook/x", "-secret", secret}
	d.Want(1, "VERDETTO_ALLOW_PRIVATE_TARGETS", test...)
	d.Write("house.toml", `VERDETTO_ALLOW_PRIVATE_TARGETS = ["127.0.0.1", "homeassistant.lan"]`)
	test = append(test, "-config", "house.toml")
	d.Want(0, "The endpoint took the event: 204 No Content.", test...)
	status = http.StatusForbidden
	d.Want(1, "403 Forbidden", test...)
	if verified != 2 {
		t.Errorf("%d events are signed, want 2", verified)
	}
}
