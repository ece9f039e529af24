package smtpmail_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/smtpmail"
	"verdetto/shared/carrier/mail/smtpmail/eximlocal"
)

func exim(t *testing.T) (folder string, ports map[smtpmail.TLS]int, roots *x509.CertPool) {
	t.Helper()
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.StartTLS()
	defer web.Close()
	roots = x509.NewCertPool()
	roots.AddCert(web.Certificate())
	ports = map[smtpmail.TLS]int{smtpmail.StartTLS: closedPort(t), smtpmail.Implicit: closedPort(t)}
	return eximlocal.Server{
		Address: "127.0.0.1", StartTLS: ports[smtpmail.StartTLS], Implicit: ports[smtpmail.Implicit],
		Certificate: web.TLS.Certificates[0], Password: "geheim",
	}.Start(t), ports, roots
}

func delivered(t *testing.T, folder string, want int) map[string]int {
	t.Helper()
	var files []string
	for began := time.Now(); len(files) < want &&
		time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
		var err error
		if files, err = filepath.Glob(filepath.Join(folder, "*")); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]int{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		m, err := netmail.ReadMessage(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		ids[m.Header.Get("Message-Id")]++
	}
	return ids
}

// Once the client has sent more bytes than the parameter after, cutter drops the server's answers
// and cuts the connection. The parameter must exceed the length of the commands before the message.
func cutter(t *testing.T, to string, after int64) (dial func(context.Context, string, string) (net.Conn, error)) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			ours, err := l.Accept()
			if err != nil {
				return
			}
			theirs, err := net.Dial("tcp", to)
			if err != nil {
				ours.Close()
				continue
			}
			var sent atomic.Int64
			go func() {
				_, _ = io.Copy(io.MultiWriter(theirs, counter{&sent}), ours)
			}()
			go func() {
				defer ours.Close()
				defer theirs.Close()
				b := make([]byte, 32<<10)
				for {
					n, err := theirs.Read(b)
					if err != nil || sent.Load() > after {
						return
					}
					if _, err := ours.Write(b[:n]); err != nil {
						return
					}
				}
			}()
		}
	}()
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, l.Addr().String())
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(p []byte) (int, error) { c.n.Add(int64(len(p))); return len(p), nil }

func TestProveExim(t *testing.T) {
	folder, ports, roots := exim(t)
	send := func(kind smtpmail.TLS, to, id, text string, change func(*smtpmail.Config)) error {
		t.Helper()
		c := smtpmail.Config{
			Server: smtpmail.Server{Host: "127.0.0.1", Port: ports[kind], TLS: kind}, User: eximlocal.User,
			Password: "geheim",
			From:     "Verdetto <mail@verdetto.example>", Now: time.Now, Roots: roots,
		}
		if change != nil {
			change(&c)
		}
		s, err := smtpmail.New(c)
		if err != nil {
			t.Fatal(err)
		}
		return s.Send(t.Context(), mail.Message{ID: id, To: to, Subject: "Già più basso", Text: text})
	}
	for kind, id := range map[smtpmail.TLS]string{smtpmail.StartTLS: "by-starttls",
		smtpmail.Implicit: "by-implicit-tls"} {
		if err := send(kind, "ada@example.com", id, "once\n", nil); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	exactly(t, send(smtpmail.StartTLS, "nobody@example.com", "refused", "never\n", nil), mail.ErrRefused)
	exactly(t, send(smtpmail.StartTLS, "ada@example.org", "relayed", "never\n", nil), mail.ErrBlocked)
	exactly(t, send(smtpmail.StartTLS, "ada@example.com", "large", strings.Repeat("a line of some length\n", 10_000),
		nil), mail.ErrRefused)
	exactly(t, send(smtpmail.Implicit, "ada@example.com", "wrong", "never\n",
		func(c *smtpmail.Config) { c.Password = "falsch" }), mail.ErrBlocked)
	exactly(t, send(smtpmail.StartTLS, "ada@example.com", "unsigned", "never\n",
		func(c *smtpmail.Config) { c.User, c.Password = "", "" }), mail.ErrBlocked)
	exactly(t, send(smtpmail.StartTLS, "ada@example.com", "untrusted", "never\n",
		func(c *smtpmail.Config) { c.Roots = x509.NewCertPool() }), mail.ErrBlocked)

	exactly(t, send(smtpmail.StartTLS, "grey@example.com", "greylisted", "once\n", nil), mail.ErrThrottled)
	if err := send(smtpmail.StartTLS, "grey@example.com", "greylisted", "once\n", nil); err != nil {
		t.Errorf("the second time: %v", err)
	}
	began := time.Now()
	if err := send(smtpmail.StartTLS, "slow@example.com", "slow", "once\n", nil); err != nil {
		t.Errorf("slow: %v", err)
	}
	if took := time.Since(began); took < 3*time.Second {
		t.Errorf("the slow server took %s: it was not slow", took)
	}
	long := strings.Repeat("a line of some length\n", 1000)
	exactly(t, send(smtpmail.StartTLS, "ada@example.com", "cut", long, func(c *smtpmail.Config) {
		c.Dial = cutter(t, c.Server.Address(), int64(len(long)))
	}), mail.ErrUnavailable)
	if err := send(smtpmail.StartTLS, "ada@example.com", "cut", long, nil); err != nil {
		t.Errorf("after the cut: %v", err)
	}

	want := map[string]int{}
	for id, n := range map[string]int{"by-starttls": 1, "by-implicit-tls": 1, "greylisted": 1, "slow": 1, "cut": 2} {
		want["<"+id+"@verdetto.example>"] = n
	}
	if diff := cmp.Diff(want, delivered(t, folder, 6)); diff != "" {
		t.Errorf("what was delivered (-want +got):\n%s", diff)
	}
}
