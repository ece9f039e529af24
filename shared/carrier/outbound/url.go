package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const (
	securePort = 443
	MaxURL     = 500 // in bytes
)

var privateDomains = []string{"localhost", "local", "internal", "home", "lan", "corp", "arpa", "test", "invalid", "example",
	"onion", "localdomain"}

var label = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)

// ParseURL accepts https URLs on port 443 of public hosts, and for targets of AllowPrivate also
// http and other ports. It does not look the host name up: Client checks the addresses at each
// call. Errors wrap ErrForbidden.
func ParseURL(raw string) (*url.URL, error) {
	refuse := func(why string) (*url.URL, error) { return nil, fmt.Errorf("%w: %s", ErrForbidden, why) }
	if len(raw) > MaxURL {
		return refuse(fmt.Sprintf("the URL has over %d characters", MaxURL))
	}
	for _, r := range raw {
		if r <= ' ' || r > '~' || r == '\\' {
			return refuse("the URL holds a character that is to be escaped")
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return refuse("not a URL")
	}
	private := allowed.Load().name(u.Hostname())
	switch {
	case private && u.Scheme == "http":
	case u.Scheme != "https":
		return refuse("not https")
	}
	switch {
	case u.User != nil:
		return refuse("the URL names a user")
	case u.Fragment != "" || strings.HasSuffix(raw, "#"):
		return refuse("the URL has a fragment")
	case u.Opaque != "":
		return refuse("not a URL")
	case private && !strings.HasSuffix(u.Host, ":"):
		u.Host = strings.ToLower(u.Host)
		return u, nil
	case u.Port() != "" && u.Port() != "443" || strings.HasSuffix(u.Host, ":"):
		return refuse("a port other than 443")
	}
	if why := refusedHost(u.Hostname()); why != "" {
		return refuse(why)
	}
	u.Host = strings.ToLower(u.Host)
	return u, nil
}

func refusedHost(host string) string {
	host = strings.ToLower(host)
	if a, err := netip.ParseAddr(host); err == nil {
		if check(netip.AddrPortFrom(a, securePort).String()) != nil {
			return "not a public address"
		}
		return ""
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	switch {
	case len(host) > 253, slices.ContainsFunc(labels, func(l string) bool { return !label.MatchString(l) }):
		return "not a name of the DNS"
	// Some programs read hosts such as 127.1 and 0x7f000001 as addresses.
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return "an address in an unusual form"
	case len(labels) < 2 || slices.Contains(privateDomains, last):
		return "not a name of the public DNS"
	}
	return ""
}
