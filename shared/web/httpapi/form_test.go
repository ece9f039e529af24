package httpapi_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

func TestForms(t *testing.T) {
	type in struct {
		Body struct {
			Email string `json:"email" maxLength:"20"`
			Note  string `json:"note,omitempty"`
		} `contentType:"application/json"`
	}
	type out struct {
		Body struct {
			Got string `json:"got"`
		}
	}
	now := func() time.Time { return time.Date(2016, 3, 1, 12, 0, 0, 0, time.UTC) }
	api := httpapi.New(httpapi.Config{Now: now, Log: slog.New(slog.DiscardHandler),
		Limiter: limit.New(&counters{}, now)})
	for _, name := range []string{"pro-checkout", "pro-ruota"} {
		httpapi.JSON(api, name, httpapi.JSONDoc{}, nil, func(_ context.Context, in *in) (*out, error) {
			o := &out{}
			o.Body.Got = in.Body.Email + "|" + in.Body.Note
			return o, nil
		})
	}
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name, path, kind, body string
		status                 int
		want                   string
	}{
		{"form", "/v1/pro/checkout", form, "email=ada%40example.com&note=", 200, "ada@example.com|"},
		{"form with a charset", "/api/v1/pro/checkout", form + "; charset=utf-8",
			"email=a%2Bb&note=x+y", 200, "a+b|x y"},
		{"JSON as before", "/v1/pro/checkout", "application/json", `{"email":"ada"}`, 200, "ada|"},
		{"nothing", "/v1/pro/checkout", form, "", 400, "email"},
		{"a field twice", "/v1/pro/checkout", form, "email=a&email=b", 400, "email is given 2 times"},
		{"a field that is not known", "/v1/pro/checkout", form, "email=a&other=b", 400, "other"},
		{"checked as JSON is", "/v1/pro/checkout", form, "email=" + strings.Repeat("a", 21), 400, "email"},
		{"bad escape", "/v1/pro/checkout", form, "email=%zz", 400, "cannot be read"},
		{"JSON as curl -d sends it", "/v1/pro/checkout", form, ` {"email":"ada"}`, 400,
			"Content-Type is " + form + ": send the body as JSON, with Content-Type: application/json."},
		{"JSON as curl -d sends it, where forms are not taken", "/v1/pro/chiave/ruota", form, `{"email":"ada"}`, 400,
			"Content-Type is " + form},
		{"text", "/v1/pro/checkout", "text/plain", `{"email":"ada"}`, 400, "Content-Type is text/plain: send"},
		{"too large", "/v1/pro/checkout", form, "email=" + strings.Repeat("a", httpapi.MaxBody), 400, "too large"},
		{"where forms are not taken", "/v1/pro/chiave/ruota", form, "email=a", 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", c.path, strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.kind)
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			var got struct{ Got, Detail string }
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != c.status ||
				!strings.Contains(got.Got+got.Detail, c.want) {
				t.Errorf("%d %s %v", w.Code, w.Body, err)
			}
		})
	}
}
