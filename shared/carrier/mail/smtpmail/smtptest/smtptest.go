// Package smtptest is a mail server for tests. It speaks SMTP on any listener, stores the mails
// that it accepts, and fails at the moments that a test chooses.
package smtptest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

type Moment string

// At Content the server has read the whole message but not stored it. At Kept it has stored the
// message but not answered yet.
const (
	Hello   Moment = "hello"
	Auth    Moment = "auth"
	From    Moment = "from"
	To      Moment = "to"
	Data    Moment = "data"
	Content Moment = "content"
	Kept    Moment = "kept"
)

var (
	ErrCut  = errors.New("cut")
	ErrHang = errors.New("hang")
)

// If enhanced is zero, the reply has no enhanced code.
func Reply(code int, enhanced [3]int, text string) error {
	if enhanced == [3]int{} {
		return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: text}
	}
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode(enhanced), Message: text}
}

type Mail struct {
	From, To string
	Raw      []byte
	TLS      bool
	User     string
}

type Server struct {
	User, Password string
	// Fail may be nil. Its parameter to is empty before the recipient is known.
	Fail func(at Moment, to string) error

	server *smtp.Server
	roots  *x509.CertPool
	closed chan struct{}

	mu    sync.Mutex
	mails []Mail
}

func New(encrypted bool) *Server {
	s := &Server{closed: make(chan struct{})}
	s.server = smtp.NewServer(smtp.BackendFunc(s.session))
	s.server.Domain, s.server.AllowInsecureAuth = "mail.example.com", true
	s.server.MaxMessageBytes = 64 << 20
	s.server.ErrorLog = silent{}
	certificate, roots := loopbackCertificate()
	s.roots = roots
	if encrypted {
		s.server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	return s
}

func (s *Server) Roots() *x509.CertPool { return s.roots }

func (s *Server) Serve(l net.Listener, implicit bool) {
	if implicit {
		l = tls.NewListener(l, s.server.TLSConfig)
	}
	_ = s.server.Serve(l)
}

func (s *Server) Close() {
	close(s.closed)
	_ = s.server.Close()
}

func (s *Server) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.mails)
}

func loopbackCertificate() (tls.Certificate, *x509.CertPool) {
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.StartTLS()
	defer web.Close()
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return web.TLS.Certificates[0], roots
}

type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

type session struct {
	*Server
	conn *smtp.Conn
	mail Mail
}

func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	one := &session{Server: s, conn: c}
	return one, one.fail(Hello)
}

func (s *session) fail(at Moment) error {
	if s.Fail == nil {
		return nil
	}
	err := s.Fail(at, s.mail.To)
	switch err {
	case ErrCut:
		_ = s.conn.Conn().Close()
	case ErrHang:
		select {
		case <-s.closed:
		case <-time.After(time.Hour):
		}
		_ = s.conn.Conn().Close()
	}
	return err
}

func (s *session) AuthMechanisms() []string {
	if s.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	if err := s.fail(Auth); err != nil {
		return nil, err
	}
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != s.User || password != s.Password {
			return smtp.ErrAuthFailed
		}
		s.mail.User = user
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.User != "" && s.mail.User == "" {
		return smtp.ErrAuthRequired
	}
	s.mail.From = from
	return s.fail(From)
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.mail.To = to
	return s.fail(To)
}

func (s *session) Data(r io.Reader) error {
	if err := s.fail(Data); err != nil {
		return err
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := s.fail(Content); err != nil {
		return err
	}
	s.mail.Raw = raw
	_, s.mail.TLS = s.conn.TLSConnectionState()
	s.mu.Lock()
	s.mails = append(s.mails, s.mail)
	s.mu.Unlock()
	return s.fail(Kept)
}

func (s *session) Reset()        { s.mail = Mail{User: s.mail.User} }
func (s *session) Logout() error { return nil }
