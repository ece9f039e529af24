package proxytls

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
)

type issuer struct {
	directory  string
	plain, tls string // addresses at which the issuer checks challenges
	trusted    string // file with the root certificate of the issuer's directory
	roots      *x509.CertPool
}

// startIssuer starts Pebble, an ACME issuer for tests, and a name server that resolves every name
// to this machine.
func startIssuer(t *testing.T) *issuer {
	t.Helper()
	pebble, names := testenv.Tool(t, "pebble", "pebble"), testenv.Tool(t, "pebble", "pebble-challtestsrv")
	web := httptest.NewUnstartedServer(http.NotFoundHandler()) // the certificate of an httptest server is valid for loopback
	web.StartTLS()
	defer web.Close()
	key, err := x509.MarshalPKCS8PrivateKey(web.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{plain: port(t), tls: port(t)}
	i.trusted = write(t, "certificate.pem",
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})))
	at, management, nameServer := port(t), port(t), port(t)
	number := func(address string) json.Number {
		_, port, _ := net.SplitHostPort(address)
		return json.Number(port)
	}
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": at, "managementListenAddress": management, "certificate": i.trusted,
		"privateKey": write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))),
		"httpPort":   number(i.plain), "tlsPort": number(i.tls),
	}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, nameServer, names, "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dnsserver", nameServer, "-http01", "",
		"-https01", "", "-tlsalpn01", "", "-doh", "", "-management", port(t))
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	run(t, at, pebble, "-strict", "-config", write(t, "pebble.json", string(config)), "-dnsserver", nameServer)
	i.directory = "https://" + at + "/dir"
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}}
	_, root := fixture.Call(t, client, "GET", "https://"+management+"/roots/0", "")
	if i.roots = x509.NewCertPool(); !i.roots.AppendCertsFromPEM([]byte(root)) {
		t.Fatalf("who vouches: %s", root)
	}
	return i
}

func (i *issuer) client(name string) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				to := i.tls
				if strings.HasSuffix(address, ":80") {
					to = i.plain
				}
				return new(net.Dialer).DialContext(ctx, network, to)
			},
			TLSClientConfig:    &tls.Config{RootCAs: i.roots, ServerName: name},
			ForceAttemptHTTP2:  true,
			DisableCompression: true,
			DisableKeepAlives:  true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func TestTLS(t *testing.T) {
	i := startIssuer(t)
	shell := fixture.NewShell(t)
	start := func(directory string) fixture.Server {
		t.Helper()
		return shell.ServeWith([]string{"SSL_CERT_FILE=" + i.trusted}, "-listen", i.tls, "-http", i.plain, "-acme",
			directory,
			"-tls", "verdetto.example, www.verdetto.example", "-store", "bolt:kept.db", "-now", "2016-03-01")
	}
	s := start(i.directory)
	if s.URL != "https://verdetto.example" {
		t.Errorf("it answers on %s", s.URL)
	}
	serials := map[string]string{}
	for _, name := range []string{"verdetto.example", "www.verdetto.example"} {
		var w *http.Response
		var err error
		for range 3 { // on a busy machine, a connection may time out before the certificate is issued
			if w, err = i.client(name).Get("https://" + name + "/v1/openapi.json"); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, s.Stderr)
		}
		w.Body.Close()
		if w.StatusCode != 200 || w.ProtoMajor != 2 || w.Header.Get("Strict-Transport-Security") == "" ||
			w.TLS.Version != tls.VersionTLS13 {
			t.Errorf("%s: %s %s %v", name, w.Proto, w.Status, w.Header)
		}
		serials[name] = w.TLS.PeerCertificates[0].SerialNumber.String()
	}
	answers(t, i)

	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Stderr)
	}
	for _, f := range []string{"certificates", filepath.Join("certificates", "verdetto.example")} {
		if at, err := os.Stat(filepath.Join(shell.Dir, f)); err != nil || at.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, mode %v", f, err, at.Mode())
		}
	}
	s = start("https://" + port(t) + "/absent")
	w, err := i.client("verdetto.example").Get("https://verdetto.example/v1")
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Stderr)
	}
	w.Body.Close()
	if got := w.TLS.PeerCertificates[0].SerialNumber.String(); got != serials["verdetto.example"] {
		t.Errorf("the certificate is another: %s, and was %s", got, serials["verdetto.example"])
	}
	if code := s.Stop(t); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Stderr)
	}
}

func answers(t *testing.T, i *issuer) {
	t.Helper()
	client := i.client("verdetto.example")
	for _, name := range []string{"other.example", "verdetto.example.evil.example", "127.0.0.1"} {
		if w, err := i.client(name).Get("https://" + name + "/v1"); err == nil {
			w.Body.Close()
			t.Errorf("there is a certificate for %s", name)
		}
	}
	old := i.client("verdetto.example")
	old.Transport.(*http.Transport).TLSClientConfig.MaxVersion = tls.VersionTLS11
	old.Transport.(*http.Transport).TLSClientConfig.MinVersion = tls.VersionTLS10
	if w, err := old.Get("https://verdetto.example/v1"); err == nil {
		w.Body.Close()
		t.Error("TLS 1.1 is spoken")
	}

	for _, c := range []struct{ url, to string }{
		{"http://verdetto.example/v1/analisi?origine=Milano", "https://verdetto.example/v1/analisi?origine=Milano"},
		{"http://www.verdetto.example/", "https://www.verdetto.example/"},
		{"http://evil.example/x", "https://verdetto.example/x"},
	} {
		w, _ := fixture.Call(t, client, "GET", c.url, "")
		if w.StatusCode != http.StatusPermanentRedirect || w.Header.Get("Location") != c.to {
			t.Errorf("%s: %s, to %s", c.url, w.Status, w.Header.Get("Location"))
		}
	}

	get := func(headers ...string) (*http.Response, string) {
		return fixture.Call(t, client, "GET", "https://verdetto.example/v1/openapi.json", "", headers...)
	}
	_, plain := get()
	_, _ = get("Accept-Encoding", "gzip") // the cache stores each Content-Encoding separately
	w, compressed := get("Accept-Encoding", "gzip")
	packed, err := gzip.NewReader(strings.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(packed); err != nil || string(body) != plain || w.Header.Get("X-Cache") != "HIT" ||
		!strings.HasPrefix(w.Header.Get("ETag"), `W/"`) {
		t.Errorf("compressed: %v, %d bytes of %d, %v", err, len(body), len(plain), w.Header)
	}
	if again, _ := get("Accept-Encoding", "gzip", "If-None-Match",
		w.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("by the ETag of the compressed answer: %s", again.Status)
	}
}
