package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/netip"

	"verdetto/shared/store"
	"verdetto/shared/text/i18n"
	"verdetto/shared/web/limit"
)

// call is the state of one request, stored in the request's context. The step match creates it, and
// later steps fill it in.
type call struct {
	match
	ctx      context.Context // canceled when the caller disconnects
	api      *API
	id       string      // see requestID
	header   http.Header // response header
	allFares bool        // see Config.AllFares
	slashed  bool        // the path was found only without its trailing slashes
	address  string      // pseudonym; see API.pseudonyms
	network  string      // pseudonym of the caller's IPv6 /48; empty for IPv4
	from     netip.Addr
	pro      bool
	subject  string         // the id under which calls are counted: the customer's, or the address
	holder   store.Customer // zero for an anonymous caller
	// language is what the caller chose for sentences and names, or nil.
	language *i18n.Language
	fields   Fields // chosen by the caller; nil: all
	counted  bool
	// remaining is how many calls are left in the quota that counted this call, if known is true.
	remaining int64
	known     bool
	refusal   limit.Decision // the limit that refused this call, if any
}

func (c *call) hungUp() bool { return c.ctx != nil && errors.Is(c.ctx.Err(), context.Canceled) }

type callKey struct{}

// callOf returns an empty call if ctx belongs to no request.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

func Subject(ctx context.Context) string { return callOf(ctx).subject }

// Network returns the pseudonym of the caller's IPv4 /24 or IPv6 /48.
func Network(ctx context.Context) string { return callOf(ctx).wide("wide") }

// MailNetwork returns a second pseudonym of the caller's network, used only to limit mails, so that
// stored mail jobs cannot be linked to other calls. It is empty for loopback and private addresses.
func MailNetwork(ctx context.Context) string {
	c := callOf(ctx)
	if c.api == nil || c.from.IsLoopback() || c.from.IsPrivate() {
		return ""
	}
	return c.wide("mails")
}

func (c *call) wide(purpose string) string {
	bits := 48
	if c.from.Is4() {
		bits = 24
	}
	return c.api.pseudonym(purpose, prefix(c.from, bits))
}

func IsPro(ctx context.Context) bool { return callOf(ctx).pro }

func AllFares(ctx context.Context) bool { return callOf(ctx).allFares }

// Data returns Config.Data.
func Data(ctx context.Context) string { return callOf(ctx).header.Get("X-Data") }
