// The Lambda executable of functions/pro. Beside HTTP it takes signals from a queue
// and the event of a schedule, on which it does what is in the outbox.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/functions/pro"
	"verdetto/shared/apikey"
	"verdetto/shared/config"
	"verdetto/shared/config/ssmparams"
	"verdetto/shared/httpapi"
	"verdetto/shared/lambdahttp"
	"verdetto/shared/lambdalog"
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
	var access config.HTTP
	var public config.Public
	var payment config.Pay
	var operator config.Operator
	var outgoing config.Mail
	var clock config.Clock
	var work config.Work
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &access, &public, &payment, &operator, &outgoing, &work, &clock))
	now, logger := clock.Now(), httpapi.RequestLog(lambdalog.New())
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	limiter, refused := limit.New(items, now), apikey.NewRefused()
	checkout, err := stripepay.New(stripepay.Config{
		Key: payment.StripeKey, Price: payment.StripePrice, FormerPrices: payment.StripeFormer, WebhookSecrets: payment.StripeSecrets, URL: payment.StripeURL,
	})
	must(err)
	chain, err := solanapay.New(solanapay.Config{Nodes: payment.SolanaNodes, Wallet: payment.SolanaWallet, Mint: payment.SolanaMint})
	must(err)
	account, err := solanapay.TokenAccount(payment.SolanaWallet, payment.SolanaMint)
	must(err)
	units, err := pay.ParseUnits(payment.USDC)
	must(err)
	sender, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: now})
	must(err)
	service := &pro.Service{
		Keys: store.Customers{Table: items, Changed: refused.Forget}, Outbox: store.Outbox{Table: items, Name: "pro", Delay: store.RandomDelay}, Checkout: checkout, Chain: chain,
		Wallet:  pro.Wallet{Owner: payment.SolanaWallet, TokenAccount: account, Mint: payment.SolanaMint, Network: payment.SolanaNetwork, Units: units},
		Sender:  instrumented.Sender{Sender: sender, Log: logger, Metrics: metrics.Of("pro"), Now: now},
		Limiter: limiter, Refused: refused, Pepper: []byte(access.Pepper), BaseURL: public.BaseURL,
		Random: rand.Reader, Now: now, Log: logger, Operator: pro.Operator(operator), Metrics: metrics.Of("pro"),
	}
	if work.QueueURL != "" {
		service.SignalWorker = queue.SignalWorker(sqsqueue.New(sqs.NewFromConfig(settings), work.QueueURL), logger)
	}
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger, OriginSecrets: access.OriginSecrets, Pepper: []byte(access.Pepper),
		Limiter: limiter, Customers: store.Customers{Table: items}, Refused: refused,
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
