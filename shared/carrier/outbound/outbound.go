// Package outbound calls servers whose addresses come from callers: webhook endpoints and push
// servers.
//
// It reaches only public addresses, and those that the operator allows (AllowPrivate). A name is
// looked up once, every address in the DNS answer is checked, and the connection uses one of these
// addresses, so a later change of the name has no effect. No redirect is followed, no proxy is
// used, and no connection is used twice. The time and size of an answer are limited. Errors contain
// no URL, so secrets in a URL stay out of logs.
package outbound

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// DefaultTimeout bounds a call, from the DNS look-up to the end of the answer.
	DefaultTimeout = 10 * time.Second
	// MaxAnswer is how many bytes of an answer's body are read. The rest is dropped with the
	// connection.
	MaxAnswer = 16 << 10
	maxHeader = 16 << 10
	// maxAddresses is how many addresses of a host name are tried.
	maxAddresses = 4
)

var (
	// ErrForbidden means that the URL is malformed or leads to a forbidden address. No connection
	// was made.
	ErrForbidden = errors.New("not a public address")
	// ErrUnreachable means that the request was not sent: the host name is unknown, the server
	// refused to connect, or its certificate is not trusted.
	ErrUnreachable = errors.New("server not reached")
	// ErrNoAnswer means that the server may have received the request, but no answer came in time.
	ErrNoAnswer = errors.New("no answer")
)

// Config holds the settings of a Client. The zero value is for production.
type Config struct {
	// Servers maps host names to the addresses of a test's servers. The names are not looked up in
	// DNS; the addresses may be private, and may be called by http.
	Servers map[string]netip.AddrPort
	// Lookup returns the addresses of a host name. If nil, the system's resolver is used.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Roots are the trusted certificate authorities. If nil, the system's are trusted.
	Roots *x509.CertPool
	// Timeout bounds a call. If 0, it is DefaultTimeout.
	Timeout time.Duration
}

// Poster is what other packages use of Client, and tests imitate.
type Poster interface {
	Post(ctx context.Context, to string, header http.Header, body []byte) (Answer, error)
}

// Client is safe for concurrent use.
type Client struct {
	config  Config
	http    *http.Client
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// guardian refuses the special addresses in the IANA registries, such as private networks, and the
// public address at which Azure serves its own machines.
var guardian = ssrf.New(ssrf.WithPorts(securePort), ssrf.WithDeniedV4Prefixes(
	netip.MustParsePrefix("168.63.129.16/32"),
))

func New(c Config) *Client {
	if c.Lookup == nil {
		c.Lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	client := &Client{config: c, connect: (&net.Dialer{Control: control}).DialContext}
	client.http = &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            client.dial,
			TLSClientConfig:        &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives:      true,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
	}
	return client
}

type Answer struct {
	Status int
	Header http.Header
	Body   []byte // the first MaxAnswer bytes
}

// Post sends a body to a URL. A response with any status is no error, including a redirect, which
// is not followed. Post fails only with the errors of this package.
func (c *Client) Post(ctx context.Context, to string, header http.Header, body []byte) (Answer, error) {
	target, err := c.target(to)
	if err != nil {
		return Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(body))
	if err != nil {
		return Answer{}, fmt.Errorf("%w: malformed", ErrForbidden)
	}
	if header != nil {
		asked.Header = header.Clone()
	}
	response, err := c.http.Do(asked)
	if err != nil {
		return Answer{}, classify(err)
	}
	defer response.Body.Close()
	answer := Answer{Status: response.StatusCode, Header: response.Header}
	// At a timeout the body may end early without an error.
	if answer.Body, err = io.ReadAll(io.LimitReader(response.Body, MaxAnswer)); err != nil || ctx.Err() != nil {
		return answer, fmt.Errorf("%w: it ended early", ErrNoAnswer)
	}
	return answer, nil
}

func (c *Client) target(raw string) (*url.URL, error) {
	if u, err := url.Parse(raw); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if _, configured := c.config.Servers[u.Hostname()]; configured {
			return u, nil
		}
	}
	return ParseURL(raw)
}

// dial looks up a host name once, checks all its addresses, and connects to the first one that
// accepts.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: malformed", ErrForbidden)
	}
	if server, ok := c.config.Servers[host]; ok {
		connection, err := new(net.Dialer).DialContext(ctx, network, server.String())
		if err != nil {
			err = fmt.Errorf("%w: %w", ErrUnreachable, err)
		}
		return connection, err
	}
	addresses, err := c.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	for _, a := range addresses {
		if allowed.Load().reach(host, a) {
			continue
		}
		if err := check(net.JoinHostPort(a.String(), port)); err != nil {
			return nil, err // one private address disqualifies the name
		}
	}
	for _, a := range addresses[:min(len(addresses), maxAddresses)] {
		var connection net.Conn
		connection, err = c.connect(ctx, network, net.JoinHostPort(a.String(), port))
		if err == nil {
			return connection, nil
		}
	}
	return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
}

func (c *Client) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal}, nil
	}
	found, err := c.config.Lookup(ctx, host)
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%w: its name has no address", ErrUnreachable)
	}
	addresses := make([]netip.Addr, len(found))
	for i, a := range found {
		addresses[i] = a.Unmap() // resolvers map IPv4 addresses to IPv6
	}
	return addresses, nil
}

func check(address string) error {
	to, err := netip.ParseAddrPort(address)
	if err == nil {
		err = guardian.SafeAddrPort(to)
	}
	if err != nil {
		return fmt.Errorf("%w: %s", ErrForbidden, address)
	}
	return nil
}

// control checks the address again directly before the connection is made.
func control(_, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err == nil && allowed.Load().any(to.Addr()) {
		return nil
	}
	return check(address)
}

// classify returns the error of this package for a request without an answer, and omits the URL
// that net/http adds.
func classify(err error) error {
	var named *url.Error
	if errors.As(err, &named) {
		err = named.Err
	}
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, ErrForbidden):
		return ErrForbidden
	case errors.Is(err, ErrUnreachable):
		return ErrUnreachable
	case errors.As(err, &certificate):
		return fmt.Errorf("%w: its certificate is not trusted", ErrUnreachable)
	}
	return ErrNoAnswer
}
