package setup

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
)

// refusal returns why a request must not reach the page, or "". host is the only accepted Host.
func refusal(r *http.Request, host string) (status int, why string) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case err != nil || !from.Addr().Unmap().IsLoopback():
		return http.StatusForbidden, "This page answers only on its own machine."
	case r.Host != host:
		// A foreign name that leads to this machine is DNS rebinding.
		return http.StatusMisdirectedRequest, "This page answers only at the address in the terminal."
	case site != "" && site != "none" && site != "same-origin", origin != "" && origin != "http://"+host:
		return http.StatusForbidden, "This page answers no other page."
	case r.Method == http.MethodPost && origin == "" && site != "same-origin":
		return http.StatusForbidden, "A form must say which page it comes from."
	case slices.Contains(frames, r.Header.Get("Sec-Fetch-Dest")):
		return http.StatusForbidden, "This page is not shown in a frame."
	case r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != "":
		return http.StatusForbidden, "This page is not fetched in advance."
	case r.Method != http.MethodGet && r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "This page answers GET and POST."
	}
	return 0, ""
}

// frames can show another page.
var frames = []string{"iframe", "frame", "embed", "object", "fencedframe"}

// IsLoopback reports whether an address to listen on is reached from this machine only.
func IsLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}
