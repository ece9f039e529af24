package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Certificates has certificates issued for domains of ours, by ACME, and renews
// them. It keeps them, and the account's key, in a folder.
type Certificates struct {
	manager *autocert.Manager
	domains []string
}

// NewCertificates takes domains parted by commas, the folder, and the URL of the
// directory of who issues them; empty is Let's Encrypt, whose terms are agreed to.
func NewCertificates(domains, folder, directory string) (*Certificates, error) {
	c := &Certificates{}
	for part := range strings.SplitSeq(domains, ",") {
		domain := strings.ToLower(strings.TrimSpace(part))
		if err := checkDomain(domain); err != nil {
			return nil, fmt.Errorf("-tls %q: %w", part, err)
		}
		c.domains = append(c.domains, domain)
	}
	if directory == "" {
		directory = autocert.DefaultACMEDirectory
	}
	if u, err := url.Parse(directory); err != nil || u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("-acme %q: want the https URL of a directory", directory)
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

func checkDomain(domain string) error {
	u, err := url.Parse("https://" + domain)
	switch {
	case err != nil, u.Host != domain, u.Port() != "", !strings.Contains(domain, "."), strings.Trim(domain, "0123456789.") == "", strings.ContainsAny(domain, "*[]:"):
		return errors.New("want names that lead to this machine, as verdetto.example,www.verdetto.example")
	}
	return nil
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

// Obtain has all certificates issued that are not there, so that no caller waits
// for one, and the operator reads at once what is missing.
func (c *Certificates) Obtain(ctx context.Context, log *slog.Logger) {
	for _, domain := range c.domains {
		// As today's callers ask: a certificate of an elliptic curve.
		hello := &tls.ClientHelloInfo{ServerName: domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
		certificate, err := c.manager.GetCertificate(hello)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.ErrorContext(ctx, "no certificate; it is tried again when somebody calls. Does the name lead to this machine, and are ports 80 and 443 open?", "domain", domain, "error", err)
		default:
			log.InfoContext(ctx, "certificate", "domain", domain, "until", certificate.Leaf.NotAfter)
		}
	}
}
