// Package httpapi is the door that every function opens: it registers typed
// handlers with Huma from routes.Table, checks parameters, and gives every
// answer the same manners: problem documents, cache lifetimes, a request log
// that holds nothing personal.
//
// A request passes Log(Recover(Origin(Identify(Limit(handler))))). It is counted
// when it is well formed, found or not; a 400 is free. Every answer that is not
// a success is a problem document with Cache-Control: no-store; a browser is shown
// it as a page.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"verdetto/shared/limit"
	"verdetto/shared/metrics"
	"verdetto/shared/routes"
	"verdetto/shared/store"
)

// MaxBody is how large a request's body may be.
const MaxBody = 64 << 10

// Version of the published API.
const Version = "1.0.0"

// Config is what the functions have in common.
type Config struct {
	Now func() time.Time
	Log *slog.Logger
	// OriginSecrets are the values of the header X-Origin-Secret of which our
	// own distribution sends one. With none the process faces its callers
	// directly, and their address is the connection's.
	OriginSecrets []string
	Limiter       *limit.Limiter
	Customers     Customers
	// Pepper is the operator's secret under which addresses become pseudonyms.
	Pepper []byte
	// Data marks every answer with X-Data, so that invented fares are never taken for real ones. Empty: no mark.
	Data string
	// Undescribed is for a process that does not make the published description.
	// It starts the sooner: endpoints get ready when they are first asked for.
	Undescribed bool
	// Pages, where set, shows problems to people as pages, where the edge keeps no answers: page.Problems. A function
	// without pages of its own does without, and without the templates they are made with.
	Pages func(http.Handler) http.Handler
	// Metrics, where set, puts metrics into the line that each request has in the log.
	Metrics metrics.Source
}

// API is a set of endpoints that answer together.
type API struct {
	config  Config
	mux     *http.ServeMux
	huma    huma.API
	routes  map[string][]routes.Route // by path
	docs    map[string]Doc            // by the route's name
	handler http.Handler
}

// New makes an API without endpoints.
func New(config Config) *API {
	a := &API{config: config, mux: http.NewServeMux(), routes: map[string][]routes.Route{}, docs: map[string]Doc{}}
	if !config.Undescribed {
		a.huma = newHuma(a.mux)
	}
	a.handler = a.outer(http.HandlerFunc(a.route))
	if config.Pages != nil {
		plain, pages := a.handler, config.Pages(a.handler)
		a.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if a.kept(r.URL.Path) {
				plain.ServeHTTP(w, r)
			} else {
				pages.ServeHTTP(w, r)
			}
		})
	}
	return a
}

// newHuma makes what registers typed handlers with a mux.
func newHuma(mux *http.ServeMux) huma.API {
	hc := huma.DefaultConfig("Verdetto", Version)
	hc.OpenAPIPath, hc.DocsPath, hc.SchemasPath = "", "", ""
	hc.CreateHooks = nil // no $schema in answers: the published fields and no others
	hc.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	hc.DefaultFormat = "application/json"
	api := humago.New(mux, hc)
	api.UseMiddleware(checkQuery)
	return api
}

// ServeHTTP answers a request.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }

// Doc describes an endpoint for the published description.
type Doc struct {
	Summary, Description string
	Problems             []ProblemType // beside those that any endpoint can meet
	Answer               any           // an answer's type, where the handler writes the bytes itself
	Statuses             []int         // that it answers with beside a success and the problems, without a body
	Raw                  bool          // the body is handed over as it came, whatever it is
	Takes                any           // what a Raw body is as JSON or as a form, for the description
	Pages                []int         // statuses that it answers with a page; where all are, its parameters are handed over as they came
	Status               int           // of a success; 0 is 200
	ConsumesQuota        bool          // the handler counts for itself, with Spend
}

// bare tells whether all that an endpoint answers is pages, to what it cannot make sense of as well.
func (d Doc) bare() bool { return len(d.Pages) > 0 && d.Answer == nil }

