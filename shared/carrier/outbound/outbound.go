// Package outbound calls servers whose addresses come from callers: webhook endpoints and push
// servers.
//
// Client connects only to public addresses and to those of AllowPrivate and Config.Servers. It
// checks all addresses of a host name before it connects to one of them, so a later change of DNS
// has no effect. Errors contain no URL, so secrets in a URL stay out of logs.
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
	DefaultTimeout = 10 * time.Second
	// MaxAnswer is the maximum length of Answer.Body in bytes.
	MaxAnswer    = 16 << 10
	maxHeader    = 16 << 10
	maxAddresses = 4
)

var (
	// ErrForbidden means that the URL is malformed or not allowed, and that no connection was made.
	ErrForbidden = errors.New("not a public address")
	// ErrUnreachable means that the request was not sent.
	ErrUnreachable = errors.New("server not reached")
	// ErrNoAnswer means that the server may have received the request.
	ErrNoAnswer = errors.New("no answer")
)

type Config struct {
	// Servers maps host names to addresses that are called without a check, also by http. It is for
	// tests.
	Servers map[string]netip.AddrPort
	Lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	Roots   *x509.CertPool
	// If 0, Timeout is DefaultTimeout.
	Timeout time.Duration
}

type Poster interface {
	Post(ctx context.Context, to string, header http.Header, body []byte) (Answer, error)
}

// Client is safe for concurrent use.
type Client struct {
	config  Config
	http    *http.Client
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// 168.63.129.16 is a public address at which Azure serves its own machines.
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
	Body   []byte
}

// Post follows no redirect, and no status of a response is an error. Errors wrap ErrForbidden,
// ErrUnreachable or ErrNoAnswer.
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
			return nil, err // one forbidden address disqualifies the name
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
		addresses[i] = a.Unmap() // a resolver may return IPv4 addresses mapped to IPv6
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

// control does not see the host name, so it accepts every address that some allowed name could have or
// that an allowed network contains.
func control(_, address string, _ syscall.RawConn) error {
	if to, err := netip.ParseAddrPort(address); err == nil && allowed.Load().any(to.Addr()) {
		return nil
	}
	return check(address)
}

// classify drops the text of err, because net/http puts the URL into it.
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
