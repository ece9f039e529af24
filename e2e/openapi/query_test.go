package openapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/store/storetest"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/routes"
)

var undescribed = map[string][]string{"home": {"quando", "da", "soglia"}}

func TestWrongParameters(t *testing.T) {
	t.Parallel()
	clock := storetest.NewClock()
	clock.Add(fixture.Today.Sub(clock.Now()))
	s := fixture.OpenShop(t, fixture.Bolt(t, clock.Now), clock)
	operations := map[string][]string{}
	for _, op := range newDescriber(t).operations() {
		operations[op.OperationID] = []string{}
		for _, p := range op.Parameters {
			if p.In == "query" {
				operations[op.OperationID] = append(operations[op.OperationID], p.Name)
			}
		}
	}
	calls := 0
	for _, r := range routes.Table {
		if r.Function == "compat" || r.Path == "/mcp" {
			continue // protocols with rules of their own
		}
		path, names := strings.ReplaceAll(r.Path, "{file}", "x"), slices.Concat(operations[r.Name], undescribed[r.Name])
		refused := func(query, name, says string) {
			t.Helper()
			calls++
			a := s.Do(r.Method, path+"?"+query, "")
			var p httpapi.Problem
			if err := json.Unmarshal([]byte(a.Body), &p); r.Method != http.MethodHead && err != nil {
				t.Fatalf("%s?%s: %v: %.200s", path, query, err, a.Body)
			}
			i := slices.IndexFunc(p.Errors, func(f httpapi.Fault) bool { return f.Name == name })
			if a.Status != http.StatusBadRequest || i < 0 || !strings.Contains(p.Errors[i].Detail, says) {
				t.Errorf("%s %s?%s: %d %s, want %s %s", r.Method, path, query, a.Status, a.Body, name, says)
			}
			if left := a.Header.Get("X-RateLimit-Remaining"); left != "" {
				t.Errorf("%s %s?%s counts: %s left", r.Method, path, query, left)
			}
		}
		refused("adulti=4", "adulti", "is not a parameter")
		for _, name := range names {
			if name == "q" || name == "t" || name == "a" || name == "da" {
				continue // without the first letter, the name is empty or that of another parameter
			}
			refused(name[1:]+"=2027-02-12", name[1:], "the nearest name is "+name)
		}
		if len(names) > 0 && r.Name != "home" { // the page reports repeated parameters in its own way
			refused(url.Values{names[0]: {"a", "b"}}.Encode(), names[0], "is given 2 times")
		} else {
			refused("adulti=4&adulti=5", "adulti", "is not a parameter")
		}
		shared := "?utm_source=x&fbclid=y&gclid=z"
		kept := r.Edge != routes.Edge{}
		if a := s.Do(r.Method, path+shared, ""); strings.Contains(a.Body, "utm_source is not") != kept {
			t.Errorf("%s %s%s: %d %s, and the edge shares it: %v", r.Method, path, shared, a.Status, a.Body, kept)
		}
	}
	if calls < 3*60 {
		t.Errorf("only %d calls were made", calls)
	}
	t.Logf("%d calls with a wrong parameter", calls)
}
