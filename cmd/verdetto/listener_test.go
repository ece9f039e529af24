package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"verdetto/cmd/verdetto/onemachine"
	"verdetto/cmd/verdetto/settings"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/mail/smtpmail/smtptest"
)

func TestReach(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	const any = "127.0.0.1:0"
	for _, c := range []struct {
		name string
		args []string
		want string // part of the error, or of the service's URL
		base string
	}{
		{"directly", []string{"-listen", any}, "http://127.0.0.1:", ""},
		{"behind a proxy", []string{"-listen", any, "-behind", "127.0.0.1,10.0.0.0/8"}, "http://127.0.0.1:", ""},
		{"by TLS", []string{"-listen", any, "-http", any, "-tls", "verdetto.example, WWW.verdetto.example"},
			"https://verdetto.example", "https://verdetto.example"},
		{"a busy port", []string{"-listen", busy.Addr().String()}, "choose another with -listen", ""},
		{"a busy port for plain HTTP", []string{"-listen", any, "-tls", "verdetto.example", "-http",
			busy.Addr().String()}, "choose another with -http", ""},
		{"metrics where callers are, by TLS", []string{"-tls", "verdetto.example", "-metrics", ":443"},
			"choose another address, for Prometheus only", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o serveOptions
			serve := newCommand("serve", "", nil)
			file := settingsFile(serve, o.flags(serve))
			if err := serve.ParseFlags(longFlags(append(c.args, "-mail", t.TempDir(), "-store",
				"bolt:"+filepath.Join(t.TempDir(), "verdetto.db")))); err != nil {
				t.Fatal(err)
			}
			_, faults := settings.Take(serve.Flags(), *file)
			err := settingsError(append(faults, o.faults()...))
			var s onemachine.Options
			var l net.Listener
			if err == nil {
				l, err = o.reach.open(&s, o.store)
				defer o.close()
			}
			var got string
			if err == nil {
				got = o.url(l.Addr())
			} else {
				got = err.Error()
			}
			if !strings.Contains(got, c.want) || err == nil && o.links("") != c.base {
				t.Errorf("%s, and links begin with %q; want %s and %q", got, o.links(""), c.want, c.base)
			}
			if local := s.LocalURL; err == nil && (local == "") != (s.Edge.Certificates != nil) {
				t.Errorf("the stand-ins reach it at %q", local)
			}
		})
	}
}

func TestMailTest(t *testing.T) {
	server := smtptest.New(false)
	server.User, server.Password = "verdetto", "geheim"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go server.Serve(l, false)
	t.Cleanup(server.Close)
	through := "smtp://" + l.Addr().String() + "?tls=off"
	for _, c := range []struct {
		name, user, password, file, to, mail string
		fail                                 error
		is                                   error
		want                                 string
	}{
		{"fine", "verdetto", "geheim", "", "ada@example.com", through, nil, nil, ""},
		{"password in a file", "verdetto", "", "geheim\n", "ada@example.com", through, nil, nil, ""},
		{"password wrong", "verdetto", "falsch", "", "ada@example.com", through, nil, mail.ErrBlocked, "until you act"},
		{"a password without a name", "", "geheim", "", "ada@example.com", through, nil, nil, "VERDETTO_SMTP_USER"},
		{"two passwords", "verdetto", "geheim", "geheim", "ada@example.com", through, nil, nil,
			"leave one of them out"},
		{"unknown recipient", "verdetto", "geheim", "", "ada@example.com", through,
			smtptest.Reply(550, [3]int{5, 1, 1}, "no such user"), mail.ErrRefused, "another address"},
		{"greylisted", "verdetto", "geheim", "", "ada@example.com", through,
			smtptest.Reply(451, [3]int{4, 7, 1}, "later"), mail.ErrThrottled, "in a few minutes"},
		{"no address", "verdetto", "geheim", "", "ada", through, nil, mail.ErrAddress, "-to"},
		{"no address at all", "verdetto", "geheim", "", "", through, nil, nil, "-to"},
		{"a password in the address", "", "", "", "ada@example.com", "smtp://ada:geheim@mail.example.com", nil, nil,
			"VERDETTO_SMTP_PASSWORD"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("VERDETTO_MAIL_FROM", "mail@verdetto.example")
			t.Setenv("VERDETTO_SMTP_USER", c.user)
			t.Setenv("VERDETTO_SMTP_PASSWORD", c.password)
			if c.file != "" {
				shell := filepath.Join(t.TempDir(), "password")
				writeFile(t, shell, c.file)
				t.Setenv("VERDETTO_SMTP_PASSWORD_FILE", shell)
			}
			server.Fail = func(at smtptest.Moment, _ string) error {
				if at == smtptest.To {
					return c.fail
				}
				return nil
			}
			before := len(server.Mails())
			err := execute(context.Background(), []string{"mail-test", "-mail", c.mail, "-to", c.to})
			if taken := len(server.Mails()) - before; (err == nil) != (c.want == "") || (taken == 1) != (err == nil) {
				t.Fatalf("%v, and %d mails", err, taken)
			}
			if err != nil && (!strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) ||
				strings.Contains(err.Error(), "geheim")) {
				t.Errorf("%v; want %v with %q", err, c.is, c.want)
			}
		})
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
