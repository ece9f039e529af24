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

type call struct {
	match
	ctx      context.Context
	api      *API
	id       string
	header   http.Header
	allFares bool
	slashed  bool
	address  string
	network  string // pseudonym of the caller's IPv6 /48; empty for IPv4
	from     netip.Addr
	pro      bool
	subject  string
	holder   store.Customer // zero for an anonymous caller
	language *i18n.Language
	fields   Fields
	counted  bool
	// remaining is valid only if known is true.
	remaining int64
	known     bool
	refusal   limit.Decision
}

func (c *call) hungUp() bool { return c.ctx != nil && errors.Is(c.ctx.Err(), context.Canceled) }

type callKey struct{}

func callOf(ctx context.Context) *call {
	if c, ok := ctx.Value(callKey{}).(*call); ok {
		return c
	}
	return &call{}
}

func Subject(ctx context.Context) string { return callOf(ctx).subject }

// Network returns the pseudonym of the caller's IPv4 /24 or IPv6 /48.
func Network(ctx context.Context) string { return callOf(ctx).wide("wide") }

// MailNetwork returns a pseudonym for stored mail jobs, which differs from that of Network. The
// pseudonym is empty for loopback and private addresses.
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

func Data(ctx context.Context) string { return callOf(ctx).header.Get("X-Data") }
