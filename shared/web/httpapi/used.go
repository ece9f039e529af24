package httpapi

import (
	"context"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

// Used is what a caller has used of the cap of an endpoint.
type Used struct {
	Route  routes.Route
	Cap    routes.Cap
	Window int64     // calls of the window that runs
	Today  int64     // calls of the day (UTC), where the window is a part of it; else those of the window
	Reset  time.Time // when the window ends
	Paid   *Paid     // without a key: where the same answers are sold one by one; nil where they are not
}

// Left is how many calls the window still has.
func (u Used) Left() int64 { return max(0, u.Cap.Calls-u.Window) }

// UsedByCaller reads what was counted of the caller: with a key of every endpoint that
// counts by key, else of those that answer about fares. It counts nothing, and is one
// query for each endpoint.
func UsedByCaller(ctx context.Context) (all []Used, err error) {
	c := callOf(ctx)
	for _, r := range routes.Table {
		allowed, l := capOf(r, c.pro)
		if allowed == (routes.Cap{}) || !c.pro && !r.FreeTier {
			continue
		}
		u := Used{Route: r, Cap: allowed, Reset: l.Ends(c.api.config.Now())}
		if !c.pro {
			u.Paid = c.api.paid(r)
		}
		if u.Window, u.Today, err = c.api.config.Limiter.Used(ctx, l, c.subject); err != nil {
			return nil, err
		}
		all = append(all, u)
	}
	return all, nil
}

// capOf is the cap of an endpoint for a key, or for an address, and the limit that it is counted under.
func capOf(r routes.Route, pro bool) (routes.Cap, limit.Limit) {
	if pro {
		return r.Pro, ProLimit(r)
	}
	return r.Free, FreeLimit(r)
}

// Holder is whose key or token the call was made with, as it was read to let the
// call in; false without one.
func Holder(ctx context.Context) (store.Customer, bool) {
	c := callOf(ctx)
	return c.holder, c.pro
}
