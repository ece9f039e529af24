package edge

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/web/page"
	"verdetto/shared/web/routes"
)

func TestWhatTheEdgeKeepsDependsOnItsKey(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	table := fixture.Bolt(t, clock.Now)
	o := onemachine.Options{Table: table, Source: sample.New(), Now: clock.Now, Log: slog.New(slog.DiscardHandler)}
	if _, err := o.Refresh(t.Context(), nil, "PSA"); err != nil {
		t.Fatal(err)
	}
	h := fixture.Described(t, fixture.New(t, onemachine.Options{Table: table, Source: sample.New(), Now: clock.Now,
		BaseURL: fixture.LocalURL}).API)
	files := map[string]string{"card": "PSA-LON-it.png", "feed": "PSA-it.atom", "sitemap-file": "PSA.xml",
		"assets": strings.TrimPrefix(page.Asset("home.js"), "/assets/")}
	asked := map[string]string{"price-trends": "origin=PSA&currency=eur", "citta": "q=pis", "occasioni": "origine=Pisa",
		"calendario": "origine=Pisa&destinazione=Londra"}
	seen := 0
	for _, r := range routes.Table {
		if r.Edge == (routes.Edge{}) || r.Method != http.MethodGet {
			continue
		}
		// CloudFront compresses answers itself. X-Api-Key and Authorization are part of the cache
		// key, unless the endpoint ignores both headers.
		inKey := []string{"Accept-Encoding", "X-Api-Key", "Authorization"}
		for _, path := range r.Paths() {
			seen++
			var first *httptest.ResponseRecorder
			for _, caller := range []http.Header{
				{}, {"Accept": {"text/html"}, "Accept-Language": {"en"}},
				{"Accept": {"application/json"}, "Accept-Language": {"it"}},
				{"Origin": {"https://elsewhere.example"}, "Cookie": {"a=b"}, "User-Agent": {"another"}},
			} {
				request := httptest.NewRequest(http.MethodGet,
					strings.ReplaceAll(path, "{file}", files[r.Name])+"?"+asked[r.Name], nil)
				request.Header = caller
				w := httptest.NewRecorder()
				h.ServeHTTP(w, request)
				if w.Code != http.StatusOK {
					t.Fatalf("%s: %d %s: what is not kept shows nothing", path, w.Code, w.Body)
				}
				for _, names := range w.Header().Values("Vary") {
					for name := range strings.SplitSeq(names, ",") {
						if !slices.Contains(inKey, http.CanonicalHeaderKey(strings.TrimSpace(name))) {
							t.Errorf("%s varies with %s, which is not in its key at the edge", path, name)
						}
					}
				}
				if first == nil {
					first = w
				} else if w.Code != first.Code || w.Body.String() != first.Body.String() {
					t.Errorf("%s answers %d %.80s to %v, and %d %.80s to others", path, w.Code, w.Body, caller,
						first.Code, first.Body)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("the edge keeps nothing")
	}
}
