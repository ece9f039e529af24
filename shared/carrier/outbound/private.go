package outbound

import (
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
)

type targets struct {
	hosts    []string
	networks []netip.Prefix
}

var allowed atomic.Pointer[targets]

// metadata are addresses at which clouds give secrets to their machines. AllowPrivate does not allow
// these addresses.
var metadata = []netip.Addr{netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("fd00:ec2::254")}

var overlay = netip.MustParsePrefix("100.64.0.0/10")

// AllowPrivate replaces the list of addresses, networks and host names whose private addresses all
// clients of this process may call.
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

func (t *targets) name(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		return t.within(a)
	}
	return t != nil && slices.Contains(t.hosts, strings.ToLower(host))
}

// A host name that is not in the list must not lead to a private address, even if the network of
// this address is in the list.
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
