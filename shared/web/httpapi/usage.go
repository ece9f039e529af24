package httpapi

import (
	"context"
	"time"

	"verdetto/shared/store"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

type Usage struct {
	Route  routes.Route
	Cap    routes.Cap
	Window int64
	Today  int64 // calls of this UTC day
	Reset  time.Time
	Paid   *Paid
}

func (u Usage) Remaining() int64 { return max(0, u.Cap.Calls-u.Window) }

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

func quotaOf(r routes.Route, pro bool) (routes.Cap, limit.Limit) {
	if pro {
		return r.Pro, ProLimit(r)
	}
	return r.Free, FreeLimit(r)
}

func Holder(ctx context.Context) (store.Customer, bool) {
	c := callOf(ctx)
	return c.holder, c.pro
}
