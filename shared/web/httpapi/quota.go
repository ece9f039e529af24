package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

var TooMany = ProblemType{Status: http.StatusTooManyRequests, Code: "troppe-richieste", Title: "Too many calls", Wait: true}

// ConsumeQuota counts a call towards the caller's quota of a route. If the quota is used up, the
// error is a Problem.
func (a *API) ConsumeQuota(ctx context.Context, name string) error {
	_, err := a.ConsumeQuotas(ctx, name, 1)
	return err
}

// Quotas replaces quotas of routes.Table; 0 means no change. Free is for each endpoint of verdicts,
// calendars, places nearby and deals. Calls is keyed by the names of limits and takes precedence.
type Quotas struct {
	Page, Free int64
	Calls      map[string]int64
}

func (q Quotas) Capped(r routes.Route) routes.Route {
	switch r.Name {
	case "home":
		r.Free.Calls = cmp.Or(q.Page, r.Free.Calls)
	case "analisi", "calendario", "vicini", "occasioni":
		r.Free.Calls = cmp.Or(q.Free, r.Free.Calls)
	}
	if r.Free != (routes.Cap{}) {
		r.Free.Calls = cmp.Or(q.Calls[FreeLimit(r).Name], r.Free.Calls)
	}
	if r.Pro != (routes.Cap{}) {
		r.Pro.Calls = cmp.Or(q.Calls[ProLimit(r).Name], r.Pro.Calls)
	}
	return r
}

func (a *API) Capped(r routes.Route) routes.Route { return a.config.Quotas.Capped(r) }

// Remaining returns how many calls are left in the quota that counted this call, or false if no
// quota did.
func Remaining(ctx context.Context) (int64, bool) {
	c := callOf(ctx)
	return c.remaining, c.known
}

func Refusal(ctx context.Context) (calls int64, next time.Time) {
	d := callOf(ctx).refusal
	return d.Limit.Calls, d.Reset
}

func FreeLimit(r routes.Route) limit.Limit {
	return limit.Limit{Name: r.Name + "-free", Calls: r.Free.Calls, Window: r.Free.Per}
}

func NetworkLimit(r routes.Route) limit.Limit {
	return limit.Limit{Name: r.Name + "-network", Calls: routes.PerNetwork * r.Free.Calls, Window: r.Free.Per}
}

// ProLimit keeps counters until the end of the day, so that UsedByCaller can add up a day's calls.
func ProLimit(r routes.Route) limit.Limit {
	return limit.Limit{Name: r.Name + "-pro", Calls: r.Pro.Calls, Window: r.Pro.Per, Keep: 24 * time.Hour}
}

// ConsumeQuotas counts n >= 1 calls and returns how many of the calls the quota allows. If the quota
// allows none, the error is a Problem.
func (a *API) ConsumeQuotas(ctx context.Context, name string, n int) (granted int, err error) {
	c := callOf(ctx)
	route := a.Capped(routes.Named(name))
	allowed, l := quotaOf(route, c.pro)
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
	a.logUncounted(ctx, err)
	if !d.Allowed {
		return 0, a.usedUp(ctx, d, route, c.pro)
	}
	d.Headers(c.header, a.config.Now())
	c.remaining, c.known = d.Remaining, d.Counted
	if network == "" {
		return int(d.Granted), nil
	}
	// A call that the network's quota refuses stays counted for the address, which does little harm
	// because both windows end at the same time.
	for ; granted < int(d.Granted); granted++ {
		all, err := a.config.Limiter.CountShared(ctx, NetworkLimit(route), network)
		a.logUncounted(ctx, err)
		if !all.Allowed && granted == 0 {
			return 0, a.networkUsedUp(ctx, all)
		}
		if !all.Allowed {
			break
		}
	}
	return granted, nil
}

func (a *API) networkUsedUp(ctx context.Context, d limit.Decision) *Problem {
	return a.refuse(ctx, d, "The addresses of your network (its IPv6 /48) have together used up their calls. Wait "+
		"for the seconds in Retry-After, or send a Pro key in X-Api-Key.")
}

