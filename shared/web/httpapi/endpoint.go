package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/store"
	"verdetto/shared/web/routes"
)

type JSONDoc struct {
	Summary, Description string
	Problems             []ProblemType
	Status               int    // status of a success; 0 means the default of Huma
	Answer               any    // value of the answer's type, if the handler encodes the answer itself
	Text                 string // media type of the answer as text, if callers may choose text
	Body                 any    // value of the body's type, if the handler parses the body itself (RawBody)
	Pages                []int  // statuses for which a caller that prefers HTML gets a page
	ConsumesQuota        bool   // the handler counts its calls itself
}

type PageDoc struct {
	Summary  string
	Statuses []int
	Form     any
	Answer   any
}

// JSON registers a typed handler for the named route. A well-formed request is passed to check, if
// set, then counted unless doc.ConsumesQuota is set, and then passed to handler.
func JSON[I, O any](a *API, name string, doc JSONDoc, check func(context.Context, *I) error,
	handler func(context.Context, *I) (*O, error)) {
	register(a, name, description{JSONDoc: doc}, itself[I], check,
		func(ctx context.Context, in, _ *I) (*O, error) { return handler(ctx, in) })
}

// Ask is like JSON, for an endpoint whose parameters are a question. check refuses an invalid
// question before the call is counted.
func Ask[I, Q, O any](a *API, name string, doc JSONDoc, question func(*I) (Q, error),
	check func(context.Context, Q) error, handler func(context.Context, *I, Q) (*O, error)) {
	register(a, name, description{JSONDoc: doc}, question, check, handler)
}

func itself[I any](in *I) (*I, error) { return in, nil }

// Page registers a typed handler that answers with a page. Most malformed values reach the handler, so
// that the page can explain the fault.
func Page[I, O any](a *API, name string, doc PageDoc, handler func(context.Context, *I) (*O, error)) {
	register(a, name, description{
		JSONDoc: JSONDoc{Summary: doc.Summary, Description: "A page.", Body: doc.Form, Answer: doc.Answer,
			Pages: doc.Statuses},
		page: true,
	}, itself[I], nil, func(ctx context.Context, in, _ *I) (*O, error) { return handler(ctx, in) })
}

// Mount registers a plain handler, which must consume its quota, if any, and set Cache-Control itself.
func (a *API) Mount(h http.Handler, name string, parameters ...string) {
	route := routes.Named(name)
	a.router.add(route, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		values, _ := url.ParseQuery(r.URL.RawQuery)
		if faults := unknownParameters(route, values, parameters); len(faults) > 0 {
			Invalid(faults...).Write(w, r)
			return
		}
		h.ServeHTTP(w, r)
	}), nil)
}

// MountForeign is like Mount, for a protocol with its own parameters and error format. The function
// write renders error responses, which are problem documents if write is nil.
func (a *API) MountForeign(h http.Handler, write func(http.ResponseWriter, *http.Request, *Problem), names ...string) {
	for _, name := range names {
		a.router.add(routes.Named(name), h, write)
	}
}

type description struct {
	JSONDoc
	page    bool
	tagged  bool
	rawBody bool
	fields  Fields
	spoken  bool
	without []string
}

const descriptionKey = "description"

func descriptionOf(op *huma.Operation) description {
	return op.Metadata[descriptionKey].(description)
}

// Without returns the parameters that the tag "without" of an embedded struct excludes.
func Without(input reflect.Type) (names []string) {
	for i := range input.NumField() {
		if f := input.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			names = append(append(names, strings.Split(f.Tag.Get("without"), ",")...), Without(f.Type)...)
		}
	}
	return names
}

func register[I, Q, O any](a *API, name string, d description, question func(*I) (Q, error),
	check func(context.Context, Q) error, handler func(context.Context, *I, Q) (*O, error)) {
	_, d.rawBody = reflect.TypeFor[I]().FieldByName("RawBody")
	d.fields = d.answerFields(reflect.TypeFor[I](), reflect.TypeFor[O]())
	_, d.spoken = reflect.TypeFor[I]().FieldByName("LanguageInput")
	d.without = Without(reflect.TypeFor[I]())
	d.tagged = reflect.TypeFor[O]() == reflect.TypeFor[Tagged]()
	a.schemas.answer = nil
	body, ok := reflect.TypeFor[O]().FieldByName("Body")
	if ok && body.Type.Name() != "" && d.Answer == nil && !d.page {
		d.Answer, a.schemas.answer = reflect.Zero(body.Type).Interface(), body.Type
	}
	route := routes.Named(name)
	operation := huma.Operation{
		OperationID: route.Name, Method: route.Method, Path: route.Path,
		Summary: d.Summary, Description: d.Description, DefaultStatus: d.Status,
		MaxBodyBytes: MaxBody, SkipValidateBody: d.rawBody,
		Metadata: map[string]any{descriptionKey: d},
	}
	huma.Register(a.huma, operation, func(ctx context.Context, in *I) (*O, error) {
		out, err := answer(ctx, a, route, d, in, question, check, handler)
		if err != nil {
			p := a.ProblemFor(ctx, route.Name, err)
			if over := a.overOthers(ctx); over != nil && (route.Signed || p.Status == http.StatusUnauthorized) {
				p = over // capOthers let this call pass, because of its key or signature
			}
			return nil, p
		}
		c := callOf(ctx)
		c.header.Set("Cache-Control", cacheControl(route, c.pro))
		if vary := varyOf(route, d); vary != "" {
			c.header.Set("Vary", vary)
		}
		return out, nil
	})
}

func answer[I, Q, O any](ctx context.Context, a *API, route routes.Route, d description, in *I, question func(*I) (Q, error),
	check func(context.Context, Q) error, handler func(context.Context, *I, Q) (*O, error)) (*O, error) {
	if d.fields != nil {
		if err := d.chooseFields(callOf(ctx), in); err != nil {
			return nil, err
		}
	}
	q, err := question(in)
	if err == nil && check != nil {
		err = check(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	if !d.ConsumesQuota {
		if err := a.ConsumeQuota(ctx, route.Name); err != nil {
			return nil, err
		}
	}
	return handler(ctx, in, q)
}

func varyOf(route routes.Route, d description) string {
	switch {
	case d.spoken && route.Edge == (routes.Edge{}):
		return varyByKey + ", Accept-Language"
	case route.Own > 0:
		return varyByKey
	}
	return ""
}

const varyByKey = KeyHeader + ", Authorization"

// For endpoints that read keys, CloudFront's cache key includes the caller's key, so a cached answer
// is used only for calls with the same key.
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

// ProblemFor logs an error that is not a Problem, and turns the error into 500 or 503.
func (a *API) ProblemFor(ctx context.Context, name string, err error) *Problem {
	var p *Problem
	if errors.As(err, &p) {
		return p
	}
	a.config.Log.ErrorContext(ctx, "a request failed, and its caller was told to call again; look at the store if this lasts", "route", name, "error", err)
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled) {
		return Unavailable.Problem("Our storage did not answer in time. Try again in a few "+
			"seconds.").With("Retry-After", "5")
	}
	return Internal.Problem("Something went wrong on our side and was logged. Call again in a minute.")
}
