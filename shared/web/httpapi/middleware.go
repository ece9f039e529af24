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

// middleware wraps the router in what every request passes, in the order in
// which it is passed. Each step answers by itself or has the next one answer; so
// of several faults the caller is told the first, and nothing behind it is done.
//
// What follows is the typed handler's own way, see JSON: its parameters are
// checked, the call is counted, and the handler answers.
func (a *API) middleware(router http.Handler) http.Handler {
	h := router
	for _, step := range slices.Backward([]func(http.Handler) http.Handler{
		a.match,        // finds the endpoint, once: all that follow go by it; names the request
		a.markData,     // puts X-Data on every answer
		a.problemPages, // shows a problem to a person as a page, whichever step below tells it
		a.log,          // writes one line, whatever is answered
		a.recoverPanic, // answers 500 where a step below panics
		a.origin,       // 403 to who does not come through our distribution: it learns of no path and no key
		a.capOthers,    // 429 to who makes too many calls that no endpoint counts
		a.knownPath,    // 404
		a.cors,         // lets pages of other sites read; answers their preflights
		a.knownMethod,  // 405
		a.shown,        // 403 where the owner of the fares has not allowed what the endpoint shows
		a.readKey,      // takes a key in Authorization as one in X-Api-Key
		a.identify,     // 401 to a bad key: who is calling is known from here on
		a.readBody,     // 400 to a body that breaks off
		a.form,         // hands the form of a page on as JSON
	}) {
		h = step(h)
	}
	return h
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

// match looks the endpoint up and begins the call.
func (a *API) match(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{match: a.router.find(r.Method, r.URL.Path), ctx: r.Context(), api: a, id: requestID(r), header: w.Header(), allFares: a.config.AllFares}
		c.header.Set(RequestIDHeader, c.id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, c)))
	})
}

// markData says on every answer where fares are invented.
func (a *API) markData(next http.Handler) http.Handler {
	if a.config.Data == "" {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Data", a.config.Data)
		next.ServeHTTP(w, r)
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
					Internal.Problem("Something went wrong on our side; it has been logged. Try again in a minute.").Write(w, r)
				}
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// OriginSecretHeader carries the secret by which a request proves that it came through our own distribution.
const OriginSecretHeader = "X-Origin-Secret"

// origin refuses whoever does not come through our distribution, where there is one.
func (a *API) origin(next http.Handler) http.Handler {
	if len(a.config.OriginSecrets) == 0 {
		return next
	}
	secrets := make([][sha256.Size]byte, len(a.config.OriginSecrets))
	for i, s := range a.config.OriginSecrets {
		secrets[i] = sha256.Sum256([]byte(s))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := sha256.Sum256([]byte(r.Header.Get(OriginSecretHeader)))
		ours := 0
		for i := range secrets {
			ours |= subtle.ConstantTimeCompare(secrets[i][:], given[:])
		}
		if ours == 0 {
			Forbidden.Problem("Call the service at its public address.").Write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownPath answers 404 where nothing answers at the path.
func (a *API) knownPath(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if callOf(r.Context()).resource == nil {
			UnknownPath.Problem("Nothing answers at this path. GET /v1 lists what does, and GET /v1/docs explains it.").Write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// FaresNotShown is the problem of fares that are not shown one by one.
func FaresNotShown() *Problem {
	return NotShown.Problem("This service shows today's cheapest fares and figures made of past ones, not fares of past days or departures one by one. GET /v1/analisi compares today's fare with them, GET /v1/price-trends gives medians; who runs the service can allow more (VERDETTO_FARES_SHOWN).")
}

// shown answers 403 where an endpoint lists single fares and only today's may be shown.
func (a *API) shown(next http.Handler) http.Handler {
	if a.config.AllFares {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := callOf(r.Context()); c.endpoint.route.SingleFares {
			FaresNotShown().Write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownMethod answers 405 where the path does not answer the method.
func (a *API) knownMethod(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		if c.endpoint == nil {
			allow := strings.Join(c.resource.methods, ", ")
			WrongMethod.Problem("This path answers "+allow+".").With("Allow", allow).Write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
