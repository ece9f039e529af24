package httpapi

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/go-cmp/cmp"

	"verdetto/shared/page"
)

// TestDescriptionOfPagesAndForms: what Huma cannot read from the types is in the description all the same.
func TestDescriptionOfPagesAndForms(t *testing.T) {
	type wanted struct {
		Route string `json:"route"`
	}
	type answer struct {
		Status string `json:"status"`
	}
	type raw struct {
		RawBody []byte `contentType:"application/json"`
	}
	type link struct {
		ID string `query:"id"`
	}
	api := New(Config{Log: slog.New(slog.DiscardHandler)})
	Handle(api, "alerts", Doc{
		Problems: []ProblemType{TooMany}, Raw: true, Takes: wanted{}, Answer: answer{}, Status: http.StatusAccepted, ConsumesQuota: true, Pages: []int{202, 400},
	}, nil, func(context.Context, *raw) (*page.Response, error) { return nil, nil })
	Handle(api, "alerts-confirm-page", Doc{
		Problems: []ProblemType{TooMany}, Pages: []int{200, 400, 410},
	}, nil, func(context.Context, *link) (*page.Response, error) { return nil, nil })

	paths := api.huma.OpenAPI().Paths
	const problem = "application/problem+json"
	ask, confirm := paths["/v1/alerts"].Post, paths["/v1/alerts/confirm"].Get
	for _, c := range []struct {
		name      string
		responses map[string][]string
		want      map[string][]string
	}{
		{"form", types(ask.Responses, "200", "202", "400", "429"), map[string][]string{
			"202": {"application/json", "text/html"}, "400": {problem, "text/html"}, "429": {problem},
		}},
		{"pages", types(confirm.Responses, "200", "202", "400", "410", "429"), map[string][]string{
			"200": {"text/html"}, "400": {"text/html"}, "410": {"text/html"}, "429": {problem},
		}},
	} {
		if diff := cmp.Diff(c.want, c.responses); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if got := slices.Sorted(maps.Keys(ask.RequestBody.Content)); !slices.Equal(got, []string{"application/json", form}) {
		t.Errorf("bodies %v", got)
	}
	for kind, media := range ask.RequestBody.Content {
		if !strings.HasSuffix(media.Schema.Ref, "anted") {
			t.Errorf("%s is described as %+v", kind, media.Schema)
		}
	}
}

// types are the media types of those statuses that are described.
func types(responses map[string]*huma.Response, statuses ...string) map[string][]string {
	all := map[string][]string{}
	for _, status := range statuses {
		if r := responses[status]; r != nil {
			all[status] = slices.Sorted(maps.Keys(r.Content))
		}
	}
	return all
}
