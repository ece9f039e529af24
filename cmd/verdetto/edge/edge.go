// Package edge stands between callers and the service on one machine, as CloudFront does on
// AWS. It finds the caller's address behind a proxy, speaks TLS and compresses. It also caches
// answers that callers share, and limits the connections of an address.
//
// It promises that no caller is counted as another: only the operator's own proxies may name
// the caller in a header. The cache holds only what the table of endpoints lets an edge share,
// and no answer to a call with a key. Start reading at Config.Handler.
package edge

import (
	"net"
	"net/http"
	"time"
)

// Config holds how the service is reached. The zero value means directly and without TLS.
type Config struct {
	Proxies Proxies
	// Certificates enables TLS if set.
	Certificates *Certificates
	// Plain receives callers without TLS, who are redirected; see Certificates.PlainHandler.
	Plain net.Listener
}

// Handler wraps a service in the edge.
func (c Config) Handler(service http.Handler, now func() time.Time) http.Handler {
	return c.Proxies.believe(c.setBrowserHeaders(compress(newCache(service, now, maxBytes))))
}

// setBrowserHeaders sets the headers for browsers that CloudFront sets on AWS. The service may
// override them.
func (c Config) setBrowserHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if c.Certificates != nil {
			// for this name alone: other hosts may serve subdomains
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
