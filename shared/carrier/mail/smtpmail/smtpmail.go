// Package smtpmail sends mails through a submission server by SMTP: the server of a provider, or a
// server on this machine. Each mail uses its own connection, encrypted before authentication unless
// TLS is None.
//
// If the connection breaks between the end of a mail and the server's answer, the outcome is
// unknown (ErrUnavailable). The package does not retry.
package smtpmail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"verdetto/shared/carrier/mail"
)

const (
	Timeout = 14 * time.Second
	// BeforeEnd bounds the time until the end of a message is sent. The rest of Timeout is for a
	// slow server's answer.
	BeforeEnd = 8 * time.Second
)

type Config struct {
	Server         Server
	User, Password string // both empty if the server needs no authentication
	From           string // an address or Name <address>, which receives bounces
	Now            func() time.Time
	Roots          *x509.CertPool
	Dial           func(ctx context.Context, network, address string) (net.Conn, error)
	// Watch may be nil. It receives descriptions of successful steps, for an operator.
	Watch func(step string)
}

// Sender is safe for concurrent use.
type Sender struct {
	config  Config
	compose *mail.Composer
}

var _ mail.Sender = (*Sender)(nil)

func New(c Config) (*Sender, error) {
	compose, err := mail.NewComposer(c.From, c.Now)
	if err != nil {
		return nil, fmt.Errorf("open mail server: %w", err)
	}
	if (c.User == "") != (c.Password == "") {
		return nil, errors.New("open mail server: of name and password only one is given")
	}
	if c.Server.TLS == None && !local(c.Server.Host) {
		return nil, fmt.Errorf("open mail server: %s is not on this machine, and is not spoken to without TLS",
			c.Server.Host)
	}
	if c.Dial == nil {
		c.Dial = new(net.Dialer).DialContext
	}
	if c.Watch == nil {
		c.Watch = func(string) {}
	}
	return &Sender{c, compose}, nil
}

func (s *Sender) Send(ctx context.Context, m mail.Message) error {
	raw, err := s.compose.Compose(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	before, cancelBefore := context.WithTimeout(ctx, BeforeEnd)
	defer cancelBefore()
	reached, err := s.send(ctx, before, m.To, raw)
	if err == nil {
		return nil
	}
	text := mail.Redact(err.Error(), m.To)
	if ended := before.Err(); ended != nil {
		return fmt.Errorf("send mail: %w: %s: %w: %s", outcome(reached, err), reached, ended, text)
	}
	return fmt.Errorf("send mail: %w: %s: %s", outcome(reached, err), reached, text)
}

// send returns the last step that it began. Once the context named before has ended, send does not send
// the end of the message.
func (s *Sender) send(ctx, before context.Context, to string, raw []byte) (step, error) {
	conn, err := s.config.Dial(before, "tcp", s.config.Server.Address())
	if err != nil {
		return connecting, err
	}
	s.watch("connected to %s (%s)", s.config.Server.Address(), conn.RemoteAddr())
	// Closing the connection ends a command earlier than the deadlines of the library.
	ends := context.AfterFunc(before, func() { conn.Close() })
	c, reached, err := s.open(before, conn)
	if err == nil {
		reached, err = s.hand(c, to, raw, func() error {
			if !ends() {
				return before.Err()
			}
			ends = context.AfterFunc(ctx, func() { conn.Close() })
			return nil
		})
	}
	ends()
	var answered *smtp.SMTPError
	if c == nil || err != nil && !errors.As(err, &answered) {
		conn.Close()
		return reached, err
	}
	go func() { // The outcome is known, so nobody waits for QUIT.
		defer conn.Close()
		_ = conn.SetDeadline(time.Now().Add(BeforeEnd))
		_ = c.Quit()
	}()
	return reached, err
}

// hand calls beforeEnd directly before it sends the end of the message.
func (s *Sender) hand(c *smtp.Client, to string, raw []byte, beforeEnd func() error) (step, error) {
	if err := c.Mail(s.compose.From(), &smtp.MailOptions{Size: int64(len(raw))}); err != nil {
		return sender, err
	}
	s.watch("the sender %s is accepted", s.compose.From())
	if err := c.Rcpt(to, nil); err != nil {
		return recipient, err
	}
	s.watch("the recipient %s is accepted", to)
	w, err := c.Data()
	if err == nil {
		_, err = w.Write(raw)
	}
	if err == nil {
		err = beforeEnd()
	}
	if err != nil {
		return content, err
	}
	response, err := w.CloseWithResponse()
	if err == nil {
		s.watch("the message is taken: %s", response.StatusText)
	}
	return end, err
}

func (s *Sender) open(ctx context.Context, conn net.Conn) (c *smtp.Client, reached step, err error) {
	settings := &tls.Config{ServerName: s.config.Server.Host, RootCAs: s.config.Roots, MinVersion: tls.VersionTLS12}
	switch s.config.Server.TLS {
	case Implicit:
		encrypted := tls.Client(conn, settings)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return nil, greeting, err
		}
		c = smtp.NewClient(encrypted)
	case StartTLS:
		if c, err = smtp.NewClientStartTLS(conn, settings); err != nil {
			return nil, greeting, err // the library has closed conn
		}
	case None:
		c = smtp.NewClient(conn)
	}
	c.CommandTimeout, c.SubmissionTimeout = Timeout, Timeout
	_, domain, _ := strings.Cut(s.compose.From(), "@")
	if err := c.Hello(domain); err != nil {
		return c, greeting, err
	}
	if state, ok := c.TLSConnectionState(); ok {
		s.watch("encrypted: %s, certificate of %s, good until %s", tls.VersionName(state.Version),
			s.config.Server.Host, state.PeerCertificates[0].NotAfter.Format(time.DateOnly))
	}
	if s.config.User == "" {
		return c, greeting, nil
	}
	if err := s.authenticate(c); err != nil {
		return c, signingIn, err
	}
	s.watch("signed in")
	return c, signingIn, nil
}

// Some servers support only LOGIN.
func (s *Sender) authenticate(c *smtp.Client) error {
	switch {
	case c.SupportsAuth(sasl.Plain):
		return c.Auth(sasl.NewPlainClient("", s.config.User, s.config.Password))
	case c.SupportsAuth(sasl.Login):
		return c.Auth(sasl.NewLoginClient(s.config.User, s.config.Password))
	}
	return errors.New("the server takes neither PLAIN nor LOGIN, or no name and password at all")
}

func (s *Sender) watch(format string, args ...any) { s.config.Watch(fmt.Sprintf(format, args...)) }
