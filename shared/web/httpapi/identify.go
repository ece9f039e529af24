package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"verdetto/shared/apikey"
	"verdetto/shared/store"
)

// KeyHeader carries a Pro key.
const KeyHeader = "X-Api-Key"

// viewerAddressHeader holds the caller's address and port as CloudFront saw them.
const viewerAddressHeader = "CloudFront-Viewer-Address"

// The problems that a caller with a key can meet.
var (
	BadKey    = ProblemType{Status: http.StatusUnauthorized, Code: "chiave-non-valida", Title: "The key is not valid"}
	PlanEnded = ProblemType{Status: http.StatusUnauthorized, Code: "piano-scaduto", Title: "The plan has ended"}
)

// Customers is where keys are looked up.
type Customers interface {
	// Customer gives a customer as of all writes that have returned, or store.ErrNotFound.
	Customer(ctx context.Context, id apikey.CustomerID) (store.Customer, error)
}

// identify finds out who is calling: a customer where the endpoint takes keys
// and one is sent, or a token of one, and otherwise an address. A key that is not
// good is never taken for none.
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
	if p == nil || p.Status == http.StatusUnauthorized && p.Code != PlanEnded.Code {
		// Who shows a key was let in for it, and is known only now.
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

// caller gives whose key or token was sent, if it is in force; nobody for a token that is nobody's.
func (a *API) caller(ctx context.Context, given []string) (store.Customer, *Problem) {
	if c := callOf(ctx); c.endpoint.route.Tokens &&
		(len(given) == 0 || len(given) == 1 && !strings.HasPrefix(given[0], "vd_")) {
		return a.holder(ctx, given)
	}
	c, _, p := a.customer(ctx, given)
	return c, p
}

// customer gives whose key was sent, if it is in force, and the key's hash.
func (a *API) customer(ctx context.Context, given []string) (none store.Customer, _ apikey.Hash, _ *Problem) {
	refused := BadKey.Problem("The header X-Api-Key (or Authorization: Bearer) holds no key that is in force: it was "+
		"mistyped, or replaced by a newer one. "+
		"POST /api/v1/pro/recupera sends a fresh key to the address that paid. Without the header, calls are "+
		"free up to a daily cap.").
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
	if errors.Is(err, store.ErrNotFound) || err == nil && !c.Holds(key) {
		a.config.Refused.Add(lookup, "call", key, a.config.Now())
		return none, apikey.Hash{}, refused
	}
	if p := a.inForce(ctx, c, err); p != nil {
		return none, apikey.Hash{}, p
	}
	c.ID = key.Customer
	return c, apikey.Hash(c.Hash), nil
}

// inForce gives the problem of a customer who could not be read, or whose plan has ended.
func (a *API) inForce(ctx context.Context, c store.Customer, err error) *Problem {
	switch {
	case err != nil:
		a.config.Log.ErrorContext(ctx, "key not checked", "error", err)
		return Unavailable.Problem("Your key could not be checked just now. Try again in a few "+
			"seconds.").With("Retry-After", "5")
	case !c.Plan().Live(a.config.Now()):
		return PlanEnded.Problem("The plan of this key ended on "+c.Plan().Until.UTC().Format(time.DateOnly)+
			". POST /api/v1/pro/checkout or GET /v1/pro/cripta renews it; without the header, calls are "+
			"free up to a daily cap.").
			With("WWW-Authenticate", "ApiKey")
	}
	return nil
}

// pseudonyms stand for an address in the counters, and cannot be read back: an
// IPv6 address is counted with its /64, which is the least that a subscriber is
// given, and with its /48, which is the most. Of IPv4 there is no network.
func (a *API) pseudonyms(addr netip.Addr) (address, network string) {
	if !addr.Is6() {
		return a.pseudonym("address", addr), ""
	}
	return a.pseudonym("address", prefix(addr, 64)), a.pseudonym("network", prefix(addr, 48))
}

func prefix(addr netip.Addr, bits int) netip.Addr {
	p, err := addr.Prefix(bits)
	if err != nil { // no address has so few bits
		return addr
	}
	return p.Addr()
}

func (a *API) pseudonym(kind string, addr netip.Addr) string {
	mac := hmac.New(sha256.New, a.config.Pepper)
	mac.Write([]byte(kind + "\x00" + addr.String()))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// viewer is the caller's address and port. Behind our distribution it is what
// CloudFront says, believed because origin has let the request pass; otherwise
// it is the connection's. No other header is ever looked at: callers write those.
func (a *API) viewer(r *http.Request) string {
	if len(a.config.OriginSecrets) > 0 {
		return r.Header.Get(viewerAddressHeader)
	}
	return r.RemoteAddr
}

// address reads ADDRESS:PORT, cut at the last colon: CloudFront writes IPv6 addresses without brackets.
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
