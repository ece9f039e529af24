package outbound_test

import (
	"errors"
	"strings"
	"testing"

	"verdetto/shared/carrier/outbound"
)

var hosts = []string{
	"127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
	"169.254.169.254", "169.254.170.2", "100.64.0.1", "100.100.100.200", "192.0.0.192", "168.63.129.16", "198.18.0.1",
	"192.0.2.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
	"255.255.255.255",
	"[::1]", "[::]", "[fe80::1]", "[fe80::1%25eth0]", "[fd00:ec2::254]", "[fc00::1]", "[fec0::1]", "[ff02::1]",
	"[2001:db8::1]", "[3fff::1]",
	"[::ffff:127.0.0.1]", "[::ffff:93.184.216.34]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]", "[64:ff9b::7f00:1]",
	"[64:ff9b::169.254.169.254]", "[64:ff9b:1::1]",
	"[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001:20::1]", "[5f00::1]",
	"[100::1]",
	"127.1", "127.0.1", "0", "0x7f000001", "0x7f.0.0.1", "0x7f.1", "2130706433", "017700000001", "0177.0.0.1",
	"127.0.0.01", "1.1.1", "127.0.0.1.",
	"localhost", "localhost.", "LOCALHOST", "db.localhost", "printer.local", "metadata.google.internal", "router.lan",
	"nas.home", "server", "1.0.0.127.in-addr.arpa", "x.onion", "hook.test",
	"", ".", "a..b", "-a.com", "a-.com", "exa mple.com", "ex%61mple.com", "１２７.0.0.1", "éxample.com",
	"exam_ple.com:80", "a.com:8443", "a.com:", "[::1", "::1", "a,b.com",
}

func TestRefusesHosts(t *testing.T) {
	t.Run("off", refusesHosts)
	t.Run("on", func(t *testing.T) {
		outbound.AllowPrivate([]string{"192.168.77.0/24", "homeassistant.lan"})
		defer outbound.AllowPrivate(nil)
		refusesHosts(t)
	})
}

func refusesHosts(t *testing.T) {
	if len(hosts) < 40 {
		t.Fatalf("only %d hosts", len(hosts))
	}
	for _, host := range hosts {
		if u, err := outbound.ParseURL("https://" + host + "/hook"); !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("%s: %v, error %v", host, u, err)
		}
	}
}

func TestParseURL(t *testing.T) {
	for _, c := range []struct{ name, raw, want, fault string }{
		{name: "a name", raw: "https://hook.example.com/a/b?c=d", want: "https://hook.example.com/a/b?c=d"},
		{name: "capitals", raw: "https://Hook.Example.COM/A", want: "https://hook.example.com/A"},
		{name: "no path", raw: "https://example.com", want: "https://example.com"},
		{name: "the port of https", raw: "https://example.com:443/", want: "https://example.com:443/"},
		{name: "in Punycode", raw: "https://xn--bcher-kva.example.com/", want: "https://xn--bcher-kva.example.com/"},
		{name: "a public address", raw: "https://93.184.216.34/", want: "https://93.184.216.34/"},
		{name: "a public address of IPv6", raw: "https://[2606:2800:220:1:248:1893:25c8:1946]/",
			want: "https://[2606:2800:220:1:248:1893:25c8:1946]/"},
		{name: "underscores", raw: "https://my_hook.example.com/", want: "https://my_hook.example.com/"},
		{name: "http", raw: "http://example.com/", fault: "https"},
		{name: "no scheme", raw: "example.com/hook", fault: "https"},
		{name: "a file", raw: "file:///etc/passwd", fault: "https"},
		{name: "gopher", raw: "gopher://example.com/", fault: "https"},
		{name: "a user", raw: "https://ada@example.com/", fault: "user"},
		{name: "a password", raw: "https://ada:x@example.com/", fault: "user"},
		{name: "a user who looks like a host", raw: "https://example.com:x@127.0.0.1/", fault: "user"},
		{name: "a fragment", raw: "https://example.com/#a", fault: "fragment"},
		{name: "an empty fragment", raw: "https://example.com/#", fault: "fragment"},
		{name: "a backslash", raw: `https://example.com\@127.0.0.1/`, fault: "escaped"},
		{name: "a line end", raw: "https://example.com/\r\nX: y", fault: "escaped"},
		{name: "a blank", raw: "https://example.com/ a", fault: "escaped"},
		{name: "another port", raw: "https://example.com:22/", fault: "443"},
		{name: "the port of http", raw: "https://example.com:80/", fault: "443"},
		{name: "opaque", raw: "https:example.com", fault: ""},
		{name: "nothing", raw: "", fault: "https"},
		{name: "too long", raw: "https://example.com/" + strings.Repeat("a", outbound.MaxURL), fault: "over 500"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := outbound.ParseURL(c.raw)
			switch {
			case c.want != "" && (err != nil || u.String() != c.want):
				t.Errorf("%v %v, want %s", u, err, c.want)
			case c.want == "" && (!errors.Is(err, outbound.ErrForbidden) || !strings.Contains(err.Error(), c.fault)):
				t.Errorf("%v %v, want a fault of %q", u, err, c.fault)
			}
		})
	}
}
