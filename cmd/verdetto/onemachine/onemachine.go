// Package onemachine is the whole service in one process over one store: every
// endpoint that the Lambda functions have between them, the refresh, and the
// workers that go through outboxes and send notifications. Mail goes to a mail
// server, SES or a folder. Unless real payments are asked for, payments are made to stand-ins
// for Stripe and Solana on this machine.
//
// The command line serves it, and the end-to-end tests ask it.
package onemachine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"verdetto/cmd/verdetto/edge"
	"verdetto/cmd/verdetto/monitor"
	"verdetto/functions/alerts"
	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
	"verdetto/functions/compat"
	"verdetto/functions/pricetrends"
	"verdetto/functions/pro"
	"verdetto/functions/wiring/percall"
	"verdetto/functions/x402"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/apikey"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/notify"
	"verdetto/shared/published"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/upstream"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

// Options say what a service is made of.
type Options struct {
	Table  store.Table
	Source upstream.Source // of the fares in the table
	Now    func() time.Time
	Log    *slog.Logger

	Pepper        []byte   // see Pepper
	OriginSecrets []string // see httpapi.Config; none where callers reach the process directly
	BaseURL       string   // what links to the service begin with; see BaseURL
	Mail          string   // what mail is handed to, see OpenCarrier; without one there are no alerts and nothing is sold
	AllFares      bool     // see httpapi.Config; fares that are not of the real source are shown in any case
	RealPayments  bool     // configured as the Lambda function is, in place of the stand-ins
	LocalURL      string   // where the stand-ins on this machine reach the service; without it they do not report to it
	Edge          edge.Config
	Telegram      config.Telegram      // the bot by which alerts come in Telegram; none where it has no name
	JobDelay      func() time.Duration // see store.Outbox; nil: mails that answers ask for are due at once
	Outbound      outbound.Poster      // by which servers are asked whose addresses strangers give; nil: an outbound.Client

	Monitor *monitor.Monitor // what the process tells of itself; nil: nothing
}

// Service is the whole service. New starts nothing that works by itself.
type Service struct {
	API *httpapi.API
	// These are nil without a carrier of mail.
	Pro    *pro.Service
	Alerts *alerts.Service
	Sender *notify.Sender
	// Payments is nil with real payments too.
	Payments *StandIns

	options     Options
	refused     *apikey.Refused
	hooksSignal <-chan struct{}
}

// New wires the service. Close ends it.
func New(o Options) (*Service, error) {
	o.Log = httpapi.RequestLog(o.Log)
	s := &Service{options: o, refused: apikey.NewRefused()}
	settings := httpapi.Config{
		Now: o.Now, Log: o.Log, Pepper: o.Pepper, OriginSecrets: o.OriginSecrets,
		Limiter: limit.New(o.Table, o.Now), Customers: store.Customers{Table: o.Table}, Refused: s.refused,
		Pages:   page.Problems,
		Observe: o.Monitor.Request,
	}
	if o.Source.Name() == "sample" {
		settings.Data = "sample"
	}
	settings.AllFares = o.AllFares || o.Source.Name() != realSource // others belong to the operator
	fares := store.Fares{Table: o.Table}
	reader := answer.NewReader(fares, o.Now, o.Log)
	seller := &x402.Service{
		Answers: &published.Answers{Reader: reader}, Payments: store.Payments{Table: o.Table},
		Limiter: settings.Limiter, BaseURL: o.BaseURL, Now: o.Now, Log: o.Log,
	}
	var payment config.PerCall // always over the real chain, whatever Pro is paid with
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
		carrier.Sender = o.Monitor.Mail(carrier.Sender)
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

// Close ends the stand-ins.
func (s *Service) Close() {
	if s.Payments != nil {
		s.Payments.Close()
	}
}

// times are how long a connection may take for what it does.
type times struct{ header, request, answer, idle time.Duration }

// server answers HTTP. Nobody holds a connection by sending or reading slowly: a
// request has to be there whole in time, and an answer to be taken.
func (s *Service) server(t times) *http.Server {
	return &http.Server{
		Handler: s.options.Edge.Handler(NewHealth(s.options.Table, s.options.Now).Handler(s.API), s.options.Now),
		HTTP2:   &http.HTTP2Config{MaxConcurrentStreams: 100},
		// It names callers by their address, and programs that look for something else make most of its lines.
		ErrorLog:          slog.NewLogLogger(s.options.Log.Handler(), slog.LevelDebug),
		ReadHeaderTimeout: t.header,
		ReadTimeout:       t.request,
		WriteTimeout:      t.answer,
		IdleTimeout:       t.idle,
		MaxHeaderBytes:    64 << 10,
	}
}

// Serve answers on a listener and does the work behind the endpoints, until the
// context ends; then answers that are being made are given up to 10 s.
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
		certificates.Obtain(ctx, s.options.Log)
	} else {
		go func() { ended <- server.Serve(listener) }()
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := server.Shutdown(grace); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
}
