// Package proxytls holds end-to-end tests of how callers reach the service on one machine: through
// proxies, and directly with TLS.
package proxytls

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/onemachine"
	"verdetto/e2e/fixture"
	"verdetto/shared/architecture/testenv"
	"verdetto/shared/store/storetest"
)

func serve(t *testing.T, behind string) string {
	t.Helper()
	proxies, err := edge.ParseProxies(behind)
	if err != nil {
		t.Fatal(err)
	}
	clock := storetest.NewClock()
	s := fixture.New(t, onemachine.Options{Table: fixture.Bolt(t, clock.Now), Now: clock.Now,
		BaseURL: "https://verdetto.example", Edge: edge.Config{Proxies: proxies}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func port(t *testing.T) string {
	t.Helper()
	return "127.0.0.1:" + testenv.Port(t)
}

func run(t *testing.T, address, path string, args ...string) {
	t.Helper()
	dir := t.TempDir()
	var output bytes.Buffer
	c := exec.Command(path, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir,
		"XDG_CONFIG_HOME="+dir), &output, &output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM) // a killed nginx would not end its workers
		<-ended
	})
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			conn.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ends without answering: %v\n%s", path, err, &output)
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func caddy(t *testing.T, service string) string {
	t.Helper()
	path := testenv.Command(t, "caddy", "apt-get install caddy")
	at := port(t)
	run(t, at, path, "run", "--adapter", "caddyfile", "--config", write(t, "Caddyfile", fmt.Sprintf(`
{
	admin off
	auto_https off
}
http://:%s {
	bind 127.0.0.1
	reverse_proxy %s
}
`, strings.TrimPrefix(at, "127.0.0.1:"), service)))
	return at
}

func nginx(line string) func(*testing.T, string) string {
	return func(t *testing.T, service string) string {
		t.Helper()
		path := testenv.Command(t, "nginx", "apt-get install nginx-light")
		at := port(t)
		dir := t.TempDir()
		run(t, at, path, "-p", dir, "-e", "stderr", "-c", write(t, "nginx.conf", fmt.Sprintf(`
daemon off; pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; scgi_temp_path scgi; uwsgi_temp_path uwsgi;
  server { listen %s; location / { proxy_pass http://%s; proxy_http_version 1.1; %s } }
}
`, at, service, line)))
		return at
	}
}

func TestPublishedNginx(t *testing.T) {
	path := testenv.Command(t, "nginx", "apt-get install nginx-light")
	published, err := os.ReadFile(fixture.Path(t, "infra", "onemachine", "nginx.conf"))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	certificate := s.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secure, plain := port(t), port(t)
	site := string(published)
	for _, replaced := range [][2]string{
		{"listen [::]:443 ssl http2;", ""}, {"listen 443 ", "listen " + secure + " "},
		{"listen [::]:80;", ""}, {"listen 80;", "listen " + plain + ";"},
		{"http://127.0.0.1:8080", "http://" + serve(t, "127.0.0.1")},
		{"/etc/letsencrypt/live/verdetto.example/fullchain.pem", write(t, "fullchain.pem",
			string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})))},
		{"/etc/letsencrypt/live/verdetto.example/privkey.pem", write(t, "privkey.pem",
			string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))},
	} {
		if strings.Count(site, replaced[0]) != 1 {
			t.Fatalf("the configuration holds %q not once", replaced[0])
		}
		site = strings.Replace(site, replaced[0], replaced[1], 1)
	}
	run(t, secure, path, "-p", t.TempDir(), "-e", "stderr", "-c", write(t, "nginx.conf", `
daemon off; pid nginx.pid;
events {}
http {
  access_log off;
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; scgi_temp_path scgi; uwsgi_temp_path uwsgi;
  include `+write(t, "verdetto.conf", site)+`;
}
`))
	get := func(from, url string) int {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true,
			ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		w, _ := fixture.Call(t, &client, "GET", url, "", "Host", "verdetto.example")
		return w.StatusCode
	}
	if status := get("127.0.1.1", "http://"+plain+fixture.Question); status != http.StatusPermanentRedirect {
		t.Errorf("without TLS: %d", status)
	}
	for call := range 31 {
		if status := get("127.0.1.1", "https://"+secure+fixture.Question); (status == 404) != (call < 30) {
			t.Errorf("call %d: %d", call+1, status)
		}
	}
	if status := get("127.0.1.2", "https://"+secure+fixture.Question); status != 404 {
		t.Errorf("another caller: %d", status)
	}
}

