// Package edge is what stands between callers and the service on one machine, as
// the distribution does on AWS: who calls where a proxy stands before us, TLS,
// compression, answers that are shared among callers, and how many connections an
// address may have.
//
// It promises that nobody is counted as somebody else: a header about who calls is
// believed of the operator's own proxies alone. What is shared is what the table of
// endpoints lets an edge share, and nothing that was made for a key.
package edge

import (
	"net"
	"net/http"
	"time"
)

// Config says how the service is reached. Its zero value is: directly, without TLS.
type Config struct {
	Proxies Proxies
	// Certificates, where set, have TLS spoken.
	Certificates *Certificates
	// Plain is where callers come without TLS and are sent on; see Certificates.PlainHandler.
	Plain net.Listener
}

// Handler puts the edge before a service.
func (c Config) Handler(service http.Handler, now func() time.Time) http.Handler {
	return c.Proxies.believe(c.tellBrowsers(compress(newCache(service, now, mostKept))))
}

// tellBrowsers has every answer tell them what it does on AWS; what the service says itself goes before.
func (c Config) tellBrowsers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
		if c.Certificates != nil {
			h.Set("Strict-Transport-Security", "max-age=31536000") // of this name alone: others may be served elsewhere
		}
		next.ServeHTTP(w, r)
	})
}
