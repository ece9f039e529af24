package smtpmail_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/smtpmail"
	"verdetto/shared/carrier/mail/smtpmail/smtptest"
)

var noon = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }

func message() mail.Message {
	return mail.Message{ID: "the-same-1", To: "ada@example.com", Subject: "Già più basso",
		Text: ".a line that begins with a dot\n", Tag: "alert"}
}

func over(t *testing.T, kind smtpmail.TLS,
	change func(*smtptest.Server, *smtpmail.Config)) (*smtpmail.Sender, *smtptest.Server) {
	t.Helper()
	s := smtptest.New(kind != smtpmail.None)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := smtpmail.Config{
		Server: smtpmail.Server{Host: "127.0.0.1", Port: l.Addr().(*net.TCPAddr).Port, TLS: kind},
		From:   "Verdetto <verdetto@verdetto.example>", Now: noon, Roots: s.Roots(),
	}
	if change != nil {
		change(s, &c)
	}
	go s.Serve(l, kind == smtpmail.Implicit)
	t.Cleanup(s.Close)
	sender, err := smtpmail.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return sender, s
}

func TestSend(t *testing.T) {
	for name, kind := range map[string]smtpmail.TLS{"STARTTLS": smtpmail.StartTLS, "implicit TLS": smtpmail.Implicit,
		"none": smtpmail.None} {
		t.Run(name, func(t *testing.T) {
			var steps []string
			s, server := over(t, kind, func(s *smtptest.Server, c *smtpmail.Config) {
				s.User, s.Password, c.User, c.Password = "ada", "secret", "ada", "secret"
				c.Watch = func(step string) { steps = append(steps, step) }
			})
			if err := s.Send(t.Context(), message()); err != nil {
				t.Fatal(err)
			}
			compose, err := mail.NewComposer("Verdetto <verdetto@verdetto.example>", noon)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := compose.Compose(message())
			if err != nil {
				t.Fatal(err)
			}
			want := []smtptest.Mail{{From: "verdetto@verdetto.example", To: "ada@example.com", Raw: raw,
				TLS: kind != smtpmail.None, User: "ada"}}
			if diff := cmp.Diff(want, server.Mails()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(string(raw), "Message-Id: <the-same-1@verdetto.example>\r\n") {
				t.Errorf("the message has no ID of its own:\n%s", raw)
			}
			count := 6
			if kind == smtpmail.None {
				count = 5
			}
			if len(steps) != count || strings.Contains(strings.Join(steps, "\n"), "secret") {
				t.Errorf("steps: %q", steps)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	none := [3]int{}
	for _, c := range []struct {
		name string
		at   smtptest.Moment
		err  error
		want error
		kept int
	}{
		{"busy at the greeting", smtptest.Hello, smtptest.Reply(421, [3]int{4, 3, 2}, "try later"), mail.ErrThrottled,
			0},
		{"not wanted at the greeting", smtptest.Hello, smtptest.Reply(554, [3]int{5, 7, 1}, "no service for you"),
			mail.ErrBlocked, 0},
		{"cut at the greeting", smtptest.Hello, smtptest.ErrCut, mail.ErrThrottled, 0},

		{"password wrong", smtptest.Auth, smtptest.Reply(535, [3]int{5, 7, 8}, "authentication failed"),
			mail.ErrBlocked, 0},
		{"sign-in down", smtptest.Auth, smtptest.Reply(454, [3]int{4, 7, 0}, "temporary authentication failure"),
			mail.ErrThrottled, 0},
		{"cut while signing in", smtptest.Auth, smtptest.ErrCut, mail.ErrThrottled, 0},

		{"sender not ours", smtptest.From, smtptest.Reply(553, [3]int{5, 7, 1},
			"sender address rejected: not owned by user"), mail.ErrBlocked, 0},
		{"sender later", smtptest.From, smtptest.Reply(451, [3]int{4, 3, 0}, "later"), mail.ErrThrottled, 0},
		{"larger than it takes", smtptest.From, smtptest.Reply(552, [3]int{5, 3, 4},
			"message size exceeds fixed limit"), mail.ErrRefused, 0},

		{"greylisted", smtptest.To, smtptest.Reply(451, [3]int{4, 7, 1}, "greylisted, try again in 5 minutes"),
			mail.ErrThrottled, 0},
		{"mailbox busy", smtptest.To, smtptest.Reply(450, none, "mailbox busy"), mail.ErrThrottled, 0},
		{"mailbox full, for now", smtptest.To, smtptest.Reply(452, [3]int{4, 2, 2}, "over quota"), mail.ErrThrottled,
			0},
		{"unknown recipient", smtptest.To, smtptest.Reply(550, [3]int{5, 1, 1}, "<ada@example.com>: user unknown"),
			mail.ErrRefused, 0},
		{"unknown recipient, in plain words", smtptest.To, smtptest.Reply(550, none, "no such user ada@example.com"),
			mail.ErrRefused, 0},
		{"mailbox disabled", smtptest.To, smtptest.Reply(550, [3]int{5, 2, 1}, "mailbox disabled"), mail.ErrRefused, 0},
		{"no relaying", smtptest.To, smtptest.Reply(554, [3]int{5, 7, 1}, "<ada@example.com>: Relay access denied"),
			mail.ErrBlocked, 0},
		{"no relaying, in plain words", smtptest.To, smtptest.Reply(550, none, "relay not permitted"),
			mail.ErrBlocked, 0},
		{"sign in first", smtptest.To, smtptest.Reply(530, [3]int{5, 7, 0}, "authentication required"),
			mail.ErrBlocked, 0},
		{"quota of the day", smtptest.To, smtptest.Reply(550, [3]int{5, 4, 5}, "daily user sending limit exceeded"),
			mail.ErrThrottled, 0},
		{"policy for one recipient", smtptest.To,
			smtptest.Reply(550, [3]int{5, 7, 1}, "recipient does not want this"), mail.ErrThrottled, 0},
		{"an error of tomorrow", smtptest.To, smtptest.Reply(599, none, "?"), mail.ErrThrottled, 0},
		{"cut at the recipient", smtptest.To, smtptest.ErrCut, mail.ErrThrottled, 0},

		{"cut while the message is sent", smtptest.Data, smtptest.ErrCut, mail.ErrThrottled, 0},
		{"cut after its end, nothing kept", smtptest.Content, smtptest.ErrCut, mail.ErrUnavailable, 0},
		{"cut after its end, and kept", smtptest.Kept, smtptest.ErrCut, mail.ErrUnavailable, 1},
		{"spam", smtptest.Content, smtptest.Reply(554, [3]int{5, 7, 1}, "message looks like spam"), mail.ErrRefused, 0},
		{"too large", smtptest.Content, smtptest.Reply(552, none, "too large"), mail.ErrRefused, 0},
		{"malformed", smtptest.Content, smtptest.Reply(554, [3]int{5, 6, 0}, "bad header"), mail.ErrRefused, 0},
		{"our name servers", smtptest.Content, smtptest.Reply(550, [3]int{5, 7, 26}, "neither SPF nor DKIM"),
			mail.ErrBlocked, 0},
		{"disk full", smtptest.Content, smtptest.Reply(452, [3]int{4, 3, 1}, "insufficient system storage"),
			mail.ErrThrottled, 0},
		{"closing down", smtptest.Content, smtptest.Reply(421, [3]int{4, 3, 2}, "shutting down"), mail.ErrThrottled, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, server := over(t, smtpmail.StartTLS, func(s *smtptest.Server, config *smtpmail.Config) {
				s.User, s.Password, config.User, config.Password = "ada", "secret", "ada", "secret"
				s.Fail = func(at smtptest.Moment, _ string) error {
					if at == c.at {
						return c.err
					}
					return nil
				}
			})
			m := message()
			if c.at == smtptest.Data { // exceeds the network's buffers, so that the end of the message is never sent
				m.Text = strings.Repeat(strings.Repeat("x", 70)+"\n", 100_000)
			}
			exactly(t, s.Send(t.Context(), m), c.want)
			if got := len(server.Mails()); got != c.kept {
				t.Errorf("%d mails were kept, want %d", got, c.kept)
			}
		})
	}
}

func exactly(t *testing.T, err, want error) {
	t.Helper()
	var got []error
	for _, e := range []error{mail.ErrRefused, mail.ErrThrottled, mail.ErrBlocked, mail.ErrUnavailable} {
		if errors.Is(err, e) {
			got = append(got, e)
		}
	}
	wants := []error{want}
	if errors.Is(want, mail.ErrBlocked) {
		wants = []error{mail.ErrThrottled, mail.ErrBlocked}
	}
	if !slices.Equal(got, wants) {
		t.Errorf("error %v, want %v", err, want)
	}
	if err != nil && (strings.Contains(err.Error(), "ada") || strings.Contains(err.Error(), "secret") ||
		!strings.HasPrefix(err.Error(), "send mail: ")) {
		t.Errorf("error %v names the recipient, or does not say what failed", err)
	}
}

func TestTrust(t *testing.T) {
	for _, c := range []struct {
		name   string
		kind   smtpmail.TLS
		change func(*smtptest.Server, *smtpmail.Config)
	}{
		{"no STARTTLS", smtpmail.None, func(_ *smtptest.Server,
			c *smtpmail.Config) {
			c.Server.TLS = smtpmail.StartTLS
		}},
		{"an untrusted certificate", smtpmail.StartTLS, func(_ *smtptest.Server,
			c *smtpmail.Config) {
			c.Roots = x509.NewCertPool()
		}},
		{"an untrusted certificate, implicit", smtpmail.Implicit,
			func(_ *smtptest.Server, c *smtpmail.Config) { c.Roots = x509.NewCertPool() }},
		{"another name", smtpmail.StartTLS, func(_ *smtptest.Server,
			c *smtpmail.Config) {
			dialInstead(c, "mail.verdetto.example")
		}},
		{"no sign-in offered", smtpmail.StartTLS,
			func(_ *smtptest.Server, c *smtpmail.Config) { c.User, c.Password = "ada", "secret" }},
		{"STARTTLS where TLS begins at once", smtpmail.StartTLS,
			func(_ *smtptest.Server, c *smtpmail.Config) { c.Server.TLS = smtpmail.Implicit }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, server := over(t, c.kind, c.change)
			exactly(t, s.Send(t.Context(), message()), mail.ErrBlocked)
			if n := len(server.Mails()); n != 0 {
				t.Errorf("%d mails were handed over", n)
			}
		})
	}
}

// dialInstead still connects to the same server, whose certificate does not cover host.
func dialInstead(c *smtpmail.Config, host string) {
	at := c.Server.Address()
	c.Server.Host = host
	c.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at)
	}
}

func TestNoConnection(t *testing.T) {
	s, _ := over(t, smtpmail.StartTLS, func(_ *smtptest.Server, c *smtpmail.Config) { c.Server.Port = closedPort(t) })
	exactly(t, s.Send(t.Context(), message()), mail.ErrThrottled)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	exactly(t, s.Send(ended, message()), mail.ErrThrottled)
}

func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// pipes does not leave the process, because synctest cannot control network connections.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func TestSlow(t *testing.T) {
	for _, c := range []struct {
		at    smtptest.Moment
		delay time.Duration
		took  time.Duration
		want  error
		kept  int
	}{
		{smtptest.Hello, time.Hour, smtpmail.BeforeEnd, mail.ErrThrottled, 0},
		{smtptest.To, time.Hour, smtpmail.BeforeEnd, mail.ErrThrottled, 0},
		{smtptest.Content, time.Hour, smtpmail.Timeout, mail.ErrUnavailable, 0},
		{smtptest.Kept, time.Hour, smtpmail.Timeout, mail.ErrUnavailable, 1},
		{smtptest.To, 7 * time.Second, 7 * time.Second, nil, 1},
		{smtptest.Kept, 13 * time.Second, 13 * time.Second, nil, 1},
	} {
		t.Run(fmt.Sprintf("%s %s", c.at, c.delay), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := smtptest.New(true)
				server.Fail = func(at smtptest.Moment, _ string) error {
					if at == c.at {
						time.Sleep(c.delay)
					}
					return nil
				}
				l := make(pipes)
				go server.Serve(l, false)
				s, err := smtpmail.New(smtpmail.Config{
					Server: smtpmail.Server{Host: "example.com", Port: 587}, From: "v@verdetto.example",
					Now: time.Now, Roots: server.Roots(),
					Dial: func(context.Context, string, string) (net.Conn, error) {
						ours, theirs := net.Pipe()
						l <- theirs
						return ours, nil
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				err = s.Send(t.Context(), message())
				if took := time.Since(began); took != c.took {
					t.Errorf("it took %s, want %s", took, c.took)
				}
				if c.want == nil && err != nil {
					t.Error(err)
				} else if c.want != nil {
					exactly(t, err, c.want)
				}
				if n := len(server.Mails()); n != c.kept {
					t.Errorf("%d mails were kept, want %d", n, c.kept)
				}
				time.Sleep(2 * time.Hour) // lets hanging calls and QUIT finish
				close(l)
				server.Close()
			})
		})
	}
}

