// Package httpapi turns typed handlers into the HTTP API of every function; a function is a Lambda
// executable. Each endpoint is a row of routes.Table. Start reading at middleware.go, which lists
// the steps that a request goes through.
//
// Unless the handler counts its calls itself, a request counts towards the caller's quota once it
// has passed validation, even if it then ends in an error.
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

const MaxBody = 64 << 10

type Config struct {
	Now func() time.Time
	Log *slog.Logger
	// OriginSecrets are the accepted values of X-Origin-Secret, which prove that a request came
	// through CloudFront. If there are none, the service is not behind CloudFront.
	OriginSecrets []string
	Limiter       *limit.Limiter
	Customers     Customers
	Refused       *apikey.Refused
	Pepper        []byte
	// Data is the value of the header X-Data, which marks sample fares. For real fares Data is empty.
	Data string
	// AllFares allows answers with single fares, of past days or of one departure.
	AllFares bool
	// PaidCalls lets the error response for a used-up free quota name the path that sells the same
	// answer.
	PaidCalls bool
	Quotas    Quotas
	// Pages, if set, renders problem documents as HTML for browsers, except on paths that CloudFront
	// caches. A program without pages leaves Pages nil, so that the program need not contain HTML
	// templates.
	Pages func(http.Handler) http.Handler
	// Observe, if set, is called after each request that reaches the API. The route is "unknown" if no
	// endpoint matches.
	Observe func(route, method string, status int, took time.Duration)
	Metrics metrics.Source
}

type API struct {
	config  Config
	signer  apikey.TokenSigner
	origins [][sha256.Size]byte
	router  *router
	huma    huma.API
	schemas *schemas
	handler http.Handler
}

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

func newHuma(router *router) (huma.API, *schemas) {
	config := huma.DefaultConfig("Verdetto", Version)
	all := &schemas{Registry: config.Components.Schemas}
	config.Components.Schemas = all
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // so that answers do not contain $schema
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.DefaultFormat = "application/json"
	config.Transformers = []huma.Transformer{func(ctx huma.Context, _ string, body any) (any, error) {
		return written(ctx.Context(), body)
	}}
	return huma.NewAPI(config, router), all
}

// schemas is Huma's registry without the schema of the answer that is being registered. Huma does
// not validate answers, so only Describe needs the schemas of answers.
type schemas struct {
	huma.Registry
	answer reflect.Type
}

func (s *schemas) Schema(t reflect.Type, allowRef bool, hint string) *huma.Schema {
	if t == s.answer {
		return &huma.Schema{}
	}
	return s.Registry.Schema(t, allowRef, hint)
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }
