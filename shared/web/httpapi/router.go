package httpapi

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"verdetto/shared/web/routes"
)

// router finds the endpoint of a request. It is asked once for each, by the
// first middleware; all others, and the router itself as the last of them, go by
// the match that is carried in the request's context.
type router struct {
	resources map[string]*resource // by path
	folders   map[string]*resource // paths that end in {file}: by what stands before it
}

// resource is a path and the endpoints that answer there, each to methods of its own.
type resource struct {
	endpoints map[string]*endpoint // by method, HEAD among them
	methods   []string             // those that are answered, in the order of registration
	// edgeCacheable: the edge may keep what is answered here. What it keeps is for
	// every caller of its cache key, of which the Accept header is no part.
	edgeCacheable bool
	// crossOriginPOST: scripts in pages of any site may post to it.
	crossOriginPOST bool
	// sold: its answers are paid one by one, in headers of their own.
	sold bool
	// writeProblem, where set, writes problems in a form of their own.
	writeProblem problemWriter
}

type problemWriter func(http.ResponseWriter, *http.Request, *Problem)

type endpoint struct {
	route   routes.Route
	handler http.Handler
}

// match is what was found for a method and a path.
type match struct {
	resource *resource // nil: nothing answers at the path
	endpoint *endpoint // nil: nothing answers the method there
	file     string    // what {file} stands for
}

// name is the endpoint's in the table; of what nothing answers, unknown.
func (m match) name() string {
	if m.endpoint == nil {
		return "unknown"
	}
	return m.endpoint.route.Name
}

func newRouter() *router {
	return &router{resources: map[string]*resource{}, folders: map[string]*resource{}}
}

// add has a handler answer a route at all of its paths, and problems there be written in a form of
// their own, where one is given.
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

// find gives what answers a method at a path. Paths are compared decoded: an
// escaped slash is a slash.
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

// Handle is how Huma registers what it makes of a typed handler. It would refuse
// a body that is missing; a page says so by itself.
func (rt *router) Handle(op *huma.Operation, handler func(huma.Context)) {
	if op.RequestBody != nil && descriptionOf(op).page {
		op.RequestBody.Required = false
	}
	rt.add(routes.Named(op.OperationID), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler(humago.NewContext(op, r, w))
	}), nil)
}
