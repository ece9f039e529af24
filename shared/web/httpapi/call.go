package httpapi

import (
	"context"
	"errors"
	"net/http"

	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/limit"
)

// call is the state of one request, stored in the request's context. The middleware step match
// creates it with the endpoint; the step identify adds the caller.
type call struct {
	match
	ctx      context.Context // the connection's context: canceled when the caller disconnects
	api      *API
	id       string         // see requestID
	header   http.Header    // response header
	allFares bool           // see Config.AllFares
	address  string         // pseudonym of the caller's address
	network  string         // pseudonym of its IPv6 /48; empty for IPv4
	pro      bool           // a valid key was sent
	subject  string         // the name that is counted: a customer's id, or the address
	holder   store.Customer // customer of the key or token; zero for an anonymous caller
	// language is the language that the caller chose for sentences and names; nil: none
	language *i18n.Language
	fields   fieldTree // the fields of the answer that the caller chose; nil: all
	counted  bool      // already counted towards an endpoint's quota
	// remaining is how many calls are left in the quota that counted this call. It is valid if
	// known is true.
	remaining int64
	known     bool
	refusal   limit.Decision // the limit that refused this call, if one did
}

func (c *call) hungUp() bool { return c.ctx != nil && errors.Is(c.ctx.Err(), context.Canceled) }

type callKey struct{}

// callOf returns the call stored in ctx, or an empty call if ctx belongs to no request.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

// Subject returns the pseudonym under which the caller's calls are counted. It is the customer's id
// for a call with a valid key, otherwise a hash of the address.
func Subject(ctx context.Context) string { return callOf(ctx).subject }

// IsPro reports whether the caller sent a valid key.
func IsPro(ctx context.Context) bool { return callOf(ctx).pro }

// AllFares reports whether the answer may contain single fares of past days or of one departure:
// see Config.AllFares.
func AllFares(ctx context.Context) bool { return callOf(ctx).allFares }

// Data returns the value of the answer's header X-Data, which marks sample fares: see Config.Data.
func Data(ctx context.Context) string { return callOf(ctx).header.Get("X-Data") }
