// The Lambda executable of functions/alerts. Beside HTTP it takes notices of
// bounces and complaints from SNS, and schedules and signals of a queue, on which
// it does what is in the outbox.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"

	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/functions/alerts"
	"verdetto/shared/carrier/mail/instrumented"
	"verdetto/shared/carrier/mail/sesmail"
	"verdetto/shared/carrier/ntfy"
	"verdetto/shared/carrier/outbound"
	"verdetto/shared/carrier/telegram"
	"verdetto/shared/notify"
	"verdetto/shared/notify/push"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/config/ssmparams"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/runtime/lambdalog"
	"verdetto/shared/runtime/lambdaqueue"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/runtime/queue/sqsqueue"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/page"
)

func main() {
	var table config.Store
	var access config.HTTP
	var public config.Public
	var outgoing config.Mail
	var clock config.Clock
	var work config.Work
	var bot config.Telegram
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &access, &public, &outgoing, &work, &bot, &clock))
	if fault := bot.Fault(); fault != "" {
		log.Fatal("configuration: ", fault)
	}
	now, logger := clock.Now(), httpapi.RequestLog(lambdalog.New())
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	must(store.CheckPepper(context.Background(), items, access.Key()))
	limiter := limit.New(items, now)
	sender, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: now})
	must(err)
	records := store.Alerts{Table: items, Outbox: store.Outbox{Table: items, Name: "alerts", Delay: store.RandomDelay}}
	links := notify.Links{Pepper: access.Key(), BaseURL: public.BaseURL}
	pushes := store.Outbox{Table: items, Name: notify.PushOutbox}
	out := outbound.New(outbound.Config{})
	carriers := map[string]notify.Carrier{store.Ntfy: push.Ntfy{Publisher: ntfy.Publisher{Outbound: out}, BaseURL: public.BaseURL}}
	if bot.Bot != "" {
		client, err := telegram.New(telegram.Config{Token: bot.Token, URL: bot.URL})
		must(err)
		carriers[store.Telegram] = push.Telegram{Bot: client, BaseURL: public.BaseURL}
	}
	confirmations := &notify.Confirmations{
		Alerts: records, Links: links, Limiter: limiter, Now: now, Log: logger, Push: pushes, Metrics: metrics.Of(lambdacontext.FunctionName),
		Mail: instrumented.Sender{Sender: sender, Log: logger, Metrics: metrics.Of(lambdacontext.FunctionName), Now: now},
	}
	service := &alerts.Service{
		Alerts: records, Links: links, Confirmations: confirmations, Random: rand.Reader, Now: now, Log: logger,
		Pushes: &notify.Pushes{Alerts: records, Outbox: pushes, Carriers: carriers, Links: links, Now: now, Log: logger},
		Webhooks: &webhook.Worker{
			Deliveries: store.Deliveries{Table: items, Outbox: records.Outbox}, Alerts: records, Client: out,
			Secrets: webhook.Secrets{Pepper: access.Key()}, Limiter: limiter, Now: now, Log: logger,
		},
		Telegram: alerts.TelegramBot{Name: bot.Bot, Secret: bot.Secret},
	}
	if work.QueueURL != "" {
		service.SignalWorker = queue.SignalWorker(sqsqueue.New(sqs.NewFromConfig(settings), work.QueueURL), logger)
	}
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger, OriginSecrets: access.OriginSecrets, Pepper: access.Key(),
		Limiter: limiter, Customers: store.Customers{Table: items},
		Metrics: metrics.Of(lambdacontext.FunctionName), Pages: page.Problems,
	})
	service.Register(api)
	lambdahttp.MainWith(api, lambdaqueue.Adapt(queue.WorkerHandler(service.Work, logger), func(ctx context.Context, event json.RawMessage) (any, error) {
		return service.Event(ctx, event)
	}))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