func ask(t *testing.T, from, to string, header http.Header) int {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+to+fixture.Question, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	w, err := transport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return 0
	}
	defer w.Body.Close()
	_, _ = io.Copy(io.Discard, w.Body)
	return w.StatusCode
}

func forged(address string) []http.Header {
	var all []http.Header
	for _, name := range []string{
		"X-Forwarded-For", "Forwarded-For", "X-Forwarded", "X-Real-Ip", "X-Client-Ip", "X-Cluster-Client-Ip",
		"True-Client-Ip", "Cf-Connecting-Ip",
		"Fastly-Client-Ip", "X-Original-Forwarded-For", "X-Originating-Ip", "X-Remote-Ip", "X-Remote-Addr",
		"X-Envoy-External-Address", "X-Appengine-User-Ip",
		"X-Azure-Clientip", "X-Vercel-Forwarded-For", "Client-Ip", "Via",
	} {
		all = append(all, http.Header{name: {address}})
	}
	return append(all,
		http.Header{"Cloudfront-Viewer-Address": {address + ":4711"}},
		http.Header{"X-Forwarded-For": {address + ":4711"}},
		http.Header{"X-Forwarded-For": {address + ", 127.0.0.1"}},
		http.Header{"X-Forwarded-For": {"127.0.0.1, " + address}},
		http.Header{"X-Forwarded-For": {address, address}},
		http.Header{"X-Forwarded-For": {address + ","}},
		http.Header{"X-Forwarded-For": {"unknown, " + address}},
		http.Header{"Forwarded": {"for=" + address}},
		http.Header{"Forwarded": {`for="` + address + `:4711";proto=https`}},
		http.Header{"Forwarded": {"for=" + address + ", for=127.0.0.1"}},
		http.Header{"Forwarded": {`for="` + address}},
		// The header Connection tells the proxy to remove X-Forwarded-For.
		http.Header{"Connection": {"X-Forwarded-For"}, "X-Forwarded-For": {address}},
	)
}

func TestCapsBehindProxies(t *testing.T) {
	if n := len(forged("192.0.2.1")); n < 30 {
		t.Fatalf("only %d headers are forged", n)
	}
	for _, c := range []struct {
		name, behind string
		proxy        func(t *testing.T, service string) string
	}{
		{"Caddy", "127.0.0.1", caddy},
		{"nginx, which adds to what the caller wrote", "127.0.0.1",
			nginx("proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;")},
		{"no proxy", "", func(_ *testing.T, service string) string { return service }},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := c.proxy(t, serve(t, c.behind))
			address := func(n int) string { return fmt.Sprintf("127.0.1.%d", n) }
			headers := forged(address(101)) // the forged headers must not use up the quota of this address
			var callers sync.WaitGroup
			turns := make(chan int)
			for range 4 {
				callers.Go(func() {
					for n := range turns {
						var answered, refused int
						for call := range 31 {
							switch status := ask(t, address(n), to, headers[call%len(headers)]); status {
							case 404: // the path does not exist, but the call was not refused
								answered++
							case 429:
								refused++
							default:
								t.Errorf("%s is answered %d", address(n), status)
							}
						}
						if answered != 30 || refused != 1 {
							t.Errorf("%s is answered %d times and refused %d times; want 30 and 1", address(n),
								answered, refused)
						}
					}
				})
			}
			for n := 1; n <= 100; n++ {
				turns <- n
			}
			close(turns)
			callers.Wait()
			for _, h := range headers {
				if status := ask(t, address(1), to, h); status != 429 {
					t.Errorf("over its cap, with %v: %d", h, status)
				}
			}
			for call := range 31 {
				if status := ask(t, address(101), to, nil); (status == 404) != (call < 30) {
					t.Errorf("call %d of the address that others said to be: %d", call+1, status)
				}
			}
		})
	}
}

// A foreign name that leads to this machine (DNS rebinding) must be refused.
func TestAgentsBehindProxies(t *testing.T) {
	for name, proxy := range map[string]func(*testing.T, string) string{"Caddy": caddy,
		"nginx": nginx("proxy_set_header Host $http_host;")} {
		t.Run(name, func(t *testing.T) {
			to := proxy(t, serve(t, "127.0.0.1"))
			for host, want := range map[string]int{"verdetto.example": 200, "verdetto.example:443": 200,
				"elsewhere.example": 403} {
				w, _ := fixture.Call(t, http.DefaultClient, "POST", "http://"+to+"/mcp",
					`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
					"Host", host, "Content-Type", "application/json")
				if w.StatusCode != want {
					t.Errorf("Host %s: %d, want %d", host, w.StatusCode, want)
				}
			}
		})
	}
}
