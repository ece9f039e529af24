package httpapi

import (
	"context"
	"errors"
	"net/http"

	"verdetto/shared/store"
)

// call is a request while it is answered. The first middleware puts it into the
// request's context with what the router found; identify adds who is calling.
type call struct {
	match
	ctx      context.Context // the connection's: it ends when the caller hangs up
	api      *API
	id       string         // see requestID
	header   http.Header    // of the answer
	allFares bool           // see Config.AllFares
	address  string         // the caller's, as a pseudonym
	network  string         // the pseudonym of its IPv6 /48; empty for IPv4
	pro      bool           // a key was sent that is in force
	subject  string         // who is counted: a customer's id, or the address
	holder   store.Customer // whose key or token was sent; none of an address
	counted  bool           // under the cap of an endpoint
}

// hungUp tells whether the caller has closed the connection: nobody is answered any more.
func (c *call) hungUp() bool { return c.ctx != nil && errors.Is(c.ctx.Err(), context.Canceled) }

type callKey struct{}

// callOf gives the call that is answered in a context; outside of an API an empty one.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// Subject is who the caller is counted as: a pseudonym, the same for the same address or key.
func Subject(ctx context.Context) string { return callOf(ctx).subject }

// IsPro tells a handler whether the caller has sent a key that is in force.
func IsPro(ctx context.Context) bool { return callOf(ctx).pro }

// AllFares tells a handler whether it may show fares of past days and of departures one by one: see Config.AllFares.
func AllFares(ctx context.Context) bool { return callOf(ctx).allFares }

// Data tells a handler how the answers are marked: see Config.Data.
func Data(ctx context.Context) string { return callOf(ctx).header.Get("X-Data") }
