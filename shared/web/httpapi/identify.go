package httpapi

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
	"verdetto/shared/web/routes"
)

const KeyHeader = "X-Api-Key"

const viewerAddressHeader = "CloudFront-Viewer-Address"

var (
	BadKey    = ProblemType{Status: http.StatusUnauthorized, Code: "chiave-non-valida", Title: "The key is not valid"}
	PlanEnded = ProblemType{Status: http.StatusUnauthorized, Code: "piano-scaduto", Title: "The plan has ended"}
)

type Customers interface {
	// Customer returns the customer as the latest completed write stored it, or store.ErrNotFound.
	Customer(ctx context.Context, id apikey.CustomerID) (store.Customer, error)
}

func (a *API) identify(r *http.Request, c *call) *Problem {
	c.subject = c.address
	given, sent := r.Header[KeyHeader]
	if !(sent && c.endpoint.route.Keyed()) && !c.endpoint.route.Tokens {
		return nil
	}
	customer, p := a.caller(r.Context(), given)
	if p == nil && customer.ID != "" {
		c.pro, c.subject, c.holder = true, string(customer.ID), customer
	}
	if p == nil || p.Status == http.StatusUnauthorized {
		// capOthers does not check calls with a key, because the limit depends on whether the key
		// is valid.
		if over := a.overOthers(r.Context()); over != nil {
			return over
		}
	}
	if c.pro {
		c.header.Set("X-Plan", "pro")
		c.header.Set("X-Cache", "MISS")
	}
	return p
}

func (a *API) caller(ctx context.Context, given []string) (store.Customer, *Problem) {
	if c := callOf(ctx); c.endpoint.route.Tokens &&
		(len(given) == 0 || len(given) == 1 && !strings.HasPrefix(given[0], "vd_")) {
		return a.holder(ctx, given)
	}
	c, _, p := a.customer(ctx, given)
	return c, p
}

func (a *API) customer(ctx context.Context, given []string) (none store.Customer, _ apikey.Hash, _ *Problem) {
	refused := BadKey.Problem("The header X-Api-Key (or Authorization: Bearer) holds no valid key: it "+
		"was mistyped or replaced. Request a new key with POST /api/v1/pro/recupera, or leave the header "+
		"out for free calls within a daily quota.").
		With("WWW-Authenticate", "ApiKey")
	if len(given) != 1 {
		return none, apikey.Hash{}, refused
	}
	key, ok := apikey.Parse(given[0])
	if !ok {
		return none, apikey.Hash{}, refused
	}
	lookup, known := a.config.Refused.Begin("call", key, a.config.Now())
	if known {
		return none, apikey.Hash{}, refused
	}
	c, err := a.config.Customers.Customer(ctx, key.Customer)
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.HasKey(key) {
		a.config.Refused.Add(lookup, "call", key, a.config.Now())
		return none, apikey.Hash{}, refused
	}
	if p := a.inForce(ctx, c, err); p != nil {
		return none, apikey.Hash{}, p
	}
	c.ID = key.Customer
	return c, apikey.Hash(c.Hash), nil
}

func (a *API) inForce(ctx context.Context, c store.Customer, err error) *Problem {
	switch {
	case err != nil:
		a.config.Log.ErrorContext(ctx, "a key could not be checked, and its caller was told to call again; look at the store if this lasts", "error", err)
		return Unavailable.Problem("Your key could not be checked. Call again in a few seconds.").With("Retry-After", "5")
	case !c.Plan().Live(a.config.Now()):
		todo := "Renew it with POST /api/v1/pro/checkout or GET /v1/pro/cripta, or leave"
		if routes.NothingSold.Load() {
			todo = "Leave"
		}
		return PlanEnded.Problem("The plan of this key ended on "+c.Plan().Until.UTC().Format(time.DateOnly)+
			". "+todo+" the header out for free calls within a daily quota.").
			With("WWW-Authenticate", "ApiKey")
	}
	return nil
}

// The result address is the pseudonym of an IPv4 address or an IPv6 /64. The result network is that of
// an IPv6 /48, and is empty for IPv4.
func (a *API) pseudonyms(addr netip.Addr) (address, network string) {
	if !addr.Is6() {
		return a.pseudonym("address", addr), ""
	}
	return a.pseudonym("address", prefix(addr, 64)), a.pseudonym("network", prefix(addr, 48))
}

func prefix(addr netip.Addr, bits int) netip.Addr {
	p, err := addr.Prefix(bits)
	if err != nil {
		return addr
	}
	return p.Addr()
}

func (a *API) pseudonym(kind string, addr netip.Addr) string {
	return apikey.Pseudonym(a.config.Pepper, kind+"\x00"+addr.String())
}

// viewer returns the caller's address and port. Behind CloudFront they come from a header that
// CloudFront sets, otherwise from the connection, because callers can forge headers.
func (a *API) viewer(r *http.Request) string {
	if len(a.config.OriginSecrets) > 0 {
		return r.Header.Get(viewerAddressHeader)
	}
	return r.RemoteAddr
}

// CloudFront writes IPv6 addresses without brackets: the port starts after the last colon.
func address(s string) netip.Addr {
	host, _, err := net.SplitHostPort(s)
	if err != nil {
		if i := strings.LastIndexByte(s, ':'); i >= 0 {
			host = s[:i]
		}
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return addr.Unmap().WithZone("")
}
