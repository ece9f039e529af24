// Package edge stands in front of the service on one machine, as CloudFront does on AWS. It finds the
// caller's address behind a proxy, speaks TLS, compresses answers, caches those that are the same
// for all callers, and limits the open connections of each address. Start reading at Config.Handler.
package edge

import (
	"net"
	"net/http"
	"time"
)

// With the zero Config, callers connect directly and without TLS.
type Config struct {
	Proxies      Proxies
	Certificates *Certificates
	Plain        net.Listener
}

// Handler calls admit for each call that it answers from the cache.
func (c Config) Handler(service http.Handler, admit admit, now func() time.Time) http.Handler {
	return c.Proxies.believe(c.setBrowserHeaders(newCache(compress(service), admit, now, maxBytes)))
}

func (c Config) setBrowserHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if c.Certificates != nil {
			// includeSubDomains is missing, because other operators may run servers on subdomains.
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
