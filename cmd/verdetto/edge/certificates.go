package edge

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"verdetto/shared/runtime/retry"
)

// Certificates has certificates issued for domains of ours, by ACME, and renews
// them. It keeps them, and the account's key, in a folder.
type Certificates struct {
	manager *autocert.Manager
	domains []string
}

// NewCertificates takes domains and a directory as the settings of TLS have them, and
// the folder. Without a directory it is Let's Encrypt, whose terms are agreed to.
func NewCertificates(domains, folder, directory string) (*Certificates, error) {
	c := &Certificates{}
	for part := range strings.SplitSeq(domains, ",") {
		c.domains = append(c.domains, strings.ToLower(strings.TrimSpace(part)))
	}
	if directory == "" {
		directory = autocert.DefaultACMEDirectory
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of certificates: %w", err)
	}
	c.manager = &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(folder), HostPolicy: autocert.HostWhitelist(c.domains...),
		Client: &acme.Client{DirectoryURL: directory, UserAgent: "verdetto"},
	}
	return c, nil
}

// Domain is the first, by which the service is known.
func (c *Certificates) Domain() string { return c.domains[0] }

// TLS is how connections are encrypted: 1.2 or newer, HTTP/2 where the caller speaks it.
func (c *Certificates) TLS() *tls.Config {
	settings := c.manager.TLSConfig()
	settings.MinVersion = tls.VersionTLS12
	return settings
}

// PlainHandler answers on port 80: who issues certificates asks there for proof,
// and everybody else is sent to https.
func (c *Certificates) PlainHandler() http.Handler {
	return c.manager.HTTPHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		if !slices.Contains(c.domains, host) {
			host = c.Domain() // nobody is sent where a caller's header says
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
	}))
}

var waits = retry.Backoff{First: 2 * time.Minute, Longest: time.Hour}

// Obtain begins to have all certificates issued that are not there, so that no
// caller waits for one, and the operator reads at once what is missing. Where one is
// refused it is asked for again, less and less often, until the context ends: who
// issues them bounds that too.
func (c *Certificates) Obtain(ctx context.Context, log *slog.Logger) {
	for _, domain := range c.domains {
		go func() {
			for try := 1; ctx.Err() == nil; try++ {
				until, err := c.obtain(domain)
				if err == nil {
					log.InfoContext(ctx, "certificate", "domain", domain, "until", until)
					return
				}
				wait := waits.After(try)
				log.ErrorContext(ctx, "no certificate. Does the name lead to this machine, and are ports 80 and 443 open?", "domain", domain, "error", err, "again", wait)
				_ = retry.Sleep(ctx, wait) // the loop ends with the context
			}
		}()
	}
}

func (c *Certificates) obtain(domain string) (until time.Time, err error) {
	// As today's callers ask: a certificate of an elliptic curve.
	certificate, err := c.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: domain,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
	if err != nil {
		return time.Time{}, err
	}
	return certificate.Leaf.NotAfter, nil
}
