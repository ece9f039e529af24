// Package onemachine runs the whole service in one process over one store: every endpoint of the
// Lambda functions, the refresh, and the workers that send mails and notifications. Without mail
// there are no alerts and no paid plan. Start reading at New.
package onemachine

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/alerts"
	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
	"verdetto/functions/compat"
	"verdetto/functions/pricetrends"
	"verdetto/functions/pro"
	"verdetto/functions/x402"
	"verdetto/functions/x402/percall"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/published"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

type Options struct {
	Table   store.Table
	Source  upstream.Source
	Origins []fare.City
	Now     func() time.Time
	Log     *slog.Logger

	Pepper        []byte
	OriginSecrets []string
	BaseURL       string
	Mail          string // if empty, there are no alerts and no paid plan
	AllFares      bool
	// Money is RealMoney, NoMoney, or any other value for simulated payments.
	Money    string
	LocalURL string
	// If StandIns is nil, New starts stand-ins for Stripe and Solana when they are needed.
	StandIns *StandIns
	Edge     edge.Config
	Telegram config.Telegram
	// If JobDelay is nil, outbox jobs are due at once.
	JobDelay func() time.Duration
	// Outbound calls addresses that strangers choose, such as webhooks. If Outbound is nil, New uses an
	// outbound.Client.
	Outbound outbound.Poster

	Monitor *monitor.Monitor
	config.OneMachine
	Carry func(mail.Sender) mail.Sender
	// A nil DiskFree means the disk of this machine, and a nil Certificate the certificate at the public URL.
	DiskFree    func(folder string) (bytes float64, ok bool)
	Certificate func(ctx context.Context) (*x509.Certificate, error)
}

type Service struct {
	API *httpapi.API
	// Pro, Alerts and Sender are nil if Options.Mail is empty.
	Pro      *pro.Service
	Alerts   *alerts.Service
	Sender   *notify.Sender
	Payments *StandIns

	options     Options
	refused     *apikey.Refused
	quotas      config.Quotas
	hooksSignal <-chan struct{}
	keeper      keeper
}

func (s *Service) limiter() *limit.Limiter {
	return limit.New(s.options.Table, s.options.Now).With(s.quotas.Calls)
}

