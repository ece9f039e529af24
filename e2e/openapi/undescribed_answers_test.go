package openapi

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
)

func TestUndescribedAnswersAreSeen(t *testing.T) {
	t.Parallel()
	h := fixture.New(t, onemachine.Options{
		Table: fixture.Observed(t, 400, fixture.Today), Source: fixture.Fares(nil),
		Now: func() time.Time { return fixture.Today },
	}).API
	d := fixture.ReadDescription(t)
	for _, spoil := range []struct {
		name, target string
		how          func(status *int, header http.Header, body *string)
		want         string
	}{
		{"nothing", fixture.Question, func(*int, http.Header, *string) {}, ""},
		{"nothing of a problem", "/v1/analisi", func(*int, http.Header, *string) {}, ""},
		{"nothing under the alias", "/api" + fixture.Question, func(*int, http.Header, *string) {}, ""},
		{"nothing elsewhere", "/v1/nothing", func(*int, http.Header, *string) {}, ""},
		{"status", fixture.Question, func(status *int, _ http.Header, _ *string) { *status = 203 },
			"status that is not described"},
		{"content type", fixture.Question, func(_ *int, h http.Header, _ *string) {
			h.Set("Content-Type",
				"text/plain")
		}, "text/plain is not described"},
		{"no content type", fixture.Question,
			func(_ *int, h http.Header, _ *string) { h.Del("Content-Type") }, "cannot be read"},
		{"no JSON", fixture.Question, func(_ *int, _ http.Header, b *string) { *b = "<html>" }, "no JSON"},
		{"no body", fixture.Question, func(_ *int, _ http.Header, b *string) { *b = "" }, "no JSON"},
		{"a field too many", fixture.Question, func(_ *int, _ http.Header, b *string) { *b = `{"more":1,` + (*b)[1:] },
			"additional properties 'more'"},
		{"a field too few", fixture.Question,
			func(_ *int, _ http.Header, b *string) { *b = strings.Replace(*b, `"valuta":"EUR",`, "", 1) },
			"missing property 'valuta'"},
		{"a field of another type", fixture.Question,
			func(_ *int, _ http.Header, b *string) { *b = strings.Replace(*b, `"valuta":"EUR"`, `"valuta":1`, 1) },
			"got number, want string"},
		{"a level that does not exist", fixture.Question, func(_ *int, _ http.Header, b *string) {
			*b = regexp.MustCompile(`"livello":"[a-z-]+"`).ReplaceAllString(*b, `"livello":"regalato"`)
		}, "value must be one of"},
		{"a time that is none", fixture.Question, func(_ *int, _ http.Header, b *string) {
			*b = regexp.MustCompile(`"aggiornatoIl":"[^"]+"`).ReplaceAllString(*b, `"aggiornatoIl":"yesterday"`)
		}, "not valid date-time"},
		{"an unknown code", "/v1/analisi", func(_ *int, _ http.Header, b *string) {
			*b = strings.ReplaceAll(*b, "richiesta-non-valida", "altro")
		}, "value must be one of"},
		{"a problem elsewhere without its code", "/v1/nothing", func(_ *int, _ http.Header, b *string) {
			*b = strings.Replace(*b, `"code"`, `"other"`, 1)
		}, "missing property 'code'"},
		{"a header too many", "/v1/analisi", func(_ *int, h http.Header, _ *string) {
			h.Set("WWW-Authenticate",
				"ApiKey")
		}, "Www-Authenticate, which is not described"},
		{"a header too few", fixture.Question, func(_ *int, h http.Header, _ *string) { h.Del("X-RateLimit-Limit") },
			"lacks the header X-RateLimit-Limit"},
		{"no lifetime", fixture.Question, func(_ *int, h http.Header, _ *string) { h.Del("Cache-Control") },
			"lacks the header Cache-Control"},
		{"a header that is no number", fixture.Question,
			func(_ *int, h http.Header, _ *string) { h.Set("X-RateLimit-Reset", "soon") }, "no integer"},
		{"a plan that does not exist", fixture.Question,
			func(_ *int, h http.Header, _ *string) { h.Set("X-Plan", "gold") }, "want one of"},
		{"a success of no operation", "/v1/nothing", func(status *int, _ http.Header, _ *string) { *status = 200 },
			"belongs to no operation"},
	} {
		t.Run(spoil.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			r := httptest.NewRequest("GET", spoil.target, nil)
			h.ServeHTTP(w, r)
			status, body := w.Code, w.Body.String()
			spoil.how(&status, w.Header(), &body)
			got := d.Fault("GET", r.URL.Path, status, w.Header(), []byte(body))
			if spoil.want == "" && got != "" || !strings.Contains(got, spoil.want) {
				t.Errorf("it says %q, want %q", got, spoil.want)
			}
		})
	}
}
