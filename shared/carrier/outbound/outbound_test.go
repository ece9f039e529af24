package outbound_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"verdetto/shared/carrier/outbound"
)

func server(t *testing.T, handler http.HandlerFunc) (*httptest.Server, outbound.Config) {
	t.Helper()
	s := httptest.NewTLSServer(handler)
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return s, outbound.Config{Roots: roots,
		Servers: map[string]netip.AddrPort{"example.com": netip.MustParseAddrPort(s.Listener.Addr().String())}}
}

func TestPost(t *testing.T) {
	var got *http.Request
	var body []byte
	_, config := server(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, "busy")
	})
	a, err := outbound.New(config).Post(t.Context(), "https://example.com/a?b=c", http.Header{"Webhook-Id": {"x"}},
		[]byte("said"))
	if err != nil || a.Status != 503 || a.Header.Get("Retry-After") != "7" || string(a.Body) != "busy" {
		t.Errorf("%+v %v", a, err)
	}
	if got.Method != "POST" || got.URL.String() != "/a?b=c" || got.Header.Get("Webhook-Id") != "x" ||
		string(body) != "said" || got.ContentLength != 4 || got.Header.Get("Accept-Encoding") != "" {
		t.Errorf("%+v %q", got, body)
	}
}

func TestFollowsNothing(t *testing.T) {
	var met atomic.Int32
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { met.Add(1) }))
	defer inside.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{inside.URL, "http://169.254.169.254/latest/meta-data/",
			"https://example.com/again", "file:///etc/passwd", "//localhost/"} {
			_, config := server(t, func(w http.ResponseWriter, r *http.Request) {
				met.Add(1)
				w.Header().Set("Location", to)
				w.WriteHeader(status)
			})
			met.Store(0)
			if a, err := outbound.New(config).Post(t.Context(), "https://example.com/", nil, nil); err != nil ||
				a.Status != status || met.Load() != 1 {
				t.Errorf("%d to %s: %d after %d requests, error %v", status, to, a.Status, met.Load(), err)
			}
		}
	}
}

func TestNoProxy(t *testing.T) {
	var met atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { met.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	_, config := server(t, func(http.ResponseWriter, *http.Request) {})
	if a, err := outbound.New(config).Post(t.Context(), "https://example.com/", nil, nil); err != nil ||
		a.Status != 200 || met.Load() > 0 {
		t.Errorf("%d, %d requests to the proxy, error %v", a.Status, met.Load(), err)
	}
}

func TestFaults(t *testing.T) {
	slow := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		timeout time.Duration
		change  func(*outbound.Config)
		want    error
		body    int
	}{
		{name: "a huge body", handler: func(w http.ResponseWriter, r *http.Request) {
			for range 4096 {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		}, body: outbound.MaxAnswer},
		{name: "a huge body that says so", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "1099511627776")
			w.Write(make([]byte, 64<<10))
		}, body: outbound.MaxAnswer},
		{name: "a huge header", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Long", strings.Repeat("a", 1<<20))
		}, want: outbound.ErrNoAnswer},
		{name: "no answer", handler: slow, timeout: 50 * time.Millisecond, want: outbound.ErrNoAnswer},
		{name: "a body that does not end", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte("a"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, timeout: 50 * time.Millisecond, want: outbound.ErrNoAnswer},
		{name: "cut off", handler: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
			want: outbound.ErrNoAnswer},
		{name: "what is not HTTP", handler: func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			io.WriteString(c, "220 smtp.example.com\r\n")
			c.Close()
		}, want: outbound.ErrNoAnswer},
		{name: "an untrusted certificate", handler: slow,
			change: func(c *outbound.Config) { c.Roots = x509.NewCertPool() }, want: outbound.ErrUnreachable},
		{name: "no listener", handler: slow, change: func(c *outbound.Config) {
			c.Servers["example.com"] = netip.MustParseAddrPort("127.0.0.1:1")
		}, want: outbound.ErrUnreachable},
		{name: "the DNS is out of order", handler: slow, change: func(c *outbound.Config) {
			c.Servers, c.Lookup = nil, func(context.Context, string) ([]netip.Addr, error) {
				return nil,
					errors.New("no DNS")
			}
		}, want: outbound.ErrUnreachable},
		{name: "the DNS does not answer", handler: slow, timeout: 50 * time.Millisecond,
			change: func(c *outbound.Config) {
				c.Servers, c.Lookup = nil, func(ctx context.Context, _ string) ([]netip.Addr,
					error) {
					<-ctx.Done()
					return nil, ctx.Err()
				}
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, config := server(t, c.handler)
			config.Timeout = c.timeout
			if c.change != nil {
				c.change(&config)
			}
			a, err := outbound.New(config).Post(t.Context(), "https://example.com/secret-path", nil, nil)
			switch {
			case c.want != nil && !errors.Is(err, c.want), c.want == nil && c.body > 0 &&
				(err != nil || len(a.Body) != c.body), c.body == 0 && err == nil:
				t.Errorf("%d bytes, error %v", len(a.Body), err)
			case err != nil && strings.Contains(err.Error(), "secret"):
				t.Errorf("the error holds the URL: %v", err)
			}
		})
	}
}

func TestOwnServers(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer s.Close()
	c := outbound.New(outbound.Config{Servers: map[string]netip.AddrPort{"ntfy.lan": netip.MustParseAddrPort(s.Listener.Addr().String())}})
	if a, err := c.Post(t.Context(), "http://ntfy.lan/topic", nil, []byte("x")); err != nil ||
		!bytes.Equal(a.Body, []byte("x")) {
		t.Errorf("%+v %v", a, err)
	}
	for _, other := range []string{s.URL, "http://other.lan/", "http://example.com/", "ftp://ntfy.lan/"} {
		if _, err := c.Post(t.Context(), other, nil, nil); !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("%s: %v", other, err)
		}
	}
}