// The caller must Close the service that New returns.
func New(o Options) (*Service, error) {
	o.Log = httpapi.RequestLog(o.Log)
	s := &Service{options: o, refused: apikey.NewRefused()}
	if err := config.Load(&s.quotas); err != nil {
		return nil, err
	}
	settings := s.settings()
	fares := store.Fares{Table: o.Table}
	reader := answer.NewReader(fares, o.Now, o.Log)
	seller := &x402.Service{
		Answers: &published.Answers{Reader: reader}, Payments: store.Payments{Table: o.Table},
		Limiter: settings.Limiter, BaseURL: o.BaseURL, Now: o.Now, Log: o.Log,
	}
	var payment config.PerCall // Options.Money does not apply to payments for single answers
	err := config.Load(&payment)
	if err == nil {
		settings.PaidCalls, err = percall.Sell(seller, payment)
	}
	if err != nil {
		return nil, err
	}
	s.API = httpapi.New(settings)
	verdicts := &analisi.Service{Reader: reader, Score: fares, BaseURL: o.BaseURL, Telegram: o.Telegram.Bot != ""}
	verdicts.Register(s.API)
	trends := &view.Reader{Reader: verdicts.Reader, AllFares: settings.AllFares}
	(&pricetrends.Service{Trends: trends}).Register(s.API)
	(&agents.Service{Answers: verdicts.Answers(), Pages: verdicts.Pages(), Trends: trends, Log: o.Log}).Register(s.API)
	(&compat.Service{Reader: reader, BaseURL: o.BaseURL}).Register(s.API)
	seller.Register(s.API)
	if o.Mail == "" {
		return s, nil
	}
	carrier, err := OpenCarrier(context.Background(), o.Mail, o.Now, nil)
	if err == nil {
		if o.Carry != nil {
			carrier.Sender = o.Carry(carrier.Sender)
		}
		carrier.Sender = o.Monitor.Mail(carrier.Sender, o.mailed)
		err = s.openPro(carrier)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	if err := s.openAlerts(carrier); err != nil {
		s.Close()
		return nil, err
	}
	s.Sender = o.NewSender(carrier)
	s.Pro.Register(s.API)
	s.Alerts.Register(s.API)
	return s, nil
}

func (s *Service) settings() httpapi.Config {
	o := s.options
	c := httpapi.Config{
		Now: o.Now, Log: o.Log, Pepper: o.Pepper, OriginSecrets: o.OriginSecrets,
		Limiter: s.limiter(), Quotas: httpapi.Quotas(s.quotas),
		Customers: store.Customers{Table: o.Table}, Refused: s.refused,
		Pages:   page.Problems,
		Observe: o.Monitor.Request,
	}
	if o.Source.Name() == "sample" {
		c.Data = "sample"
	}
	// Travelpayouts limits which fares may be shown; other sources do not.
	c.AllFares = o.AllFares || o.Source.Name() != realSource
	return c
}

func (s *Service) Close() {
	if s.Payments != nil {
		s.Payments.Close()
	}
}

type times struct{ header, request, answer, idle time.Duration }

func (s *Service) server(t times) *http.Server {
	return &http.Server{
		Handler: s.options.Edge.Handler(s.options.health().Handler(s.API), s.API.AdmitCached, s.options.Now),
		HTTP2:   &http.HTTP2Config{MaxConcurrentStreams: 100},
		// The level is Debug, because lines of the HTTP server contain addresses of callers.
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: t.header,
		ReadTimeout:       t.request,
		WriteTimeout:      t.answer,
		IdleTimeout:       t.idle,
		MaxHeaderBytes:    64 << 10,
	}
}

// Serve also runs the workers. When ctx ends, answers in progress get up to 10 seconds to finish.
func (s *Service) Serve(ctx context.Context, listener net.Listener) error {
	go s.Work(ctx)
	within := times{header: 10 * time.Second, request: 30 * time.Second, answer: 2 * time.Minute, idle: 2 * time.Minute}
	server := s.server(within)
	listener = s.options.Edge.Listen(listener)
	ended := make(chan error, 2)
	if certificates := s.options.Edge.Certificates; certificates != nil {
		server.TLSConfig = certificates.TLS()
		plain := s.server(within)
		plain.Handler = certificates.PlainHandler()
		defer plain.Close()
		go func() { ended <- plain.Serve(s.options.Edge.Listen(s.options.Edge.Plain)) }()
		go func() { ended <- server.ServeTLS(listener, "", "") }()
		s.keeper.tls.Store(new(LocalURL(listener.Addr())))
		certificates.Obtain(ctx, s.options.Log)
	} else {
		go func() { ended <- server.Serve(listener) }()
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}

// BaseURL fails unless the result may start a link in a mail: https, or http on this machine.
func BaseURL(given string, realPayments bool, listens net.Addr) (string, error) {
	if given == "" && realPayments {
		given = os.Getenv("VERDETTO_BASE_URL")
		if given == "" {
			return "", fmt.Errorf("-money real: set the public address of the service with -base or VERDETTO_BASE_URL")
		}
	}
	if given == "" {
		given = LocalURL(listens)
	}
	u, err := url.Parse(given)
	local := err == nil && (u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback())
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Scheme != "https" && !(u.Scheme == "http" && local) {
		return "", fmt.Errorf("-base: %q cannot be the start of links; set an https address, or one on this machine", given)
	}
	return strings.TrimRight(given, "/"), nil
}

func LocalURL(listens net.Addr) string {
	if tcp, ok := listens.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + listens.String()
}

func Clock(text string) (func() time.Time, error) {
	if text == "" {
		return time.Now, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		// A date means noon (UTC), so that fares found that morning are known.
		if at, err = time.Parse(time.DateOnly, text); err != nil {
			return nil, fmt.Errorf("-now %q: want RFC 3339 (2016-03-01T12:00:00Z) or a day (2016-03-01)", text)
		}
		at = at.Add(12 * time.Hour)
	}
	begun := time.Now()
	return func() time.Time { return at.Add(time.Since(begun)) }, nil
}
