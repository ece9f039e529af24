package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/limit"
	"verdetto/shared/routes"
	"verdetto/shared/store"
)

// KeyHeader carries a Pro key.
const KeyHeader = "X-Api-Key"

// The problems that a caller can meet at the door.
var (
	BadKey    = ProblemType{Status: http.StatusUnauthorized, Code: "chiave-non-valida", Title: "The key is not valid"}
	PlanEnded = ProblemType{Status: http.StatusUnauthorized, Code: "piano-scaduto", Title: "The plan has ended"}
	TooMany   = ProblemType{Status: http.StatusTooManyRequests, Code: "troppe-richieste", Title: "Too many calls", Wait: true}
)

// Customers is where keys are looked up.
type Customers interface {
	// Customer gives a customer as of all writes that have returned, or store.ErrNotFound.
	Customer(ctx context.Context, id apikey.CustomerID) (store.Customer, error)
}

// call is what is known of a call: who is counted for it, and the headers of its answer.
type call struct {
	pro     bool
	subject string // a customer's id, or an address as a pseudonym
	header  http.Header
}

type callKey struct{}

// callOf gives the call that a handler answers.
func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// Subject is who the caller is counted as: a pseudonym, the same for the same address or key.
func Subject(ctx context.Context) string { return callOf(ctx).subject }

// IsPro tells a handler whether the caller has sent a key that is in force.
func IsPro(ctx context.Context) bool { return callOf(ctx).pro }

// Data tells a handler how the answers are marked: see Config.Data.
func Data(ctx context.Context) string { return callOf(ctx).header.Get("X-Data") }

// identify finds out who is calling an endpoint that takes keys. A key that is
// not good is never taken for none.
func (a *API) identify(r *http.Request, h http.Header, keyed bool) (call, *Problem) {
	given, present := r.Header[KeyHeader]
	if !present || !keyed {
		return call{subject: a.pseudonym(address(a.viewer(r))), header: h}, nil
	}
	refused := BadKey.Problem("The header X-Api-Key holds no key that is in force: it was mistyped, or replaced by a newer one. "+
		"POST /api/v1/pro/recupera sends a fresh key to the address that paid. Without the header, calls are free up to a daily cap.").
		With("WWW-Authenticate", "ApiKey")
	if len(given) != 1 {
		return call{}, refused
	}
	key, ok := apikey.Parse(given[0])
	if !ok {
		return call{}, refused
	}
	c, err := a.config.Customers.Customer(r.Context(), key.Customer)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return call{}, refused
	case err != nil:
		a.config.Log.ErrorContext(r.Context(), "key not checked", "error", err)
		return call{}, Unavailable.Problem("Your key could not be checked just now. Try again in a few seconds.").With("Retry-After", "5")
	case !c.Holds(key):
		return call{}, refused
	case !c.Plan().Live(a.config.Now()):
		return call{}, PlanEnded.Problem("The plan of this key ended on "+c.Plan().Until.UTC().Format(time.DateOnly)+
			". POST /api/v1/pro/checkout or GET /v1/pro/cripta renews it; without the header, calls are free up to a daily cap.").
			With("WWW-Authenticate", "ApiKey")
	}
	h.Set("X-Plan", "pro")
	h.Set("X-Cache", "MISS")
	return call{pro: true, subject: string(key.Customer), header: h}, nil
}

// pseudonym stands for an address in the counters: an IPv6 address is counted
// with its /64, which is what one subscriber is given, and neither can be read back.
func (a *API) pseudonym(addr netip.Addr) string {
	if addr.Is6() {
		if p, err := addr.Prefix(64); err == nil {
			addr = p.Addr()
		}
	}
	mac := hmac.New(sha256.New, a.config.Pepper)
	mac.Write([]byte("address\x00" + addr.String()))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// count spends one call of the caller's cap, where the endpoint has one, and tells how it stands.
func (a *API) count(ctx context.Context, route routes.Route) error {
	c := callOf(ctx)
	allowed, name := route.Free, route.Name+"-free"
	if c.pro {
		allowed, name = route.Pro, route.Name+"-pro"
	}
	if allowed == (routes.Cap{}) {
		return nil
	}
	d, err := a.config.Limiter.Take(ctx, limit.Limit{Name: name, Calls: allowed.Calls, Window: allowed.Per}, c.subject)
	if err != nil {
		a.config.Log.ErrorContext(ctx, "call not counted", "error", err)
	}
	d.Headers(c.header, a.config.Now())
	switch {
	case d.Allowed:
		return nil
	case c.pro:
		return TooMany.Problem("This key has used up its calls of this minute. Wait as Retry-After says.")
	}
	if !route.Keyed() {
		return TooMany.Problem("There were too many such calls from your address. Wait as Retry-After says.")
	}
	return TooMany.Problem("The free calls of today (UTC) are used up. Wait as Retry-After says, or send a Pro key in X-Api-Key: it has no daily cap.")
}
