package outbound

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var forbidden = []string{
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
	"127.0.0.1", "127.0.0.53", "127.255.255.255",
	"168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.1",
	"192.0.0.192", "192.0.2.1", "192.88.99.1",
	"192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
	"239.255.255.250", "240.0.0.1", "255.255.255.255",
	"::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
	"64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1",
	"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::",
	"2002:a9fe:a9fe::1", "2002:a00:1::1", "3fff::1", "5f00::1",
	"fc00::1", "fd00:ec2::254", "fdff:ffff::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "ff0e::1", "4000::1",
	"2606:2800::1%eth0",
}

var public = []string{"93.184.216.34", "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1",
	"169.253.255.255", "2606:2800:220:1:248:1893:25c8:1946", "2a00:1450:4002:402::200e"}

var errConnects = errors.New("connects")

func connecting(answers ...[]string) (c *Client, asked, connected *[]string) {
	asked, connected = new([]string), new([]string)
	c = New(Config{Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		var found []netip.Addr
		for _, a := range answers[len(*asked)%len(answers)] {
			found = append(found, netip.MustParseAddr(a))
		}
		*asked = append(*asked, host)
		return found, nil
	}})
	c.connect = func(_ context.Context, _, address string) (net.Conn, error) {
		*connected = append(*connected, address)
		return nil, errConnects
	}
	return c, asked, connected
}

func bothWays(t *testing.T, attack func(t *testing.T)) {
	t.Run("off", attack)
	t.Run("on", func(t *testing.T) {
		AllowPrivate([]string{"192.168.77.0/24", "127.0.0.9", "fd77::/64", "homeassistant.lan", "n8n"})
		defer allowed.Store(nil)
		attack(t)
	})
}

func TestForbiddenAddresses(t *testing.T) { bothWays(t, testForbiddenAddresses) }

func testForbiddenAddresses(t *testing.T) {
	if len(forbidden) < 40 {
		t.Fatalf("only %d addresses", len(forbidden))
	}
	for _, a := range forbidden {
		c, asked, connected := connecting([]string{a})
		if _, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil); !errors.Is(err, ErrForbidden) ||
			len(*asked) != 1 || len(*connected) > 0 {
			t.Errorf("%s: connected to %v, error %v", a, *connected, err)
		}
		if allowed.Load().any(netip.MustParseAddr(a)) {
			continue
		}
		if err := control("tcp", netip.AddrPortFrom(netip.MustParseAddr(a), securePort).String(),
			nil); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: the last look says %v", a, err)
		}
	}
	for _, a := range public {
		c, _, connected := connecting([]string{a})
		_, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil)
		if diff := cmp.Diff([]string{net.JoinHostPort(a, "443")}, *connected); diff != "" ||
			!errors.Is(err, ErrUnreachable) {
			t.Errorf("%s: error %v %s", a, err, diff)
		}
		for _, port := range []string{"0", "22", "80", "8443"} {
			if err := check(net.JoinHostPort(a, port)); !errors.Is(err, ErrForbidden) {
				t.Errorf("%s on port %s: %v", a, port, err)
			}
		}
	}
}

func TestRebinding(t *testing.T) { bothWays(t, testRebinding) }

func testRebinding(t *testing.T) {
	c, asked, connected := connecting([]string{"93.184.216.34"}, []string{"127.0.0.1"})
	if _, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil); !errors.Is(err, ErrUnreachable) {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"93.184.216.34:443"}, *connected); diff != "" || len(*asked) != 1 {
		t.Errorf("%d look-ups, connected to %s", len(*asked), diff)
	}
	if _, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil); !errors.Is(err, ErrForbidden) ||
		len(*connected) != 1 {
		t.Errorf("the second time: connected to %v, error %v", *connected, err)
	}
	for _, mixed := range [][]string{{"93.184.216.34", "10.0.0.1"}, {"::1", "93.184.216.34"},
		{"1.1.1.1", "8.8.8.8", "::ffff:127.0.0.1"}} {
		c, _, connected := connecting(mixed)
		if _, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil); !errors.Is(err, ErrForbidden) ||
			len(*connected) > 0 {
			t.Errorf("%v: connected to %v, error %v", mixed, *connected, err)
		}
	}
}

