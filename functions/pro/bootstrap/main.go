// The Lambda executable of functions/pro. Beside HTTP it takes nudges from a queue
// and the event of a schedule, on which it does what is in the outbox.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"log/slog"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/functions/pro"
	"verdetto/shared/awsenv"
	"verdetto/shared/config"
	"verdetto/shared/config/ssmparams"
	"verdetto/shared/httpapi"
	"verdetto/shared/lambdahttp"
	"verdetto/shared/lambdaqueue"
	"verdetto/shared/limit"
	"verdetto/shared/mail/instrumented"
	"verdetto/shared/mail/sesmail"
	"verdetto/shared/metrics"
	"verdetto/shared/page"
	"verdetto/shared/pay"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/stripepay"
	"verdetto/shared/queue"
	"verdetto/shared/queue/sqsqueue"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
)

func main() {
	var table config.Store
	var door config.HTTP
	var public config.Public
	var money config.Pay
	var post config.Mail
	var clock config.Clock
	var work config.Work
	settings, err := awsenv.Settings()
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &door, &public, &money, &post, &work, &clock))
	now, logger := clock.Now(), slog.New(slog.NewJSONHandler(os.Stdout, nil))
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	limiter := limit.New(items, now)
	checkout, err := stripepay.New(stripepay.Config{
		Key: money.StripeKey, Price: money.StripePrice, WebhookSecrets: money.StripeSecrets, URL: money.StripeURL,
	})
	must(err)
	chain, err := solanapay.New(solanapay.Config{Nodes: money.SolanaNodes, Wallet: money.SolanaWallet, Mint: money.SolanaMint})
	must(err)
	account, err := solanapay.TokenAccount(money.SolanaWallet, money.SolanaMint)
	must(err)
	units, err := pay.ParseUnits(money.USDC)
	must(err)
	sender, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: post.From, ConfigurationSet: post.ConfigurationSet, Now: now})
	must(err)
	service := &pro.Service{
		Keys: store.Customers{Table: items}, Outbox: store.Outbox{Table: items, Name: "pro"}, Checkout: checkout, Chain: chain,
		Wallet:  pro.Wallet{Owner: money.SolanaWallet, TokenAccount: account, Mint: money.SolanaMint, Network: money.SolanaNetwork, Units: units},
		Sender:  instrumented.Sender{Sender: sender, Log: logger, Metrics: metrics.Of("pro"), Now: now},
		Limiter: limiter, Pepper: []byte(door.Pepper), BaseURL: public.BaseURL,
		Random: rand.Reader, Now: now, Log: logger,
	}
	if work.QueueURL != "" {
		service.SignalWorker = queue.SignalWorker(sqsqueue.New(sqs.NewFromConfig(settings), work.QueueURL), logger)
	}
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger, OriginSecrets: door.OriginSecrets, Pepper: []byte(door.Pepper),
		Limiter: limiter, Customers: store.Customers{Table: items},
		Metrics: metrics.Of("pro"), Pages: page.Problems,
	})
	service.Register(api)
	lambdahttp.MainWith(http.Handler(api), lambdaqueue.Adapt(queue.WorkerHandler(service.Work, logger), func(ctx context.Context, _ json.RawMessage) (any, error) {
		done, err := service.Work(ctx)
		return map[string]int{"done": done}, err
	}))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
