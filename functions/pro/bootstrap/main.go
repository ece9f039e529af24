// The Lambda executable of functions/pro. Beside HTTP it takes signals from a queue
// and the event of a schedule, on which it does what is in the outbox.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"

	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/functions/pro"
	"verdetto/shared/apikey"
	"verdetto/shared/carrier/mail/instrumented"
	"verdetto/shared/carrier/mail/sesmail"
	"verdetto/shared/pay"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/stripepay"
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
	var payment config.Pay
	var operator config.Operator
	var outgoing config.Mail
	var clock config.Clock
	var work config.Work
	var sale config.Sale
	must(config.Load(&sale))
	groups := []any{&table, &access, &public, &operator, &outgoing, &work, &clock}
	if sale.Any() {
		groups = append(groups, &payment)
	}
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), groups...))
	now, logger := clock.Now(), httpapi.RequestLog(lambdalog.New())
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	must(store.CheckPepper(context.Background(), items, access.Key()))
	limiter, refused := limit.New(items, now), apikey.NewRefused()
	sender, err := sesmail.New(sesv2.NewFromConfig(settings),
		sesmail.Config{From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: now})
	must(err)
	service := &pro.Service{
		Keys:   store.Customers{Table: items, Changed: refused.Forget},
		Outbox: store.Outbox{Table: items, Name: "pro", Delay: store.RandomDelay}, Checkout: pay.Unsold{},
		Sender: instrumented.Sender{Sender: sender, Log: logger, Metrics: metrics.Of(lambdacontext.FunctionName),
			Now: now},
		Limiter: limiter, Refused: refused, Pepper: access.Key(), BaseURL: public.BaseURL,
		Random: rand.Reader, Now: now, Log: logger, Operator: pro.Operator(operator),
		Metrics: metrics.Of(lambdacontext.FunctionName),
	}
	if sale.Any() {
		must(sell(service, payment))
	}
	if work.QueueURL != "" {
		service.SignalWorker = queue.SignalWorker(sqsqueue.New(sqs.NewFromConfig(settings), work.QueueURL), logger)
	}
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger, OriginSecrets: access.OriginSecrets, Pepper: access.Key(),
		Limiter: limiter, Customers: store.Customers{Table: items}, Refused: refused,
		Metrics: metrics.Of(lambdacontext.FunctionName), Pages: page.Problems,
	})
	service.Register(api)
	lambdahttp.MainWith(http.Handler(api), lambdaqueue.Adapt(queue.WorkerHandler(service.Work, logger),
		func(ctx context.Context, _ json.RawMessage) (any, error) {
			done, err := service.Work(ctx)
			return map[string]int{"done": done}, err
		}))
}

// sell sets up the card processor and the chain.
func sell(s *pro.Service, payment config.Pay) (err error) {
	s.Checkout, err = stripepay.New(stripepay.Config{
		Key: payment.StripeKey, Price: payment.StripePrice, FormerPrices: payment.StripeFormer,
		WebhookSecrets: payment.StripeSecrets, URL: payment.StripeURL,
	})
	if err != nil {
		return err
	}
	if s.Chain, err = solanapay.New(solanapay.Config{Nodes: payment.SolanaNodes, Wallet: payment.SolanaWallet,
		Mint: payment.SolanaMint}); err != nil {
		return err
	}
	account, err := solanapay.TokenAccount(payment.SolanaWallet, payment.SolanaMint)
	if err != nil {
		return err
	}
	units, err := pay.ParseUnits(payment.USDC)
	s.Wallet = pro.Wallet{Owner: payment.SolanaWallet, TokenAccount: account, Mint: payment.SolanaMint,
		Network: payment.SolanaNetwork, Units: units}
	return err
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
