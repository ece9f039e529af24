package httpapi

import (
	"context"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

// Usage holds how many calls of an endpoint's quota a caller has used.
type Usage struct {
	Route  routes.Route
	Cap    routes.Cap
	Window int64     // calls in the current window
	Today  int64     // calls of the UTC day if the window is shorter, else of the window
	Reset  time.Time // when the window ends
	Paid   *Paid     // for anonymous callers: where the answer is sold, or nil
}

// Remaining returns how many calls are left in the current window.
func (u Usage) Remaining() int64 { return max(0, u.Cap.Calls-u.Window) }

// UsedByCaller returns the caller's used calls, and counts no call itself. For a caller with a key
// it covers the endpoints with a quota per key, otherwise the endpoints with a quota per address.
// It makes one store query per endpoint.
func UsedByCaller(ctx context.Context) (all []Usage, err error) {
	c := callOf(ctx)
	for _, r := range routes.Table {
		r = c.api.config.Quotas.Capped(r)
		allowed, l := quotaOf(r, c.pro)
		if allowed == (routes.Cap{}) || !c.pro && !r.FreeTier {
			continue
		}
		u := Usage{Route: r, Cap: allowed, Reset: l.Ends(c.api.config.Now())}
		if !c.pro {
			u.Paid = c.api.paidAlternative(r)
		}
		if u.Window, u.Today, err = c.api.config.Limiter.Usage(ctx, l, c.subject); err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

// quotaOf returns an endpoint's quota as a routes.Cap and as a limit.Limit. The quota is per key if
// pro is true, otherwise per address.
func quotaOf(r routes.Route, pro bool) (routes.Cap, limit.Limit) {
	if pro {
		return r.Pro, ProLimit(r)
	}
	return r.Free, FreeLimit(r)
}

// Holder returns the customer of the call's key or token. It returns false if the call had no valid
// key or token.
func Holder(ctx context.Context) (store.Customer, bool) {
	c := callOf(ctx)
	return c.holder, c.pro
}
