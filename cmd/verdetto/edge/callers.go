package edge

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"verdetto/shared/runtime/config"
)

// Proxies holds the operator's own proxies, from which X-Forwarded-For is trusted.
type Proxies struct{ networks []netip.Prefix }

const forwardedFor = "X-Forwarded-For"

// ParseProxies takes addresses and networks, such as 127.0.0.1,10.0.0.0/8. With an empty list,
// no proxy is trusted.
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

func (p Proxies) Contains(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, n := range p.networks {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

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

// Each proxy appends the address of its caller to X-Forwarded-For. So caller reads addresses from the right until an
// address is not that of an own proxy; a caller may have forged the rest.
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

func parseHop(text string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(text); err == nil {
		text = host
	}
	addr, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return addr.Unmap().WithZone(""), err == nil
}

// perAddress limits the open connections of an address. An IPv6 /64 counts as one address, and a
// whole office may share an address.
const perAddress = 128

// Own proxies and loopback addresses have no limit, because the connections of all callers behind a
// proxy come from the proxy's address.
type connections struct {
	net.Listener
	proxies Proxies
	most    int

	mu     sync.Mutex
	counts map[netip.Prefix]int
}

func (c Config) Listen(l net.Listener) net.Listener {
	return &connections{Listener: l, proxies: c.Proxies, most: perAddress, counts: map[netip.Prefix]int{}}
}

func (l *connections) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		addr, ok := parseHop(c.RemoteAddr().String())
		if !ok || addr.IsLoopback() || l.proxies.Contains(addr) {
			return c, nil
		}
		who, err := addr.Prefix(min(addr.BitLen(), 64)) // an IPv6 /64, or a whole IPv4 address
		if err != nil {
			return c, nil //nolint:nilerr // cannot happen: no address has fewer bits
		}
		if !l.enter(who) {
			_ = c.Close()
			continue
		}
		return &countedConn{Conn: c, release: sync.OnceFunc(func() { l.release(who) })}, nil
	}
}

func (l *connections) enter(who netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts[who] >= l.most {
		return false
	}
	l.counts[who]++
	return true
}

func (l *connections) release(who netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts[who]--; l.counts[who] == 0 {
		delete(l.counts, who)
	}
}

type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	c.release()
	return c.Conn.Close()
}
