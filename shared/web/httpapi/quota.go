package httpapi

import (
	"context"
	"net/http"
	"slices"
	"time"

	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

// TooMany is told to a caller whose calls are used up.
var TooMany = ProblemType{Status: http.StatusTooManyRequests, Code: "troppe-richieste",
	Title: "Too many calls", Wait: true}

// ConsumeQuota counts a call under the caller's cap of a route, for handlers
// that JSON does not count for. The error is a Problem where the cap is used up.
func (a *API) ConsumeQuota(ctx context.Context, name string) error {
	return a.consumeQuota(ctx, routes.Named(name))
}

// ConsumeQuotas counts n calls, which is 1 or more, in one write, and gives how
// many of them the caller's cap grants. The error is a Problem where it is used up.
func (a *API) ConsumeQuotas(ctx context.Context, name string, n int) (granted int, err error) {
	return a.consumeQuotas(ctx, routes.Named(name), n)
}

// FreeLimit is the cap of an endpoint for an address, NetworkLimit that for all
// addresses of an IPv6 /48 together, and ProLimit that for a key, whose counters
// are kept to the end of the day for who asks what was used.
func FreeLimit(r routes.Route) limit.Limit {
	return limit.Limit{Name: r.Name + "-free", Calls: r.Free.Calls, Window: r.Free.Per}
}

// NetworkLimit: see FreeLimit.
func NetworkLimit(r routes.Route) limit.Limit {
	return limit.Limit{Name: r.Name + "-network", Calls: routes.PerNetwork * r.Free.Calls, Window: r.Free.Per}
}

// ProLimit: see FreeLimit.
func ProLimit(r routes.Route) limit.Limit {
	return limit.Limit{Name: r.Name + "-pro", Calls: r.Pro.Calls, Window: r.Pro.Per, Kept: 24 * time.Hour}
}

// consumeQuota counts a call under the caller's cap of a route and writes the answer's
// headers. It is one write, and one more for a small cap of a network. Where the counter
// cannot be reached the call passes and that is logged.
func (a *API) consumeQuota(ctx context.Context, route routes.Route) error {
	_, err := a.consumeQuotas(ctx, route, 1)
	return err
}

func (a *API) consumeQuotas(ctx context.Context, route routes.Route, n int) (granted int, err error) {
	c := callOf(ctx)
	allowed, l := capOf(route, c.pro)
	if allowed == (routes.Cap{}) {
		return n, nil
	}
	c.counted = true
	network := c.network
	if c.pro {
		network = ""
	}
	if network != "" {
		if d, full := a.config.Limiter.Full(NetworkLimit(route), network); full {
			return 0, a.networkUsedUp(ctx, d)
		}
	}
	d, err := a.config.Limiter.TakeSeveral(ctx, l, c.subject, int64(n))
	a.notCounted(ctx, err)
	if !d.Allowed {
		return 0, a.usedUp(ctx, d, route, c.pro)
	}
	d.Headers(c.header, a.config.Now())
	if network == "" {
		return int(d.Granted), nil
	}
	for ; granted < int(d.Granted); granted++ {
		all, err := a.config.Limiter.Join(ctx, NetworkLimit(route), network)
		a.notCounted(ctx, err)
		if !all.Allowed && granted == 0 {
			return 0, a.networkUsedUp(ctx, all)
		}
		if !all.Allowed {
			break
		}
	}
	return granted, nil
}

// networkUsedUp is the problem of a caller whose network has used up its calls.
func (a *API) networkUsedUp(ctx context.Context, d limit.Decision) *Problem {
	return a.refuse(ctx, d, "All addresses of your network together (its IPv6 /48) have used up their calls. Wait as "+
		"Retry-After says, or send a Pro key in X-Api-Key.")
}

// ConsumeLimit counts a call under a limit of the handler's own. The error is a Problem
// with the detail where it is used up. The answer's headers tell of this limit then, or
// where the route has no cap.
func ConsumeLimit(ctx context.Context, l limit.Limit, subject, detail string) error {
	c := callOf(ctx)
	a := c.api
	d, err := a.config.Limiter.Take(ctx, l, subject)
	a.notCounted(ctx, err)
	if !d.Allowed {
		return a.refuse(ctx, d, detail)
	}
	if !c.counted {
		c.counted = true
		d.Headers(c.header, a.config.Now())
	}
	return nil
}

func (a *API) refuse(ctx context.Context, d limit.Decision, detail string) *Problem {
	d.Headers(callOf(ctx).header, a.config.Now())
	return TooMany.Problem(detail)
}

// usedUp is the problem of a caller whose calls of an endpoint are used up.
func (a *API) usedUp(ctx context.Context, d limit.Decision, route routes.Route, pro bool) *Problem {
	switch {
	case route.Path == usagePath:
		return a.refuse(ctx, d, "What is left was asked for too often. Wait as Retry-After says.")
	case !pro && !route.Keyed():
		return a.refuse(ctx, d, "There were too many such calls from your address. Wait as Retry-After says.")
	case pro:
		p := a.refuse(ctx, d, "This key has used up its calls of this minute. Wait as Retry-After says. "+
			"GET "+usagePath+" says what is left of each cap.")
		p.Usage = usagePath
		return p
	}
	text := "The free calls of today (UTC) are used up. Wait as Retry-After says, or send a Pro key in X-Api-Key: it " +
		"has no daily cap. GET " + usagePath + " says what is left of each cap."
	paid := a.paid(route)
	if paid != nil {
		text += " GET " + paid.Path + " answers the same question at once, for a payment of " +
			paid.Price + " USDC by x402."
	}
	p := a.refuse(ctx, d, text)
	p.Usage, p.Paid = usagePath, paid
	return p
}

// paid is where the answers of a route are sold one by one; nil where they are not.
func (a *API) paid(route routes.Route) *Paid {
	twin, ok := route.Sold()
	if !ok || !a.config.PaidCalls {
		return nil
	}
	return &Paid{Path: twin.Path, Price: twin.PriceText(), Currency: "USDC", Protocol: "x402"}
}

var usagePath = routes.Named("consumo").Path

func (a *API) notCounted(ctx context.Context, err error) {
	if err != nil {
		a.config.Log.ErrorContext(ctx, "call not counted", "error", err)
	}
}

// capOthers counts in memory the calls that no cap of an endpoint counts, and refuses
// callers who make too many: routes.Others. A caller with a key or a signature is
// refused only once that is known to be wrong.
func (a *API) capOthers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		c.address, c.network = a.pseudonyms(address(a.viewer(r)))
		if !provesItself(c, r) {
			if p := a.overOthers(r.Context()); p != nil {
				if c.resource != nil && slices.Contains(c.resource.methods, http.MethodGet) {
					letPagesRead(w.Header())
				}
				p.Write(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
		if !c.counted {
			a.countOther(r.Context())
		}
	})
}

func provesItself(c *call, r *http.Request) bool {
	if c.endpoint == nil {
		return false
	}
	route := c.endpoint.route
	return route.Signed || (route.Keyed() || route.KeyInHandler) &&
		(r.Header.Get(KeyHeader) != "" || r.Header.Get("Authorization") != "")
}

// othersOf are the limits of a caller's other calls, each with who is counted.
func othersOf(c *call) map[limit.Limit]string {
	if c.pro {
		return map[limit.Limit]string{ProLimit(routes.Others): c.subject}
	}
	of := map[limit.Limit]string{FreeLimit(routes.Others): c.address}
	if c.network != "" {
		of[NetworkLimit(routes.Others)] = c.network
	}
	return of
}

// overOthers gives the problem of a caller whose other calls are used up.
func (a *API) overOthers(ctx context.Context) *Problem {
	for l, subject := range othersOf(callOf(ctx)) {
		if d, full := a.config.Limiter.Full(l, subject); full {
			return a.refuse(ctx, d, "There were far more calls than anybody needs, of pages, documents, unknown "+
				"paths or refused requests. Wait as Retry-After says.")
		}
	}
	return nil
}

func (a *API) countOther(ctx context.Context) {
	c := callOf(ctx)
	for l, subject := range othersOf(c) {
		_, err := a.config.Limiter.Join(ctx, l, subject)
		a.notCounted(ctx, err)
	}
}
