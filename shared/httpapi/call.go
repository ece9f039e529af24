package httpapi

import (
	"context"
	"net/http"
)

// call is a request while it is answered. The first middleware puts it into the
// request's context with what the router found; identify adds who is calling.
type call struct {
	match
	header   http.Header // of the answer
	allFares bool        // see Config.AllFares
	pro      bool        // a key was sent that is in force
	subject  string      // who is counted: a customer's id, or an address as a pseudonym
}

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
