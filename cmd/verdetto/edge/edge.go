// Package edge stands in front of the service on one machine, as CloudFront does on AWS. It finds the
// caller's address behind a proxy, speaks TLS, compresses answers, caches those that are the same
// for all callers, and limits the open connections of each address.
//
// No caller is mistaken for another: only the operator's own proxies may write the caller's address
// into a header, and the cache stores only answers that the table of endpoints (shared/web/routes)
// allows an edge to share, and none that depend on a key. Start reading at Config.Handler.
package edge

import (
	"net"
	"net/http"
	"time"
)

// Config holds how callers reach the service. With the zero value, they connect directly and
// without TLS.
type Config struct {
	Proxies      Proxies
	Certificates *Certificates
	// Plain is the listener for callers without TLS, who are redirected to https; see
	// Certificates.PlainHandler.
	Plain net.Listener
}

// Handler wraps a service with the caller's address, security headers, the cache and compression. It
// asks admit before it answers a call from the cache.
func (c Config) Handler(service http.Handler, admit admit, now func() time.Time) http.Handler {
	return c.Proxies.believe(c.setBrowserHeaders(newCache(compress(service), admit, now, maxBytes)))
}

// setBrowserHeaders sets the security headers for browsers that CloudFront sets on AWS, such as
// Strict-Transport-Security. The service may override these headers.
func (c Config) setBrowserHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if c.Certificates != nil {
			// no includeSubDomains: servers of other operators may run on subdomains
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