func TestAddressesInTurn(t *testing.T) {
	c, _, connected := connecting([]string{"1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4", "1.1.1.5", "1.1.1.6"})
	if _, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil); !errors.Is(err, ErrUnreachable) {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"1.1.1.1:443", "1.1.1.2:443", "1.1.1.3:443", "1.1.1.4:443"}, *connected); diff != "" {
		t.Error(diff)
	}
	c, _, _ = connecting([]string{})
	if _, err := c.Post(t.Context(), "https://hook.example.com/", nil, nil); !errors.Is(err, ErrUnreachable) {
		t.Errorf("a name without an address: %v", err)
	}
}

func TestAllowPrivate(t *testing.T) {
	AllowPrivate([]string{"192.168.77.0/24", "127.0.0.9", "fd77::/64", "HomeAssistant.lan", "n8n"})
	defer allowed.Store(nil)
	for _, c := range []struct {
		url, leads string
		reached    string
	}{
		{"http://192.168.77.5:8123/api/webhook/x", "", "192.168.77.5:8123"},
		{"https://192.168.77.5/", "", "192.168.77.5:443"},
		{"http://[fd77::1]/", "", "[fd77::1]:80"},
		{"http://127.0.0.9:2586/topic", "", "127.0.0.9:2586"},
		{"http://homeassistant.lan:8123/", "192.168.1.2", "192.168.1.2:8123"},
		{"http://HOMEASSISTANT.LAN/", "10.0.0.2", "10.0.0.2:80"},
		{"http://n8n:5678/webhook", "172.18.0.3", "172.18.0.3:5678"},
		{"http://n8n/", "100.64.0.3", "100.64.0.3:80"},
		{"http://192.168.78.5/", "", ""},
		{"http://[::ffff:192.168.77.5]/", "", ""},
		{"http://3232255237/", "192.168.77.5", ""},
		{"https://hook.example.com/", "192.168.77.5", ""}, // an address in an allowed network, but a name that is not allowed
		{"https://hook.example.com/", "192.168.1.2", ""},
		{"http://hook.example.com/", "93.184.216.34", ""},
		{"http://homeassistant.lan/", "127.0.0.1", ""},
		{"http://homeassistant.lan/", "169.254.169.254", ""},
		{"http://homeassistant.lan/", "100.100.100.200", ""},
		{"http://homeassistant.lan/", "fd00:ec2::254", ""},
		{"http://homeassistant.lan:8123/", "93.184.216.34", ""},
		{"http://ada:x@192.168.77.5/", "", ""}, {"ftp://n8n/", "172.18.0.3", ""}, {"http://n8n.example.com/", "172.18.0.3", ""},
	} {
		client, _, connected := connecting([]string{c.leads})
		if c.leads == "" {
			client, _, connected = connecting()
		}
		_, err := client.Post(t.Context(), c.url, nil, nil)
		got := ""
		if len(*connected) > 0 {
			got = (*connected)[0]
		}
		if got != c.reached || got == "" && !errors.Is(err, ErrForbidden) {
			t.Errorf("%s at %s: connected to %q, want %q; error %v", c.url, c.leads, got, c.reached, err)
		}
	}
	AllowPrivate([]string{"0.0.0.0/1", "128.0.0.0/1", "::/1"})
	for _, a := range []string{"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fe80::1", "0.0.0.0"} {
		if err := control("tcp", netip.AddrPortFrom(netip.MustParseAddr(a), 80).String(), nil); !errors.Is(err, ErrForbidden) {
			t.Errorf("%s: %v", a, err)
		}
	}
}
