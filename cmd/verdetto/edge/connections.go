package edge

import (
	"net"
	"net/netip"
	"sync"
)

// perAddress is how many connections an address may have at a time, an IPv6 /64 as
// one address. A browser has six of HTTP/1.1 and one of HTTP/2; an office behind one
// address has some dozens. What is over it is closed, and may come back.
const perAddress = 128

// connections counts the connections of a listener by address. Proxies of ours and
// this machine itself are not counted: all callers come from there.
type connections struct {
	net.Listener
	proxies Proxies
	most    int

	mu   sync.Mutex
	open map[netip.Prefix]int
}

// Listen has a listener hold each address to its number of connections.
func (c Config) Listen(l net.Listener) net.Listener {
	return &connections{Listener: l, proxies: c.Proxies, most: perAddress, open: map[netip.Prefix]int{}}
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
		who, err := addr.Prefix(min(addr.BitLen(), 64)) // all of an IPv4 address
		if err != nil {
			return c, nil // no address has fewer bits
		}
		if !l.enter(who) {
			_ = c.Close() // there is nobody to tell
			continue
		}
		return &counted{Conn: c, leave: sync.OnceFunc(func() { l.leave(who) })}, nil
	}
}

func (l *connections) enter(who netip.Prefix) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[who] >= l.most {
		return false
	}
	l.open[who]++
	return true
}

func (l *connections) leave(who netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[who]--; l.open[who] == 0 {
		delete(l.open, who)
	}
}

// counted is a connection that is counted until it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}
