package httpapi_test

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

type wanted struct {
	Route string `json:"route"`
}

type removal struct {
	Remove *string `json:"remove,omitempty" nullable:"true"`
}

type sure struct {
	Token string `json:"t"`
}

func registerPages(api *httpapi.API) {
	type answer struct {
		Status string `json:"status"`
	}
	type rawJSON struct {
		RawBody []byte `contentType:"application/json"`
	}
	type rawForm struct {
		ID      string `query:"id"`
		RawBody []byte `contentType:"application/x-www-form-urlencoded"`
	}
	type link struct {
		ID string `query:"id"`
	}
	blank := &page.Response{Status: http.StatusOK, ContentType: "text/html"}
	httpapi.JSON(api, "alerts", httpapi.JSONDoc{
		Body: wanted{}, Answer: answer{}, Status: http.StatusAccepted, ConsumesQuota: true, Pages: []int{202, 400},
	}, nil, func(context.Context, *rawJSON) (*page.Response, error) { return blank, nil })
	httpapi.Page(api, "alerts-confirm-page", httpapi.PageDoc{Statuses: []int{200, 400, 410}},
		func(context.Context, *link) (*page.Response, error) { return blank, nil })
	httpapi.Page(api, "alerts-manage", httpapi.PageDoc{Statuses: []int{200, 400}, Form: removal{}},
		func(context.Context, *rawForm) (*page.Response, error) { return blank, nil })
	httpapi.Page(api, "pro-cancella", httpapi.PageDoc{Statuses: []int{200}, Form: sure{}},
		func(context.Context, *rawForm) (*page.Response, error) { return blank, nil })
}

func TestDescriptionOfPagesAndForms(t *testing.T) {
	api := httpapi.New(httpapi.Config{Log: slog.New(slog.DiscardHandler)})
	registerPages(api)
	paths := api.Describe().Paths
	const problem, asJSON, html, form = "application/problem+json", "application/json", "text/html",
		"application/x-www-form-urlencoded"
	ask, confirm, manage := paths["/v1/alerts"].Post, paths["/v1/alerts/confirm"].Get, paths["/v1/alerts/manage"].Post
	for _, c := range []struct {
		name string
		op   *huma.Operation
		want map[string][]string
	}{
		{"JSON, and pages", ask, map[string][]string{
			"202": {asJSON, html}, "400": {problem}, "403": {problem}, "429": {problem},
			"5XX": {problem}}},
		{"a page", confirm, map[string][]string{
			"200": {html}, "400": {problem, html}, "403": {problem}, "410": {html}, "429": {problem},
			"5XX": {problem}}},
		{"a page with a form", manage, map[string][]string{
			"200": {html}, "400": {problem, html}, "403": {problem}, "429": {problem},
			"5XX": {problem}}},
	} {
		got := map[string][]string{}
		for status, r := range c.op.Responses {
			got[status] = slices.Sorted(maps.Keys(r.Content))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	for _, c := range []struct {
		op       *huma.Operation
		required bool
		types    []string
	}{{ask, true, []string{asJSON, form}}, {manage, false, []string{form}},
		{paths["/v1/pro/cancella"].Post, true, []string{form}}} {
		if got := slices.Sorted(maps.Keys(c.op.RequestBody.Content)); !slices.Equal(got, c.types) ||
			c.op.RequestBody.Required != c.required {
			t.Errorf("%s: bodies %v, required %v", c.op.Path, got, c.op.RequestBody.Required)
		}
	}
	if schema := ask.RequestBody.Content[form].Schema; !strings.HasSuffix(schema.Ref, "Wanted") {
		t.Errorf("the form is described as %+v", schema)
	}
	if remove := manage.RequestBody.Content[form].Schema.Properties["remove"]; remove == nil || remove.Nullable {
		t.Errorf("a form cannot write null: %+v", remove)
	}
	if confirm.RequestBody != nil {
		t.Error("a page that is asked for has a body")
	}
}

func TestDescribingChangesNothing(t *testing.T) {
	at := func() time.Time { return now }
	api := httpapi.New(httpapi.Config{Now: at, Log: slog.New(slog.DiscardHandler), Limiter: limit.New(&counters{}, at)})
	registerPages(api)
	httpapi.JSON(api, "analisi", httpapi.JSONDoc{}, nil,
		func(context.Context, *in) (*out, error) { return &out{}, nil })
	answers := func() (all []string) {
		for _, target := range []string{"GET /v1/analisi", "GET /v1/analisi" + wellFormed, "POST /v1/alerts",
			"POST /v1/alerts/manage", "GET /v1/alerts/confirm"} {
			method, path, _ := strings.Cut(target, " ")
			w := httptest.NewRecorder()
			api.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			all = append(all, target+" "+http.StatusText(w.Code)+" "+w.Body.String())
		}
		return all
	}
	describe := func() []byte {
		data, err := httpapi.WriteDescription(api.Describe())
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	before, first := answers(), describe()
	if !bytes.Equal(first, describe()) {
		t.Error("described otherwise the second time")
	}
	if diff := cmp.Diff(before, answers()); diff != "" {
		t.Error(diff)
	}
}

func TestPagesLookAtParametersThemselves(t *testing.T) {
	at := func() time.Time { return now }
	api := httpapi.New(httpapi.Config{Now: at, Log: slog.New(slog.DiscardHandler), Limiter: limit.New(&counters{}, at)})
	registerPages(api)
	for target, status := range map[string]int{
		"POST /v1/alerts":                  400,
		"POST /v1/alerts/manage":           200,
		"POST /v1/alerts/manage?id=a&id=b": 400,
		"POST /v1/alerts/manage?idd=a":     400,
		"POST /v1/alerts/manage?utm_id=a":  200,
		"POST /v1/alerts/manage?id=%01":    200,
	} {
		method, path, _ := strings.Cut(target, " ")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != status {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
}
