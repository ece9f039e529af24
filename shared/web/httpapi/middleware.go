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

// A request goes through the steps in this order, until one of them answers.
func (a *API) middleware(router http.Handler) http.Handler {
	h := router
	for _, step := range slices.Backward([]func(http.Handler) http.Handler{
		a.match,
		a.problemPages,
		a.log,
		a.recoverPanic,
		refusing(a.origin),
		a.capOthers,
		refusing(knownPath),
		a.cors,
		trailingSlash,
		refusing(knownMethod),
		refusing(a.singleFares),
		refusing(readKey),
		refusing(a.identify),
		refusing(readBody),
		refusing(a.form),
	}) {
		h = step(h)
	}
	return h
}

// refusing returns a step that answers with the error response of check, if any. The function check is
// allowed to change the request.
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

const RequestIDHeader = "X-Request-Id"

// wellFormedID excludes mail addresses, which must not be logged.
var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.=-]{1,64}$`)

func requestID(r *http.Request) string {
	if id := r.Header.Get(RequestIDHeader); wellFormedID.MatchString(id) && !strings.Contains(id, "vd_") {
		return id
	}
	return rand.Text()
}

func (a *API) match(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found, trimmed := a.router.findTrimmed(r.Method, r.URL.Path)
		if found.resource != nil && trimmed != "" {
			at := *r.URL
			at.Path, at.RawPath = trimmed, ""
			r = r.WithContext(r.Context())
			r.URL = &at
		}
		c := &call{
			match: found, slashed: found.resource != nil && trimmed != "",
			ctx: r.Context(), api: a, id: requestID(r), header: w.Header(), allFares: a.config.AllFares,
		}
		c.language = chosenLanguage(r, c.endpoint)
		c.header.Set(RequestIDHeader, c.id)
		if a.config.Data != "" {
			c.header.Set("X-Data", a.config.Data)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	})
}

// problemPages leaves out paths that CloudFront caches, because CloudFront's cache key does not
// include the Accept header.
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

const OriginSecretHeader = "X-Origin-Secret"

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

// trailingSlash redirects, because a browser would resolve the relative links of the page wrongly.
func trailingSlash(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if callOf(r.Context()).slashed && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
			http.Redirect(w, r, r.URL.RequestURI(), http.StatusPermanentRedirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func knownMethod(_ *http.Request, c *call) *Problem {
	if c.endpoint == nil {
		allow := strings.Join(c.resource.methods, ", ")
		return WrongMethod.Problem("This path answers "+allow+".").With("Allow", allow)
	}
	return nil
}

func FaresNotShown() *Problem {
	return NotShown.Problem("This service shows today's cheapest fares and figures of past ones, but no " +
		"single past fares. GET /v1/analisi compares today's fare with them, and GET /v1/price-trends " +
		"returns medians. The operator can allow single fares with VERDETTO_FARES_SHOWN.")
}

func (a *API) singleFares(_ *http.Request, c *call) *Problem {
	if c.endpoint.route.SingleFares && !a.config.AllFares {
		return FaresNotShown()
	}
	return nil
}
