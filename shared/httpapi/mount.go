package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"verdetto/shared/routes"
)

// Mount has a plain handler answer routes, for what is no typed call: files, and
// protocols of their own. It is told who calls, as typed handlers are, but it
// counts for itself, with Spend, and says itself how long its answers may be kept.
func (a *API) Mount(h http.Handler, names ...string) {
	var paths []string
	for _, name := range names {
		route := routes.Named(name)
		a.routes[route.Path] = append(a.routes[route.Path], route)
		if !slices.Contains(paths, route.Path) {
			paths = append(paths, route.Path)
		}
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "/") {
			path += "{$}"
		}
		a.mux.Handle(path, h)
	}
}

// Spend counts a call of the caller's cap of a route, as Handle does by itself.
// The error is a Problem where the cap is used up.
func (a *API) ConsumeQuota(ctx context.Context, name string) error {
	return a.count(ctx, routes.Named(name))
}

// Told turns an error of a route into what its caller is told, as Handle does by
// itself: a Problem is told as it is, anything else is logged and told as a
// plain 500 or 503.
func (a *API) ProblemFor(ctx context.Context, name string, err error) *Problem {
	return a.problemFor(ctx, routes.Named(name), err)
}
