package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/store"
	"verdetto/shared/web/routes"
)

// JSONDoc says of an endpoint that answers with JSON what its types do not.
type JSONDoc struct {
	Summary, Description string
	Problems             []ProblemType // beside those that any endpoint can meet
	Status               int           // of a success; 0 is 200
	Answer               any           // a success's type, where the handler writes the bytes itself
	// the media type of a success as text, where it may be asked for in place of JSON
	Text          string
	Body          any   // the type, as JSON or as a form, of a body that the handler reads itself (RawBody)
	Pages         []int // statuses that it answers with a page where HTML is asked for
	ConsumesQuota bool  // the handler counts by itself, with ConsumeQuota
}

// PageDoc says of an endpoint that answers with pages what its types do not.
type PageDoc struct {
	Summary  string
	Statuses []int // of its pages
	Form     any   // the type of a form that the handler reads itself (RawBody)
	Answer   any   // the type of what it answers as JSON, where it may be asked for in place of a page
}

// JSON registers a typed handler for a route. A well-formed request is shown to check,
// where there is one, then counted, then handled. An error of either that is no Problem
// is logged and told as a plain 500 or 503.
func JSON[I, O any](a *API, name string, doc JSONDoc, check func(context.Context, *I) error,
	handler func(context.Context, *I) (*O, error)) {
	register(a, name, description{JSONDoc: doc}, check, handler)
}

// Asked makes the two functions that JSON wants of one that reads a question from the
// parameters, one that refuses it before it is counted, and one that answers it.
func Asked[I, Q, O any](
	question func(*I) (Q, error), check func(context.Context, Q) error,
	handler func(context.Context, *I, Q) (*O, error),
) (func(context.Context, *I) error, func(context.Context, *I) (*O, error)) {
	return func(ctx context.Context, in *I) error {
			q, err := question(in)
			if err != nil {
				return err
			}
			return check(ctx, q)
		}, func(ctx context.Context, in *I) (*O, error) {
			q, err := question(in)
			if err != nil {
				return nil, err
			}
			return handler(ctx, in, q)
		}
}

// Page registers a typed handler that answers with a page whatever it is asked:
// its parameters are handed over as they came. Otherwise it is as JSON.
func Page[I, O any](a *API, name string, doc PageDoc, handler func(context.Context, *I) (*O, error)) {
	register(a, name, description{
		JSONDoc: JSONDoc{Summary: doc.Summary, Description: "Answers with a page.", Body: doc.Form, Answer: doc.Answer,
			Pages: doc.Statuses},
		page: true,
	}, nil, handler)
}

// Mount has a plain handler answer routes, for files and protocols of their own. It
// counts by itself, with ConsumeQuota, and says itself how long its answers may be
// kept. What {file} in a route's path stands for is PathValue("file").
func (a *API) Mount(h http.Handler, names ...string) {
	for _, name := range names {
		a.router.add(routes.Named(name), h, nil)
	}
}

// MountForeign is Mount for a protocol that has a form of its own for what is no
// success: all problems at its paths are written by write, those of this package too.
func (a *API) MountForeign(h http.Handler, write func(http.ResponseWriter, *http.Request, *Problem), names ...string) {
	for _, name := range names {
		a.router.add(routes.Named(name), h, write)
	}
}

// description is what is known of a typed endpoint beside what Huma reads from its types.
type description struct {
	JSONDoc
	page    bool // all that it answers is pages
	tagged  bool // it answers 304
	rawBody bool // the body is handed over as it came, whatever it is
}

const descriptionKey = "description"

func descriptionOf(op *huma.Operation) description {
	return op.Metadata[descriptionKey].(description)
}

func register[I, O any](a *API, name string, d description, check func(context.Context, *I) error,
	handler func(context.Context, *I) (*O, error)) {
	_, d.rawBody = reflect.TypeFor[I]().FieldByName("RawBody")
	d.tagged = reflect.TypeFor[O]() == reflect.TypeFor[Tagged]()
	route := routes.Named(name)
	operation := huma.Operation{
		OperationID: route.Name, Method: route.Method, Path: route.Path,
		Summary: d.Summary, Description: d.Description, DefaultStatus: d.Status,
		MaxBodyBytes: MaxBody, SkipValidateBody: d.rawBody,
		Metadata: map[string]any{descriptionKey: d},
	}
	huma.Register(a.huma, operation, func(ctx context.Context, in *I) (*O, error) {
		out, err := answer(ctx, a, route, d, in, check, handler)
		if err != nil {
			p := a.problemFor(ctx, route, err)
			if over := a.overOthers(ctx); over != nil && (route.Signed || p.Code == BadKey.Code) {
				p = over // it was let in for a signature or a key, and has shown none
			}
			return nil, p
		}
		c := callOf(ctx)
		c.header.Set("Cache-Control", cacheControl(route, c.pro))
		if route.Own > 0 {
			c.header.Set("Vary", varyByKey)
		}
		return out, nil
	})
}

func answer[I, O any](ctx context.Context, a *API, route routes.Route, d description, in *I,
	check func(context.Context, *I) error, handler func(context.Context, *I) (*O, error)) (*O, error) {
	if check != nil {
		if err := check(ctx, in); err != nil {
			return nil, err
		}
	}
	if !d.ConsumesQuota {
		if err := a.consumeQuota(ctx, route); err != nil {
			return nil, err
		}
	}
	return handler(ctx, in)
}

const varyByKey = KeyHeader + ", Authorization"

// cacheControl is that of a successful answer. What belongs to a key is shared
// by no one else: the key is part of the edge's cache key, and Vary says so.
func cacheControl(route routes.Route, pro bool) string {
	switch {
	case pro && route.Own > 0:
		return fmt.Sprintf("private, max-age=%d", int(route.Own.Seconds()))
	case pro && route.Edge.Pro > 0:
		return fmt.Sprintf("s-maxage=%d", int(route.Edge.Pro.Seconds()))
	case !pro && route.Edge.Free > 0:
		return fmt.Sprintf("public, s-maxage=%d", int(route.Edge.Free.Seconds()))
	}
	return "no-store"
}

// ProblemFor turns an error of a route into what its caller is told, as JSON does
// by itself: a Problem is told as it is, anything else is logged and told as a
// plain 500 or 503.
func (a *API) ProblemFor(ctx context.Context, name string, err error) *Problem {
	return a.problemFor(ctx, routes.Named(name), err)
}

func (a *API) problemFor(ctx context.Context, route routes.Route, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	a.config.Log.ErrorContext(ctx, "request failed", "route", route.Name, "error", err)
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled) {
		return Unavailable.Problem("Our storage did not answer in time. Try again in a few "+
			"seconds.").With("Retry-After", "5")
	}
	return Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute.")
}
