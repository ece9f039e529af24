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

func TestWordsOfFaults(t *testing.T) {
	type in struct {
		Lang string `query:"lang" pattern:"^[a-z]{2}$" patternDescription:"a language's code"`
		Flag bool   `query:"flag"`
		Body struct {
			Email string `json:"email" minLength:"3" maxLength:"20"`
			Sure  string `json:"conferma,omitempty" enum:"si,no"`
			Route string `json:"route,omitempty" pattern:"^[A-Z]$"`
			Of    *struct {
				Name string `json:"name"`
			} `json:"of,omitempty"`
		} `contentType:"application/json"`
	}
	clock := func() time.Time { return now }
	api := httpapi.New(httpapi.Config{Now: clock, Log: slog.New(slog.DiscardHandler),
		Limiter: limit.New(&counters{}, clock)})
	httpapi.JSON(api, "pro-checkout", httpapi.JSONDoc{}, nil,
		func(context.Context, *in) (*out, error) { return &out{}, nil })
	for _, c := range []struct {
		name, query, kind, body string
		fields, detail          string
	}{
		{"missing", "", "json", `{}`, "email", "email is missing."},
		{"missing in a form", "", "x-www-form-urlencoded", `email=`, "email", "email is missing."},
		{"missing further down", "", "json", `{"email":"ada","of":{}}`, "of.name", "of.name is missing."},
		{"not known", "", "json", `{"email":"ada","mail":"ada"}`, "mail", "mail is not a field of this request."},
		{"of another type", "", "json", `{"email":1}`, "email", "email is not a string."},
		{"null where it is required", "", "json", `{"email":null}`, "email", "email is not a string."},
		{"too short", "", "json", `{"email":""}`, "email", "email is shorter than 3 characters."},
		{"too long", "", "json", `{"email":"` + strings.Repeat("a", 21) + `"}`, "email",
			"email is longer than 20 characters."},
		{"not of a list", "", "json", `{"email":"ada","conferma":"x"}`, "conferma", `conferma is not one of "si, no".`},
		{"not of a pattern", "", "json", `{"email":"ada","route":"1"}`, "route",
			"route is not of the pattern ^[A-Z]$."},
		{"not what is described", "?lang=1", "json", `{"email":"ada"}`, "lang", "lang is not a language's code."},
		{"two at once", "?lang=1", "json", `{}`, "lang email", "lang is not a language's code; email is missing."},
		{"the whole body", "", "json", `[]`, "body", "body is not an object."},
		{"no JSON", "", "json", `{`, "body", "body cannot be read: unexpected end of JSON input."},
		{"no boolean", "?flag=x", "json", `{"email":"ada"}`, "flag", "flag is neither yes nor no: send true or false."},
		{"no body", "", "json", ``, "", "request body is required."},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest("POST", "/v1/pro/checkout"+c.query, strings.NewReader(c.body))
			r.Header.Set("Content-Type", "application/"+c.kind)
			w := httptest.NewRecorder()
			api.ServeHTTP(w, r)
			var got httpapi.Problem
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			var fields []string
			for _, f := range got.Errors {
				fields = append(fields, f.Name)
			}
			if w.Code != 400 || strings.Join(fields, " ") != c.fields || got.Detail != c.detail {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}
