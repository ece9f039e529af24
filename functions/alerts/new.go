package alerts

import (
	"crypto/rand"
	"errors"
	"log/slog"
	"time"

	"verdetto/shared/carrier/mail"
	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/notify"
	"verdetto/shared/notify/push"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/web/limit"
)

type Parts struct {
	Table    store.Table
	Limiter  *limit.Limiter
	Pepper   []byte
	BaseURL  string
	Mail     mail.Sender
	Delay    func() time.Duration
	AtOnce   int
	Outbound outbound.Poster
	Bot      config.Telegram
	Now      func() time.Time
	Log      *slog.Logger
	Metrics  metrics.Source
}

func New(p Parts) (*Service, error) {
	if fault := p.Bot.Fault(); fault != "" {
		return nil, errors.New("configuration: " + fault)
	}
	if p.Outbound == nil {
		p.Outbound = outbound.New(outbound.Config{})
	}
	carriers := map[string]notify.Carrier{
		store.Ntfy: push.Ntfy{Publisher: ntfy.Publisher{Outbound: p.Outbound}, BaseURL: p.BaseURL},
	}
	if p.Bot.Bot != "" {
		client, err := telegram.New(p.Bot.Token, p.Bot.URL)
		if err != nil {
			return nil, err
		}
		carriers[store.Telegram] = push.Telegram{Bot: client, BaseURL: p.BaseURL}
	}
	records := store.Alerts{Table: p.Table, Outbox: store.Outbox{Table: p.Table, Name: "alerts", Delay: p.Delay}}
	links := notify.Links{Pepper: p.Pepper, BaseURL: p.BaseURL}
	pushes := store.Outbox{Table: p.Table, Name: notify.PushOutbox}
	return &Service{
		Alerts: records, Links: links, Random: rand.Reader, Now: p.Now, Log: p.Log,
		Confirmations: &notify.Confirmations{
			Alerts: records, Mail: p.Mail, Limiter: p.Limiter, Links: links, Push: pushes,
			Now: p.Now, Log: p.Log, Metrics: p.Metrics, AtOnce: p.AtOnce,
		},
		Pushes: &notify.Pushes{Alerts: records, Outbox: pushes, Carriers: carriers, Links: links, Now: p.Now, Log: p.Log},
		Webhooks: &webhook.Worker{
			Deliveries: store.Deliveries{Table: p.Table, Outbox: records.Outbox}, Alerts: records, Client: p.Outbound,
			Secrets: webhook.Secrets{Pepper: p.Pepper}, Limiter: p.Limiter, Now: p.Now, Log: p.Log,
		},
		Telegram: TelegramBot{Name: p.Bot.Bot, Secret: p.Bot.Secret},
	}, nil
}
