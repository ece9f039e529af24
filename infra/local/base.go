package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// settleBase decides how links to the service begin: as -base says, with real
// money as the Lambda functions' environment says, and otherwise with the
// address that is answered on. Links in mail have to be https or on this machine,
// so anything else is refused before somebody waits for a mail.
func (c *choices) settleBase(listens net.Addr) error {
	given := c.base
	if given == "" && c.money == "real" {
		given = os.Getenv("VERDETTO_BASE_URL")
		if given == "" {
			return fmt.Errorf("-money real: say with -base or VERDETTO_BASE_URL how the service is reached from outside")
		}
	}
	if given == "" {
		c.base = here(listens)
		given = c.base
	}
	u, err := url.Parse(given)
	local := err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return fmt.Errorf("-base: links to the service cannot begin with %q; give an https address, or one on this machine", given)
	}
	c.base = strings.TrimRight(given, "/")
	return nil
}

// here is how this machine reaches what listens on an address.
func here(listens net.Addr) string {
	if tcp, ok := listens.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + listens.String()
}