// Handle registers a typed handler for a route of routes.Table. A request whose
// parameters are each well formed is shown to check, where there is one; what
// that lets pass is counted and then handled. What either returns that is no
// Problem is logged and told to the caller as a plain 500 or 503.
func Handle[I, O any](a *API, name string, doc Doc, check func(context.Context, *I) error, handler func(context.Context, *I) (*O, error)) {
	route := routes.Named(name)
	a.docs[name] = doc
	a.routes[route.Path] = append(a.routes[route.Path], route)
	operation := huma.Operation{
		OperationID:      route.Name,
		Method:           route.Method,
		Path:             route.Path,
		Summary:          doc.Summary,
		Description:      doc.Description,
		DefaultStatus:    doc.Status,
		MaxBodyBytes:     MaxBody,
		SkipValidateBody: doc.Raw,
		RequestBody:      a.body(doc, route.Form),
		Metadata:         map[string]any{bareKey: doc.bare()},
	}
	answer := func(ctx context.Context, in *I) (*O, error) {
		var out *O
		var err error
		if check != nil {
			err = check(ctx, in)
		}
		if err == nil && !doc.ConsumesQuota {
			err = a.count(ctx, route)
		}
		if err == nil {
			out, err = handler(ctx, in)
		}
		if err != nil {
			return nil, a.problemFor(ctx, route, err)
		}
		callOf(ctx).header.Set("Cache-Control", lifetime(route, callOf(ctx).pro))
		return out, nil
	}
	if a.config.Undescribed {
		ready := sync.OnceValue(func() http.Handler {
			mux := http.NewServeMux()
			huma.Register(newHuma(mux), operation, answer)
			return mux
		})
		a.mux.HandleFunc(route.Method+" "+route.Path, func(w http.ResponseWriter, r *http.Request) { ready().ServeHTTP(w, r) })
		return
	}
	operation.Errors, operation.Responses = doc.statuses(), a.responses(doc)
	huma.Register(a.huma, operation, answer)
	a.describe(operation, doc, route.Form)
}

// lifetime is the Cache-Control of a successful answer. What belongs to a key
// is shared by no one else: the key is part of the edge's cache key, and Vary says so.
func lifetime(route routes.Route, pro bool) string {
	switch {
	case pro && route.Edge.Pro > 0:
		return fmt.Sprintf("s-maxage=%d", int(route.Edge.Pro.Seconds()))
	case !pro && route.Edge.Free > 0:
		return fmt.Sprintf("public, s-maxage=%d", int(route.Edge.Free.Seconds()))
	}
	return "no-store"
}

// told turns an error into what the caller is told, and logs what is no Problem.
func (a *API) problemFor(ctx context.Context, route routes.Route, err error) *Problem {
	var p *Problem
	if !errors.As(err, &p) {
		a.config.Log.ErrorContext(ctx, "request failed", "route", route.Name, "error", err)
		if errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
			p = Unavailable.Problem("Our storage did not answer in time. Try again in a few seconds.").With("Retry-After", "5")
		} else {
			p = Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute.")
		}
	}
	return p
}

// route finds the endpoint by path and then by method, so that a wrong method is told apart from a wrong path.
func (a *API) route(w http.ResponseWriter, r *http.Request) {
	path := canonical(r.URL.Path)
	if path != r.URL.Path || r.URL.RawPath != "" { // the mux below would go by the escaped form
		r = withPath(r, path)
	}
	here, ok := a.at(path)
	if !ok {
		UnknownPath.Problem("Nothing answers at this path. GET /v1 lists what does, and GET /v1/docs explains it.").Write(w, r)
		return
	}
	var methods []string
	for _, h := range here {
		methods = append(methods, h.Method)
		if h.Method == http.MethodGet && !h.NoHEAD {
			methods = append(methods, http.MethodHead)
		}
	}
	if cors(w, r, methods, slices.ContainsFunc(here, func(h routes.Route) bool { return h.CrossOriginPOST })) {
		return
	}
	at := slices.IndexFunc(here, func(h routes.Route) bool {
		return h.Method == r.Method || h.Method == http.MethodGet && r.Method == http.MethodHead && !h.NoHEAD
	})
	if at < 0 {
		allow := strings.Join(methods, ", ")
		WrongMethod.Problem("This path answers "+allow+".").With("Allow", allow).Write(w, r)
		return
	}
	c, p := a.identify(r, w.Header(), here[at].Keyed())
	if p != nil {
		p.Write(w, r)
		return
	}
	if here[at].Form {
		read, p := fromForm(w, r)
		if p != nil {
			p.Write(w, r)
			return
		}
		r = read
	}
	a.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
}

// at gives the routes of a path: one that is named, or that of a file in a named folder.
func (a *API) at(path string) ([]routes.Route, bool) {
	if here, ok := a.routes[path]; ok {
		return here, true
	}
	folder := path[:strings.LastIndex(path, "/")+1]
	here, ok := a.routes[folder+"{file}"]
	return here, ok && path != folder
}

// kept tells whether the edge may keep what is answered at a path. What it keeps
// is for every caller of its key, to which the Accept header does not belong.
func (a *API) kept(path string) bool {
	here, _ := a.at(canonical(path))
	return slices.ContainsFunc(here, func(r routes.Route) bool { return r.Edge != routes.Edge{} })
}

// canonical is a path without the alias before it.
func canonical(path string) string {
	if rest, ok := strings.CutPrefix(path, routes.Alias); ok && (rest == "/v1" || strings.HasPrefix(rest, "/v1/")) {
		return rest
	}
	return path
}

// withPath is the request as if it had been made to another path.
func withPath(r *http.Request, path string) *http.Request {
	u := *r.URL
	u.Path, u.RawPath = path, ""
	r2 := *r
	r2.URL = &u
	return &r2
}