// ConsumeLimit counts a call under a limit that the handler chooses. If the limit is reached, the
// error is a Problem with the given detail.
func ConsumeLimit(ctx context.Context, l limit.Limit, subject, detail string) error {
	c := callOf(ctx)
	a := c.api
	d, err := a.config.Limiter.Take(ctx, l, subject)
	a.logUncounted(ctx, err)
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
	c := callOf(ctx)
	c.refusal = d
	d.Headers(c.header, a.config.Now())
	return TooMany.Problem(detail)
}

func (a *API) usedUp(ctx context.Context, d limit.Decision, route routes.Route, pro bool) *Problem {
	switch {
	case route.Path == usagePath:
		return a.refuse(ctx, d, "You have called this endpoint too often. Wait for the seconds in "+
			"Retry-After.")
	case !pro && !route.Keyed():
		return a.refuse(ctx, d, "Your address has made too many such calls. Wait for the seconds in "+
			"Retry-After.")
	case pro:
		p := a.refuse(ctx, d, "This key has used up its calls of this minute. Wait for the seconds in "+
			"Retry-After. GET "+usagePath+" shows what is left of each quota.")
		p.Usage = usagePath
		return p
	}
	text := "You have used up the free calls of today (UTC). Wait for the seconds in Retry-After, or send a Pro key in " +
		"X-Api-Key. GET " + usagePath + " shows what is left of each quota."
	paid := a.paidAlternative(route)
	if paid != nil {
		text += " GET " + paid.Path + " sells the same answer for " + paid.Price + " USDC by x402, at once."
	}
	p := a.refuse(ctx, d, text)
	p.Usage, p.Paid = usagePath, paid
	return p
}

func (a *API) paidAlternative(route routes.Route) *Paid {
	twin, ok := route.Sold()
	if !ok || !a.config.PaidCalls {
		return nil
	}
	return &Paid{Path: twin.Path, Price: twin.PriceText(), Currency: "USDC", Protocol: "x402"}
}

var usagePath = routes.Named("consumo").Path

func (a *API) logUncounted(ctx context.Context, err error) {
	if err != nil {
		a.config.Log.ErrorContext(ctx, "a call could not be counted towards its quota, so it was answered; look at the store if this lasts", "error", err)
	}
}

// capOthers does not refuse calls with a key, or calls of an endpoint with Signed. If the key or the
// signature is invalid, such a call is limited later.
func (a *API) capOthers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := callOf(r.Context())
		c.from = address(a.viewer(r))
		c.address, c.network = a.pseudonyms(c.from)
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

// AdmitCached counts a call that a cache in front of the API answers. If the limit is reached,
// AdmitCached sends the error response and returns false.
func (a *API) AdmitCached(w http.ResponseWriter, r *http.Request) bool {
	c := &call{header: w.Header()}
	c.address, c.network = a.pseudonyms(address(a.viewer(r)))
	ctx := context.WithValue(r.Context(), callKey{}, c)
	for l, subject := range callerLimits(c, routes.Cached) {
		d, err := a.config.Limiter.CountShared(ctx, l, subject)
		a.logUncounted(ctx, err)
		if !d.Allowed {
			letPagesRead(w.Header())
			a.refuse(ctx, d, "You have made too many calls in this minute. Wait for the seconds in Retry-After.").
				With("Cache-Control", "no-store").Write(w, r)
			return false
		}
	}
	return true
}

func otherLimits(c *call) map[limit.Limit]string {
	if c.pro {
		return map[limit.Limit]string{ProLimit(routes.Others): c.subject}
	}
	return callerLimits(c, routes.Others)
}

func callerLimits(c *call, r routes.Route) map[limit.Limit]string {
	limits := map[limit.Limit]string{FreeLimit(r): c.address}
	if c.network != "" {
		limits[NetworkLimit(r)] = c.network
	}
	return limits
}

func (a *API) overOthers(ctx context.Context) *Problem {
	for l, subject := range otherLimits(callOf(ctx)) {
		if d, full := a.config.Limiter.Full(l, subject); full {
			return a.refuse(ctx, d, "You have made too many calls of pages, documents, unknown paths or "+
				"refused requests. Wait for the seconds in Retry-After.")
		}
	}
	return nil
}

func (a *API) countOther(ctx context.Context) {
	c := callOf(ctx)
	for l, subject := range otherLimits(c) {
		_, err := a.config.Limiter.CountShared(ctx, l, subject)
		a.logUncounted(ctx, err)
	}
}
