package edge

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
)

type from struct {
	net.Conn
	addr string
}

func (c from) RemoteAddr() net.Addr {
	a, err := net.ResolveTCPAddr("tcp", c.addr)
	if err != nil {
		panic(err)
	}
	return a
}

type offered struct {
	net.Listener
	waiting []net.Conn
}

func (l *offered) Accept() (net.Conn, error) {
	if len(l.waiting) == 0 {
		return nil, io.EOF
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	return c, nil
}

func accepted(t *testing.T, l net.Listener, o *offered, addresses ...string) []net.Conn {
	t.Helper()
	for _, a := range addresses {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		o.waiting = append(o.waiting, from{ours, a})
	}
	var in []net.Conn
	for {
		c, err := l.Accept()
		if errors.Is(err, io.EOF) {
			return in
		}
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, c)
	}
}

func times(n int, address string) []string {
	var all []string
	for range n {
		all = append(all, address)
	}
	return all
}

func TestConnections(t *testing.T) {
	proxies, err := ParseProxies("10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	o := &offered{}
	l := Config{Proxies: proxies}.Listen(o)
	for _, c := range []struct {
		name, address string
		want          int
	}{
		{"an address", "203.0.113.9:1", perAddress},
		{"another", "203.0.113.10:1", perAddress},
		{"an IPv6 /64", "[2001:db8::1]:1", perAddress},
		{"the same /64", "[2001:db8::2]:1", 0},
		{"another /64", "[2001:db8:0:1::1]:1", perAddress},
		{"the first once more, as a mapped address", "[::ffff:203.0.113.9]:1", 0},
		{"a proxy of ours", "10.1.2.3:1", 1000},
		{"this machine", "127.0.0.1:1", 1000},
	} {
		if in := accepted(t, l, o, times(1000, c.address)...); len(in) != c.want {
			t.Errorf("%s has %d connections, want %d", c.name, len(in), c.want)
		}
	}
}

func TestConnectionsEnd(t *testing.T) {
	o := &offered{}
	l := Config{}.Listen(o)
	in := accepted(t, l, o, times(perAddress+5, "203.0.113.9:1")...)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { in[0].Close() })
	}
	all.Wait()
	if more := accepted(t, l, o, times(5, "203.0.113.9:1")...); len(more) != 1 {
		t.Errorf("%d were let in after one had gone", len(more))
	} else {
		in[0] = more[0]
	}
	for _, c := range in {
		c.Close()
	}
	if left := l.(*connections).counts; len(left) != 0 {
		t.Errorf("still counted: %v", left)
	}
}
