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

// middleware wraps the router in what every request passes, in this order. Of several
// faults the caller is told the first, and nothing behind it is done. Then a typed
// handler's parameters are checked and the call is counted and answered: see JSON.
func (a *API) middleware(router http.Handler) http.Handler {
	h := router
	for _, step := range slices.Backward([]func(http.Handler) http.Handler{
		a.match,                 // finds the endpoint, once: all that follow go by it; names the request
		a.problemPages,          // shows a problem to a person as a page, whichever step below tells it
		a.log,                   // writes one line, whatever is answered
		a.recoverPanic,          // answers 500 where a step below panics
		refusing(a.origin),      // 403 to who does not come through our distribution: it learns of no path and no key
		a.capOthers,             // 429 to who makes too many calls that no endpoint counts
		refusing(knownPath),     // 404
		a.cors,                  // lets pages of other sites read; answers their preflights
		refusing(knownMethod),   // 405
		refusing(a.singleFares), // 403 where the owner of the fares has not allowed what the endpoint shows
		refusing(readKey),       // takes a key in Authorization as one in X-Api-Key
		refusing(a.identify),    // 401 to a bad key: who is calling is known from here on
		refusing(readBody),      // 400 to a body that breaks off
		refusing(form),          // hands the form of a page on as JSON
	}) {
		h = step(h)
	}
	return h
}

// refusing is a step that answers with the problem that check finds. Check may
// change the request, which is a copy of the connection's.
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

// RequestIDHeader names a request: in its answer, and in every line that the log has of it.
const RequestIDHeader = "X-Request-Id"

// wellFormedID is an id of a request that somebody before us has given it, such as
// a proxy of the operator's, API Gateway, or the caller. Keys and addresses are none.
var wellFormedID = regexp.MustCompile(`^[A-Za-z0-9_.=-]{1,64}$`)

// requestID is the id that a request has already where that may stand in a log, and otherwise a fresh one.
func requestID(r *http.Request) string {
	if id := r.Header.Get(RequestIDHeader); wellFormedID.MatchString(id) && !strings.Contains(id, "vd_") {
		return id
	}
	return rand.Text()
}

// match looks the endpoint up and begins the call. It marks every answer where fares are invented.
func (a *API) match(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{
			match: a.router.find(r.Method, r.URL.Path),
			ctx:   r.Context(), api: a, id: requestID(r), header: w.Header(), allFares: a.config.AllFares,
		}
		c.header.Set(RequestIDHeader, c.id)
		if a.config.Data != "" {
			c.header.Set("X-Data", a.config.Data)
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	})
}

// problemPages shows problems as pages, but where the edge keeps answers: there everybody is given the document.
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

// recoverPanic turns a panic into a 500 and a log entry with its stack.
func (a *API) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil {
				a.config.Log.ErrorContext(r.Context(), "panic", "value", v, "stack", string(debug.Stack()))
				if rec, ok := w.(*responseRecorder); !ok || rec.status == 0 {
					Internal.Problem("Something went wrong on our side; it has been logged. Try again "+
						"in a minute.").Write(w, r)
				}
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// OriginSecretHeader carries the secret by which a request proves that it came through our own distribution.
const OriginSecretHeader = "X-Origin-Secret"

// origin refuses whoever does not come through our distribution, where there is one.
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
		return UnknownPath.Problem("Nothing answers at this path. GET /v1 lists what does, and " +
			"GET /v1/docs explains it.")
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

// FaresNotShown is the problem of fares that are not shown one by one.
func FaresNotShown() *Problem {
	return NotShown.Problem("This service shows today's cheapest fares and figures made of past ones, not fares of " +
		"past days or departures one by one. GET /v1/analisi compares today's fare with them, GET /v1/price-trends " +
		"gives medians; who runs the service can allow more (VERDETTO_FARES_SHOWN).")
}

// singleFares refuses an endpoint that lists single fares where only today's may be shown.
func (a *API) singleFares(_ *http.Request, c *call) *Problem {
	if c.endpoint.route.SingleFares && !a.config.AllFares {
		return FaresNotShown()
	}
	return nil
}
