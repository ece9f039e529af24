package outbound

import (
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
)

// targets are the networks and host names of AllowPrivate; nil: none.
type targets struct {
	hosts    []string
	networks []netip.Prefix
}

var allowed atomic.Pointer[targets]

// metadata are private addresses at which cloud providers give secrets to their own machines. No
// setting allows them, nor the link-local addresses, which most providers use for this.
var metadata = []netip.Addr{netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("fd00:ec2::254")}

// overlay holds the addresses of carriers and of overlay networks such as Tailscale's (RFC 6598).
var overlay = netip.MustParsePrefix("100.64.0.0/10")

// AllowPrivate lets all clients of this process reach private addresses: those in the listed
// networks, and those to which the listed host names lead. A process calls it before it serves, and
// only on one machine, whose network belongs to the operator.
func AllowPrivate(list []string) {
	t := &targets{}
	for _, each := range list {
		if network, err := netip.ParsePrefix(each); err == nil {
			t.networks = append(t.networks, network)
		} else if a, err := netip.ParseAddr(each); err == nil {
			t.networks = append(t.networks, netip.PrefixFrom(a, a.BitLen()))
		} else {
			t.hosts = append(t.hosts, strings.ToLower(each))
		}
	}
	allowed.Store(t)
}

// name reports whether the host of a URL is a target: a name of the list, or an address in a network.
func (t *targets) name(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return t.within(a)
	}
	return t != nil && slices.Contains(t.hosts, strings.ToLower(host))
}

// reach reports whether a host may be reached at an address. A name that is not listed must not
// lead to a private address, even if its network is listed.
func (t *targets) reach(host string, a netip.Addr) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return t.within(a)
	}
	return t.name(host) && t.any(a)
}

func (t *targets) any(a netip.Addr) bool {
	named := t != nil && len(t.hosts) > 0 && (a.IsPrivate() || overlay.Contains(a)) && !slices.Contains(metadata, a)
	return named || t.within(a)
}

func (t *targets) within(a netip.Addr) bool {
	return t != nil && (a.IsPrivate() || overlay.Contains(a) || a.IsLoopback()) && !slices.Contains(metadata, a) &&
		slices.ContainsFunc(t.networks, func(n netip.Prefix) bool { return n.Contains(a) })
}
