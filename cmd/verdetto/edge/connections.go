package edge

import (
	"net"
	"net/netip"
	"sync"
)

// perAddress is the most open connections per address; an IPv6 /64 counts as one address. A
// browser opens six by HTTP/1.1 and one by HTTP/2; an office behind one address opens some
// dozens. A connection above the limit is closed, and the caller may retry.
const perAddress = 128

// connections counts the open connections of a listener by address. Our own proxies and this
// machine's addresses have no limit, because the connections of all callers behind a proxy come
// from its address.
type connections struct {
	net.Listener
	proxies Proxies
	most    int

	mu     sync.Mutex
	counts map[netip.Prefix]int
}

// Listen returns a listener that limits the connections of each address.
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
		who, err := addr.Prefix(min(addr.BitLen(), 64)) // an IPv4 address in full
		if err != nil {
			return c, nil //nolint:nilerr // cannot happen: no address has fewer bits
		}
		if !l.enter(who) {
			_ = c.Close() // the caller cannot be informed
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

// countedConn is a connection that counts towards its address's limit until it is closed.
type countedConn struct {
	net.Conn
	release func()
}

func (c *countedConn) Close() error {
	c.release()
	return c.Conn.Close()
}
