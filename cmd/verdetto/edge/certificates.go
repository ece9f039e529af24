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

type Certificates struct {
	manager *autocert.Manager
	domains []string
}

// NewCertificates accepts the terms of the ACME issuer. directory is the issuer's URL, by default that
// of Let's Encrypt.
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

func (c *Certificates) Domain() string { return c.domains[0] }

func (c *Certificates) TLS() *tls.Config {
	settings := c.manager.TLSConfig()
	settings.MinVersion = tls.VersionTLS12
	return settings
}

// PlainHandler answers the issuer's challenges and redirects other requests to https.
func (c *Certificates) PlainHandler() http.Handler {
	return c.manager.HTTPHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := strings.Cut(strings.ToLower(r.Host), ":")
		if !slices.Contains(c.domains, host) {
			host = c.Domain() // never redirect to a host that only the caller's header names
		}
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, "https://"+host+r.URL.RequestURI(), http.StatusPermanentRedirect)
	}))
}

var waits = retry.Backoff{First: 2 * time.Minute, Longest: time.Hour}

// Obtain requests certificates in the background, so that callers need not wait for one and the
// log shows problems early.
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
				_ = retry.Sleep(ctx, wait)
			}
		}()
	}
}

func (c *Certificates) obtain(domain string) (until time.Time, err error) {
	// Without a cipher suite with ECDSA, the manager would request an RSA certificate.
	certificate, err := c.manager.GetCertificate(&tls.ClientHelloInfo{ServerName: domain,
		CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}})
	if err != nil {
		return time.Time{}, err
	}
	return certificate.Leaf.NotAfter, nil
}
