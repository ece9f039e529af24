// Package outbound asks servers whose addresses strangers gave: endpoints of
// webhooks, and servers of push messages.
//
// It promises that nothing but public addresses is reached: a name is looked up
// once, every address of the answer is checked, and one of those is connected
// to, so that a name which says something else the next time changes nothing. No
// redirect is followed, no proxy of the environment is used, no connection is
// kept, and neither the time nor the size of an answer is the server's to choose.
// Errors hold no URL: what is secret in one does not come into a log.
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
	// DefaultTimeout is how long an exchange takes at most, from the look-up of the name to the end of the answer.
	DefaultTimeout = 10 * time.Second
	// MaxAnswer is how much of an answer is read, in bytes. The rest is dropped with the connection.
	MaxAnswer = 16 << 10
	// maxHeader bounds the header of an answer, in bytes.
	maxHeader = 16 << 10
	// maxAddresses is how many addresses of a name are tried.
	maxAddresses = 4
)

var (
	// ErrForbidden: the URL leads to what must not be reached, and nothing was connected to.
	ErrForbidden = errors.New("not a public address")
	// ErrUnreachable: nobody took the request: the name is not known, or the server took no connection.
	ErrUnreachable = errors.New("server not reached")
	// ErrNoAnswer: the server may or may not have taken the request: its answer did not come, or not in time.
	ErrNoAnswer = errors.New("no answer")
)

// Config says how a Client asks. The zero value is that of a service.
type Config struct {
	// Servers are where some hosts are reached, whatever the DNS says and whether
	// that is public or not, by http as well: a server of the operator's own, or
	// what a test listens on. No stranger chooses these.
	Servers map[string]netip.AddrPort
	// Lookup finds the addresses of a name; nil asks the system.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Roots are whose certificates are trusted; nil: whom the system trusts.
	Roots *x509.CertPool
	// Timeout of an exchange; 0 is DefaultTimeout.
	Timeout time.Duration
}

// Poster is a Client, or what stands for one in tests.
type Poster interface {
	Post(ctx context.Context, to string, header http.Header, body []byte) (Answer, error)
}

// Client asks public servers. It is safe for concurrent use.
type Client struct {
	config  Config
	http    *http.Client
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// guardian knows the registries of addresses of the IANA; beside them are refused
// public addresses at which a cloud answers machines of its own.
var guardian = ssrf.New(ssrf.WithPorts(securePort), ssrf.WithDeniedV4Prefixes(
	netip.MustParsePrefix("168.63.129.16/32"), // Azure
))

// New makes a client.
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

// Answer is what a server said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // its first MaxAnswer bytes
}

// Post sends a body to a URL. Any status is an answer, also one that leads
// elsewhere, which is not followed. An error is one of those of the package.
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
	// A server told of the end of our time may still end its answer before the connection is closed.
	if answer.Body, err = io.ReadAll(io.LimitReader(response.Body, MaxAnswer)); err != nil || ctx.Err() != nil {
		return answer, fmt.Errorf("%w: it ended early", ErrNoAnswer)
	}
	return answer, nil
}

func (c *Client) target(raw string) (*url.URL, error) {
	if u, err := url.Parse(raw); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		if _, own := c.config.Servers[u.Hostname()]; own {
			return u, nil
		}
	}
	return ParseURL(raw)
}

// dial looks a name up once, checks all of its addresses, and connects to the first that takes it.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%w: malformed", ErrForbidden)
	}
	if own, ok := c.config.Servers[host]; ok {
		connection, err := new(net.Dialer).DialContext(ctx, network, own.String())
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
		if err := check(net.JoinHostPort(a.String(), port)); err != nil {
			return nil, err // of a name that is partly public nothing is trusted
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

// addresses are those of a host, of which there is at least one.
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
		addresses[i] = a.Unmap() // resolvers write addresses of IPv4 as those of IPv6
	}
	return addresses, nil
}

// check tells why an address and port must not be connected to; nil where they may be.
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

// control looks once more at what is connected to, when all else was decided.
func control(_, address string, _ syscall.RawConn) error { return check(address) }

// classify says what is known of a request that had no answer, without the URL that net/http names.
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