func TestNewRefuses(t *testing.T) {
	server := smtpmail.Server{Host: "mail.example.com", Port: 587}
	for name, c := range map[string]smtpmail.Config{
		"no sender":        {Server: server, From: "verdetto", Now: noon},
		"a name alone":     {Server: server, From: "v@verdetto.example", Now: noon, User: "ada"},
		"a password alone": {Server: server, From: "v@verdetto.example", Now: noon, Password: "secret"},
		"elsewhere without TLS": {Server: smtpmail.Server{Host: "mail.example.com", Port: 25, TLS: smtpmail.None},
			From: "v@verdetto.example", Now: noon},
	} {
		if _, err := smtpmail.New(c); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseServer(t *testing.T) {
	for text, want := range map[string]string{
		"smtp://mail.example.com":              "mail.example.com:587 STARTTLS",
		"smtp://mail.example.com:2587/":        "mail.example.com:2587 STARTTLS",
		"smtps://mail.example.com":             "mail.example.com:465 TLS",
		"smtp://127.0.0.1:25?tls=off":          "127.0.0.1:25 none",
		"smtp://[::1]:25?tls=off":              "[::1]:25 none",
		"smtp://localhost:25?tls=off":          "localhost:25 none",
		"smtp://mail.example.com?tls=off":      "only a server on this machine",
		"smtp://127.0.0.1.example.com?tls=off": "only a server on this machine",
		"smtp://mail.example.com?tls=no":       "only tls=off",
		"smtp://ada:geheim@mail.example.com":   "VERDETTO_SMTP_PASSWORD",
		"smtp://ada:ge heim@mail.example.com":  "want smtp://",
		"smtp://":                              "want smtp://",
		"smtp://mail.example.com/folder":       "want smtp://",
		"smtp://mail.example.com:0":            "from 1 to 65535",
		"smtp+tls://mail.example.com":          "want smtp://",
	} {
		s, err := smtpmail.ParseServer(text)
		got := s.Address() + map[smtpmail.TLS]string{smtpmail.StartTLS: " STARTTLS", smtpmail.Implicit: " TLS",
			smtpmail.None: " none"}[s.TLS]
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) || strings.Contains(got, "geheim") || !smtpmail.IsServer(text) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, folder := range []string{"mail", "/var/mail", "smtp", "./smtp:x", "ses"} {
		if smtpmail.IsServer(folder) {
			t.Errorf("%s is taken for a server", folder)
		}
	}
}
