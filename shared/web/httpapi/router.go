package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"verdetto/shared/web/routes"
)

type router struct {
	resources map[string]*resource
	folders   map[string]*resource // paths ending in {file}, by the part before {file}
}

type resource struct {
	endpoints       map[string]*endpoint
	methods         []string
	edgeCacheable   bool
	crossOriginPOST bool
	sold            bool
	writeProblem    problemWriter
}

type problemWriter func(http.ResponseWriter, *http.Request, *Problem)

type endpoint struct {
	route   routes.Route
	handler http.Handler
}

type match struct {
	resource *resource // nil if the path is unknown
	endpoint *endpoint // nil if the method is not allowed
	file     string
}

func (m match) name() string {
	if m.endpoint == nil {
		return "unknown"
	}
	return m.endpoint.route.Name
}

func newRouter() *router {
	return &router{resources: map[string]*resource{}, folders: map[string]*resource{}}
}

func (rt *router) add(route routes.Route, h http.Handler, write problemWriter) {
	for _, path := range route.Paths() {
		at := rt.resources
		if folder, ok := strings.CutSuffix(path, "{file}"); ok {
			at, path = rt.folders, folder
		}
		if at[path] == nil {
			at[path] = &resource{endpoints: map[string]*endpoint{}, writeProblem: write}
		}
		at[path].add(&endpoint{route, h})
	}
}

func (r *resource) add(e *endpoint) {
	for _, method := range e.route.Methods() {
		if other := r.endpoints[method]; other != nil {
			panic(fmt.Sprintf("httpapi: both %s and %s are to answer %s %s", other.route.Name, e.route.Name,
				method, e.route.Path))
		}
		r.endpoints[method] = e
		r.methods = append(r.methods, method)
	}
	r.edgeCacheable = r.edgeCacheable || e.route.Edge != routes.Edge{}
	r.sold = r.sold || e.route.Price > 0
	r.crossOriginPOST = r.crossOriginPOST || e.route.CrossOriginPOST
}

func (rt *router) findTrimmed(method, path string) (m match, trimmed string) {
	if m = rt.find(method, path); m.resource == nil {
		if trimmed = strings.TrimRight(path, "/"); trimmed != "" && trimmed != path {
			m = rt.find(method, trimmed)
		}
	}
	return m, trimmed
}

// find compares decoded paths, so %2F counts as a slash.
func (rt *router) find(method, path string) match {
	if r, ok := rt.resources[path]; ok {
		return match{resource: r, endpoint: r.endpoints[method]}
	}
	folder := path[:strings.LastIndexByte(path, '/')+1]
	if r, ok := rt.folders[folder]; ok && path != folder {
		return match{resource: r, endpoint: r.endpoints[method], file: path[len(folder):]}
	}
	return match{}
}

func (rt *router) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := callOf(r.Context())
	if c.file != "" {
		r.SetPathValue("file", c.file)
	}
	c.endpoint.handler.ServeHTTP(w, r)
}

// Handle implements huma.Adapter. Request bodies to pages are optional, because a page itself explains
// what is missing.
func (rt *router) Handle(op *huma.Operation, handler func(huma.Context)) {
	if op.RequestBody != nil && descriptionOf(op).page {
		op.RequestBody.Required = false
	}
	op.Parameters = slices.DeleteFunc(op.Parameters, func(p *huma.Param) bool {
		return slices.Contains(descriptionOf(op).without, p.Name)
	})
	rt.add(routes.Named(op.OperationID), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, faults := renamed(op, r)
		if p := checkParameters(op, r, faults); p != nil {
			p.Write(w, r)
			return
		}
		handler(humago.NewContext(op, r, w))
	}), nil)
}
