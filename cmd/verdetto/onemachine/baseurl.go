package onemachine

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
)

// BaseURL returns the start of all links to the service: the given URL, else (with real payments)
// VERDETTO_BASE_URL, else the listening address. Links in mails must be https or lead to this
// machine; any other URL is rejected at start, before a user waits for a mail.
func BaseURL(given string, realPayments bool, listens net.Addr) (string, error) {
	if given == "" && realPayments {
		given = os.Getenv("VERDETTO_BASE_URL")
		if given == "" {
			return "", fmt.Errorf("-money real: set the public address of the service with -base or VERDETTO_BASE_URL")
		}
	}
	if given == "" {
		given = LocalURL(listens)
	}
	u, err := url.Parse(given)
	local := err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return "", fmt.Errorf("-base: %q cannot be the start of links; set an https address, or one on this machine", given)
	}
	return strings.TrimRight(given, "/"), nil
}

// LocalURL returns the URL of a listening address as seen from this machine.
func LocalURL(listens net.Addr) string {
	if tcp, ok := listens.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + listens.String()
}
