package smtpmail

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

type Server struct {
	Host string
	Port int
	TLS  TLS
}

type TLS int

const (
	StartTLS TLS = iota
	Implicit
	// None is allowed only for a server on this machine.
	None
)

func (s Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// IsServer reports whether a text is meant as a mail server, even if it is malformed.
func IsServer(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && strings.HasPrefix(strings.ToLower(scheme), "smtp")
}

// ParseServer parses smtp://HOST[:PORT] for STARTTLS and smtps://HOST[:PORT] for implicit TLS. For
// a host on this machine, ?tls=off is allowed too. ParseServer rejects a user name or password,
// because process lists would show the secret.
func ParseServer(text string) (Server, error) {
	const want = "want smtp://HOST:587 (STARTTLS) or smtps://HOST:465 (TLS from the beginning)"
	u, err := url.Parse(text)
	if err != nil {
		return Server{}, errors.New(want) // err may contain a password
	}
	var s Server
	switch u.Scheme {
	case "smtp":
		s = Server{Port: 587, TLS: StartTLS}
	case "smtps":
		s = Server{Port: 465, TLS: Implicit}
	default:
		return Server{}, errors.New(want)
	}
	if u.User != nil {
		return Server{}, errors.New("a name and a password do not belong into the address, which everybody on the machine can read: set VERDETTO_SMTP_USER, and VERDETTO_SMTP_PASSWORD or VERDETTO_SMTP_PASSWORD_FILE")
	}
	if s.Host = u.Hostname(); s.Host == "" || strings.Trim(u.Path, "/") != "" || u.Fragment != "" {
		return Server{}, errors.New(want)
	}
	if p := u.Port(); p != "" {
		if s.Port, err = strconv.Atoi(p); err != nil || s.Port < 1 || s.Port > 65535 {
			return Server{}, fmt.Errorf("port %q: want a number from 1 to 65535", p)
		}
	}
	switch u.RawQuery {
	case "":
	case "tls=off":
		if !local(s.Host) {
			return Server{}, fmt.Errorf("tls=off: only a server on this machine (127.0.0.1, ::1, localhost) is spoken to without TLS, and %s is none", s.Host)
		}
		s.TLS = None
	default:
		return Server{}, errors.New("after the question mark only tls=off is known")
	}
	return s, nil
}

func local(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
