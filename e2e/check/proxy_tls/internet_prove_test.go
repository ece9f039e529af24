package proxytls

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"verdetto/cmd/lambdalocal/localcloud"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/carrier/mail/smtpmail/eximlocal"
	"verdetto/shared/pay/playmoney"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/sample"
	"verdetto/shared/upstream/upstreamtest"
)

// server and elsewhere are addresses inside the test's own network, in a range reserved for
// documentation (RFC 5737).
const (
	server    = "198.51.100.10" // the machine on which the documented commands run
	elsewhere = "198.51.100.20" // the machine of the other servers
	machine   = "machine"       // the network namespace of server
)

var names = map[string]string{
	"verdetto.example": server, "smtp.example.com": elsewhere, "api.stripe.com": elsewhere,
	"api.travelpayouts.com":       elsewhere,
	"api.mainnet-beta.solana.com": elsewhere, "acme-v02.api.letsencrypt.org": elsewhere,
}

type internet struct {
	began     time.Time
	delivered string
	roots     *x509.CertPool
}

// The parameter root is the root folder of the machine on which the documented commands run.
func playInternet(t *testing.T, root string) *internet {
	t.Helper()
	i := &internet{began: time.Now(), roots: x509.NewCertPool()}
	for _, c := range [][]string{
		{"mkdir", "-p", "/run/netns"}, {"mount", "-t", "tmpfs", "none", "/run/netns"}, {"ip", "netns", "add", machine},
		{"ip", "link", "add", "outside", "type", "veth", "peer", "name", "eth0", "netns", machine},
		{"ip", "link", "set", "lo", "up"}, {"ip", "address", "add", elsewhere + "/24", "dev", "outside"},
		{"ip", "link", "set", "outside", "up"},
		{"ip", "-n", machine, "link", "set", "lo", "up"}, {"ip", "-n", machine, "address", "add", server + "/24", "dev",
			"eth0"}, {"ip", "-n", machine, "link", "set", "eth0", "up"},
		{"mount", "--bind", write(t, "resolv.conf", "nameserver "+elsewhere+"\n"), "/etc/resolv.conf"},
		{"cp", "/etc/resolv.conf", filepath.Join(root, "etc/resolv.conf")},
		{"mount", "--rbind", "/dev", filepath.Join(root, "dev")},
		{"mount", "-t", "proc", "proc", filepath.Join(root, "proc")},
	} {
		output(t, exec.Command(c[0], c[1:]...))
	}
	nameServer(t)
	authority, issue := newAuthority(t)
	i.roots.AddCert(authority)
	trust(t, root, "stand-ins", authority.Raw)
	certificate := issue(names)
	i.delivered = eximlocal.Server{Address: elsewhere, StartTLS: 587, Implicit: 465, Certificate: certificate,
		Password: testPassword}.Start(t)
	root0 := startPebble(t, certificate, i.roots)
	i.roots.AppendCertsFromPEM(root0)
	block, _ := pem.Decode(root0)
	trust(t, root, "pebble", block.Bytes)

	stripe, node := playmoney.NewStripe(time.Now), playmoney.NewNode(time.Now)
	stripe.Key, stripe.Price, stripe.Secret = "sk_test_51", "price_1", "whsec_1"
	rows, err := localcloud.Rows(t.Context(), sample.New(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	fares := upstreamtest.Detached(rows, time.Now)
	fares.Token, fares.Rates = testToken, ecb.Table().RatesOn
	issuer := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "https", Host: elsewhere + ":14000"})
	issuer.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: i.roots,
		ServerName: "acme-v02.api.letsencrypt.org"}}
	hosts := map[string]http.Handler{
		"api.stripe.com": stripe, "api.mainnet-beta.solana.com": node, "api.travelpayouts.com": fares,
		"acme-v02.api.letsencrypt.org": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/directory" {
				r.URL.Path = "/dir"
			}
			issuer.ServeHTTP(w, r)
		}),
	}
	all := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := hosts[r.Host]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
	plain := &http.Server{Handler: all} // the pages of Stripe's stand-in have addresses without TLS
	encrypted := &http.Server{Handler: all, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go plain.Serve(listen(t, elsewhere+":80"))
	go encrypted.ServeTLS(listen(t, elsewhere+":443"), "", "")
	t.Cleanup(func() {
		_ = plain.Close()
		_ = encrypted.Close()
	})
	return i
}

func listen(t *testing.T, address string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func nameServer(t *testing.T) {
	t.Helper()
	run(t, "127.0.0.1:8055", testenv.Tool(t, "pebble", "pebble-challtestsrv"), "-defaultIPv4", "", "-defaultIPv6", "",
		"-dnsserver", elsewhere+":53", "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management",
		"127.0.0.1:8055")
	for name, address := range names {
		body, err := json.Marshal(map[string]any{"host": name + ".", "addresses": []string{address}})
		if err != nil {
			t.Fatal(err)
		}
		fixture.Call(t, http.DefaultClient, "POST", "http://127.0.0.1:8055/add-a", string(body), "Content-Type",
			"application/json")
	}
}

func newAuthority(t *testing.T) (authority *x509.Certificate, issue func(map[string]string) tls.Certificate) {
	t.Helper()
	sign := func(template, by *x509.Certificate, key, byKey *ecdsa.PrivateKey) []byte {
		raw, err := x509.CreateCertificate(rand.Reader, template, by, key.Public(), byKey)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	newKey := func() *ecdsa.PrivateKey {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	templateOf := func(name string) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
			NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	}
	key := newKey()
	template := templateOf("stand-ins")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	authority, err := x509.ParseCertificate(sign(template, template, key, key))
	if err != nil {
		t.Fatal(err)
	}
	return authority, func(names map[string]string) tls.Certificate {
		leaf, leafKey := templateOf("elsewhere"), newKey()
		leaf.SerialNumber = big.NewInt(2)
		for name, address := range names {
			if address == elsewhere {
				leaf.DNSNames = append(leaf.DNSNames, name)
			}
		}
		return tls.Certificate{Certificate: [][]byte{sign(leaf, authority, leafKey, key)}, PrivateKey: leafKey}
	}
}

func trust(t *testing.T, root, name string, certificate []byte) {
	t.Helper()
	dir := filepath.Join(root, "usr/local/share/ca-certificates")
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".crt"),
			pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func startPebble(t *testing.T, certificate tls.Certificate, trusted *x509.CertPool) (root []byte) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": elsewhere + ":14000", "managementListenAddress": elsewhere + ":15000", "httpPort": 80,
		"tlsPort": 443,
		"certificate": write(t, "certificate.pem",
			string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}))),
		"privateKey": write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}))),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	run(t, elsewhere+":14000", testenv.Tool(t, "pebble", "pebble"), "-strict", "-config",
		write(t, "pebble.json", string(config)), "-dnsserver", elsewhere+":53")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted,
		ServerName: "acme-v02.api.letsencrypt.org"}}}
	_, answer := fixture.Call(t, client, "GET", "https://"+elsewhere+":15000/roots/0", "")
	return []byte(answer)
}

func (i *internet) client() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: i.roots},
		ForceAttemptHTTP2: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, address)
		}}}
}

func (i *internet) mail(t *testing.T, text string) string {
	t.Helper()
	for began := time.Now(); time.Since(began) < 90*time.Second; time.Sleep(100 * time.Millisecond) {
		files, err := filepath.Glob(filepath.Join(i.delivered, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(raw)))
			if strings.Contains(string(body), text) {
				return string(body)
			}
		}
	}
	t.Fatalf("no mail came that holds %q", text)
	return ""
}
