// Package httpapi turns typed handlers into the HTTP API of every function; a function is a Lambda
// executable. Each endpoint is a row of routes.Table. JSON and Page register typed handlers with
// Huma, the library that validates requests; Mount registers plain handlers. Start reading at
// middleware.go: it lists the steps that every request goes through.
//
// A well-formed request counts towards the caller's quota, even if it ends in an error. A request
// answered with 400 does not count. Every error response is a problem document (RFC 9457) with
// Cache-Control: no-store.
package httpapi

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/apikey"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/web/limit"
)

// MaxBody is the largest request body, in bytes.
const MaxBody = 64 << 10

// Config holds the settings and dependencies of an API. All Lambda functions use this type.
type Config struct {
	Now func() time.Time
	Log *slog.Logger
	// OriginSecrets are the accepted values of the header X-Origin-Secret. CloudFront sends one of
	// these values, to prove that the request came through CloudFront. If OriginSecrets is empty,
	// callers connect directly, and the caller's address is that of the connection.
	OriginSecrets []string
	Limiter       *limit.Limiter
	Customers     Customers
	// Refused, if set, caches the keys that were refused recently.
	Refused *apikey.Refused
	// Pepper is the operator's secret for hashes. Calls are counted under a hash of the caller's
	// address.
	Pepper []byte
	// Data is the value of the header X-Data in every answer. It marks sample fares, so that
	// clients never mistake them for real fares. If Data is empty, the header is not sent.
	Data string
	// AllFares allows answers with single fares: of past days, or of one departure. If it is false,
	// routes with SingleFares answer 403, and handlers leave single fares out of other answers.
	AllFares bool
	// PaidCalls adds an offer to the error response for a used-up free quota. The offer names the
	// path that sells the same answer for a single payment.
	PaidCalls bool
	// Quotas replaces the daily quotas in routes.Table, for callers without a key.
	Quotas Quotas
	// Pages, if set, renders error responses as HTML pages for browsers. Paths that CloudFront
	// caches are excluded. Set it to page.Problems; without it, the program contains no HTML
	// templates.
	Pages func(http.Handler) http.Handler
	// Observe, if set, is called after each answer. The parameter route is the endpoint's name in
	// routes.Table, or "unknown".
	Observe func(route, method string, status int, took time.Duration)
	// Metrics, if set, adds metrics to the one log line of each request.
	Metrics metrics.Source
}

// API is a set of endpoints behind one http.Handler.
type API struct {
	config  Config
	signer  apikey.TokenSigner
	origins [][sha256.Size]byte // hashes of OriginSecrets
	router  *router
	huma    huma.API
	schemas *schemas
	handler http.Handler
}

// New returns an API without endpoints. JSON, Page and Mount add endpoints.
func New(config Config) *API {
	config.Log = RequestLog(config.Log)
	a := &API{config: config, signer: apikey.NewTokenSigner(config.Pepper), router: newRouter()}
	for _, secret := range config.OriginSecrets {
		a.origins = append(a.origins, sha256.Sum256([]byte(secret)))
	}
	a.huma, a.schemas = newHuma(a.router)
	a.handler = a.middleware(a.router)
	return a
}

// newHuma returns the Huma API, which validates and describes typed handlers. It registers typed
// handlers with the router.
func newHuma(router *router) (huma.API, *schemas) {
	config := huma.DefaultConfig("Verdetto", Version)
	all := &schemas{Registry: config.Components.Schemas}
	config.Components.Schemas = all
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema in answers: they hold the published fields only
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.DefaultFormat = "application/json"
	config.Transformers = []huma.Transformer{func(ctx huma.Context, _ string, body any) (any, error) {
		return written(ctx.Context(), body)
	}}
	return huma.NewAPI(config, router), all
}

// schemas is Huma's registry of schemas, without the schemas of answers. Huma validates no answer,
// so only Describe needs them. They take most of the time of a registration.
type schemas struct {
	huma.Registry
	answer reflect.Type // of the endpoint that is being registered; nil: none
}

func (s *schemas) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	if t == s.answer {
		return &huma.Schema{}
	}
	return s.Registry.Schema(t, allowRef, hint)
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }
