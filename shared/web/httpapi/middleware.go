package httpapi

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// middleware wraps the router in the steps that every request goes through, in this order. The
// first step that finds a fault answers, and no later step runs. After the last step, JSON
// validates the parameters, counts the call and calls the handler.
func (a *API) middleware(router http.Handler) http.Handler {
	h := router
	for _, step := range slices.Backward([]func(http.Handler) http.Handler{
		a.match,                 // finds the endpoint for all later steps; sets the request's id
		a.problemPages,          // renders a problem of any later step as a page for browsers
		a.log,                   // writes one line per request
		a.recoverPanic,          // answers 500 if a later step panics
		refusing(a.origin),      // 403 if not through our distribution; reads no path or key
		a.capOthers,             // 429 for too many calls outside the endpoints' quotas
		refusing(knownPath),     // 404
		a.cors,                  // lets pages of other sites read; answers preflights
		refusing(knownMethod),   // 405
		refusing(a.singleFares), // 403 if the owner of the fares has not allowed single fares
		refusing(readKey),       // copies a key from Authorization to X-Api-Key
		refusing(a.identify),    // 401 for an invalid key; later steps know the caller
		refusing(readBody),      // 400 for an incomplete body
		refusing(form),          // converts the form of a page to JSON
	}) {
		h = step(h)
	}
	return h
}

// refusing returns a step that calls check. If check returns an error response, the step sends it
// and stops. The function check may change the request, because the step passes a copy.
func refusing(check func(*http.Request, *call) *Problem) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p := check(r, callOf(r.Context())); p != nil {
				p.Write(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

// RequestIDHeader is the response header with the request's id. The log lines of the request
// contain the same id.
const RequestIDHeader = "X-Request-Id"

// wellFormedID matches a request id set by a proxy, API Gateway or the caller. It matches neither
// keys nor mail addresses.
var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.=-]{1,64}$`)

// requestID returns the request's own id if the id is safe to log. Otherwise it returns a new id.
func requestID(r *http.Request) string {
	if id := r.Header.Get(RequestIDHeader); wellFormedID.MatchString(id) && !strings.Contains(id, "vd_") {
		return id
	}
	return rand.Text()
}

// match finds the endpoint of the request, and creates the call, the state of the request. It also
// sets the header X-Data of every answer.
func (a *API) match(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{
			match: a.router.find(r.Method, r.URL.Path),
			ctx:   r.Context(), api: a, id: requestID(r), header: w.Header(), allFares: a.config.AllFares,
		}
		c.language = chosenLanguage(r, c.endpoint)
		c.header.Set(RequestIDHeader, c.id)
		if a.config.Data != "" {
			c.header.Set("X-Data", a.config.Data)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	})
}

// problemPages renders error responses as pages for browsers. It excludes paths that CloudFront
// caches, because CloudFront's cache key does not include the Accept header.
func (a *API) problemPages(next http.Handler) http.Handler {
	if a.config.Pages == nil {
		return next
	}
	pages := a.config.Pages(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if at := callOf(r.Context()).resource; at != nil && at.edgeCacheable {
			next.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}

// recoverPanic answers with 500 if a handler panics, and logs the stack.
func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				a.config.Log.ErrorContext(r.Context(), "panic", "value", v, "stack", string(debug.Stack()))
				if rec, ok := w.(*responseRecorder); !ok || rec.status == 0 {
					Internal.Problem("Something went wrong on our side and was logged. Call again "+
						"in a minute.").Write(w, r)
				}
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// OriginSecretHeader is the request header with a secret of CloudFront. The secret proves that a
// request came through CloudFront.
const OriginSecretHeader = "X-Origin-Secret"

// origin refuses a request without the secret of CloudFront, if the service runs behind CloudFront.
func (a *API) origin(r *http.Request, _ *call) *Problem {
	given := sha256.Sum256([]byte(r.Header.Get(OriginSecretHeader)))
	ours := 0
	for _, secret := range a.origins {
		ours |= subtle.ConstantTimeCompare(secret[:], given[:])
	}
	if ours == 0 && len(a.origins) > 0 {
		return Forbidden.Problem("Call the service at its public address.")
	}
	return nil
}

func knownPath(_ *http.Request, c *call) *Problem {
	if c.resource == nil {
		return UnknownPath.Problem("There is no endpoint at this path. GET /v1 lists the endpoints, and " +
			"GET /v1/docs describes them.")
	}
	return nil
}

func knownMethod(_ *http.Request, c *call) *Problem {
	if c.endpoint == nil {
		allow := strings.Join(c.resource.methods, ", ")
		return WrongMethod.Problem("This path answers "+allow+".").With("Allow", allow)
	}
	return nil
}

// FaresNotShown returns the error response of an endpoint that would show single fares, where the
// service does not allow them.
func FaresNotShown() *Problem {
	return NotShown.Problem("This service shows today's cheapest fares and figures of past ones, but no " +
		"single past fares. GET /v1/analisi compares today's fare with them, and GET /v1/price-trends " +
		"returns medians. The operator can allow single fares with VERDETTO_FARES_SHOWN.")
}

// singleFares refuses endpoints that list single fares, unless Config.AllFares allows single fares.
func (a *API) singleFares(_ *http.Request, c *call) *Problem {
	if c.endpoint.route.SingleFares && !a.config.AllFares {
		return FaresNotShown()
	}
	return nil
}
