// Package httpapi answers HTTP for every function. Endpoints are rows of routes.Table: JSON
// and Page register typed handlers with Huma, Mount plain ones; middleware.go is their way.
//
// A well-formed request is counted, whatever is then found; a 400 is free. Every answer
// that is not a success is a problem document with Cache-Control: no-store.
package httpapi

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"verdetto/shared/apikey"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/web/limit"
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
	// own distribution sends one. With none the process is reached by its callers
	// directly, and their address is the connection's.
	OriginSecrets []string
	Limiter       *limit.Limiter
	Customers     Customers
	// Refused, where set, remembers keys that were refused a moment ago.
	Refused *apikey.Refused
	// Pepper is the operator's secret under which addresses become pseudonyms.
	Pepper []byte
	// Data marks every answer with X-Data, so that invented fares are never taken for real ones. Empty: no mark.
	Data string
	// AllFares has fares of past days and of departures shown one by one. Without it
	// routes with SingleFares answer 403, and handlers leave such fares out of other answers.
	AllFares bool
	// PaidCalls tells who has used up a free cap where the same answers are sold one by one (routes with a Price).
	PaidCalls bool
	// Pages, where set, shows problems to people as pages, where the edge keeps no answers: page.Problems. A function
	// without pages of its own does without, and without the templates they are made with.
	Pages func(http.Handler) http.Handler
	// Observe, where set, is told of each answer: the endpoint's name in the table, or unknown.
	Observe func(route, method string, status int, took time.Duration)
	// Metrics, where set, puts metrics into the line that each request has in the log.
	Metrics metrics.Source
}

// API is a set of endpoints that answer together.
type API struct {
	config  Config
	signer  apikey.TokenSigner
	origins [][sha256.Size]byte // hashes of OriginSecrets
	router  *router
	huma    huma.API
	handler http.Handler
}

// New makes an API without endpoints.
func New(config Config) *API {
	config.Log = RequestLog(config.Log)
	a := &API{config: config, signer: apikey.NewTokenSigner(config.Pepper), router: newRouter()}
	for _, secret := range config.OriginSecrets {
		a.origins = append(a.origins, sha256.Sum256([]byte(secret)))
	}
	a.huma = newHuma(a.router)
	a.handler = a.middleware(a.router)
	return a
}

// newHuma makes what checks the parameters of typed handlers and describes them; it registers them with the router.
func newHuma(router *router) huma.API {
	config := huma.DefaultConfig("Verdetto", Version)
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema in answers: the published fields and no others
	config.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}
	config.DefaultFormat = "application/json"
	api := huma.NewAPI(config, router)
	api.UseMiddleware(checkParameters)
	return api
}

func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.handler.ServeHTTP(w, r) }
