package edge

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"verdetto/shared/runtime/config"
)

// Proxies holds the addresses of the operator's own proxies. Only these may tell the service the
// caller's address, in the header X-Forwarded-For.
type Proxies struct{ networks []netip.Prefix }

const forwardedFor = "X-Forwarded-For"

// ParseProxies parses a list of addresses and networks, such as 127.0.0.1,10.0.0.0/8. With an empty
// list, no proxy is trusted.
func ParseProxies(list string) (p Proxies, err error) {
	if list == "" {
		return p, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		network, ok := config.Network(part)
		if !ok {
			return Proxies{}, fmt.Errorf("proxies: %q is not their address or network", part)
		}
		p.networks = append(p.networks, network)
	}
	return p, nil
}

// Contains reports whether an address belongs to one of our proxies.
func (p Proxies) Contains(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, n := range p.networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

// believe sets each request's address to the address from which our outermost proxy was called.
// Each proxy appends the address of its caller on the right of the header. So addresses are read
// from the right, as long as they are our own proxies. Anything further left was written by the
// caller and is ignored.
func (p Proxies) believe(next http.Handler) http.Handler {
	if len(p.networks) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if direct, ok := parseHop(r.RemoteAddr); ok && p.Contains(direct) {
			caller := p.caller(direct, r.Header.Values(forwardedFor))
			r = r.Clone(r.Context())
			r.RemoteAddr = netip.AddrPortFrom(caller, 0).String()
		}
		next.ServeHTTP(w, r)
	})
}

// caller reads the addresses in the header lines from the right and returns the first that is not
// our own proxy. The argument at is the address of the connection. An unreadable entry ends the
// search: then the proxy that wrote this entry counts as the caller.
func (p Proxies) caller(at netip.Addr, lines []string) netip.Addr {
	rest := strings.Join(lines, ",")
	for p.Contains(at) && rest != "" {
		i := strings.LastIndexByte(rest, ',')
		addr, ok := parseHop(strings.TrimSpace(rest[i+1:]))
		rest = rest[:max(0, i)]
		if !ok {
			break
		}
		at = addr
	}
	return at
}

// parseHop parses an address with or without a port, IPv6 with or without brackets.
func parseHop(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}
