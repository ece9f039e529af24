// The Lambda executable of functions/x402.
package main

import (
	"context"
	"log"

	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/x402"
	"verdetto/shared/answer"
	"verdetto/shared/pay/solanapay"
	"verdetto/shared/pay/x402pay"
	"verdetto/shared/published"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/config/ssmparams"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/runtime/lambdalog"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

func main() {
	var table config.Store
	var access config.HTTP
	var site config.Public
	var clock config.Clock
	var shown config.Shown
	var payment config.PerCall
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &access, &site, &clock, &shown, &payment))
	now := clock.Now()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	logger, limiter := httpapi.RequestLog(lambdalog.New()), limit.New(items, now)
	fares := store.Fares{Table: items}
	reader := answer.NewReader(fares, now, logger)
	service := &x402.Service{
		Answers: &published.Answers{Reader: reader}, Payments: store.Payments{Table: items},
		Limiter: limiter, BaseURL: site.BaseURL, Now: now, Log: logger, Metrics: metrics.Of(lambdacontext.FunctionName),
	}
	sold, err := payment.Sold()
	must(err)
	if sold {
		key, _ := config.SolanaKey(payment.FeeKey)
		service.Seller, err = x402pay.New(x402pay.Config{Network: x402pay.NetworkOf(payment.Network),
			Mint: payment.Mint, Wallet: payment.Wallet, FeeKey: key})
		must(err)
		service.Chain, err = solanapay.New(solanapay.Config{Nodes: payment.Nodes, Wallet: payment.Wallet,
			Mint: payment.Mint})
		must(err)
	}
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger, OriginSecrets: access.OriginSecrets, Pepper: access.Key(), AllFares: shown.All(),
		Limiter: limiter, Metrics: metrics.Of(lambdacontext.FunctionName),
	})
	service.Register(api)
	lambdahttp.Main(api)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
