package httpapi

import (
	"context"
	"net/http"

	"verdetto/shared/limit"
	"verdetto/shared/routes"
)

// TooMany is told to a caller whose calls are used up.
var TooMany = ProblemType{Status: http.StatusTooManyRequests, Code: "troppe-richieste", Title: "Too many calls", Wait: true}

// ConsumeQuota counts a call under the caller's cap of a route, for handlers
// that JSON does not count for. The error is a Problem where the cap is used up.
func (a *API) ConsumeQuota(ctx context.Context, name string) error {
	return a.consumeQuota(ctx, routes.Named(name))
}

// consumeQuota counts a call of the caller's cap, where the route has one, and
// says in the answer's headers how it stands. Where the counter cannot be
// reached the call passes and that is logged.
func (a *API) consumeQuota(ctx context.Context, route routes.Route) error {
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
	case !route.Keyed():
		return TooMany.Problem("There were too many such calls from your address. Wait as Retry-After says.")
	}
	return TooMany.Problem("The free calls of today (UTC) are used up. Wait as Retry-After says, or send a Pro key in X-Api-Key: it has no daily cap.")
}
