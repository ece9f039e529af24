// The Lambda executable of functions/compat.
package main

import (
	"context"
	"log"

	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/compat"
	"verdetto/shared/answer"
	"verdetto/shared/apikey"
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
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &access, &site, &clock, &shown))
	now := clock.Now()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	logger := httpapi.RequestLog(lambdalog.New())
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger,
		OriginSecrets: access.OriginSecrets, Pepper: access.Key(), AllFares: shown.All(),
		Limiter: limit.New(items, now), Customers: store.Customers{Table: items}, Refused: apikey.NewRefused(),
		Metrics: metrics.Of(lambdacontext.FunctionName),
	})
	fares := store.Fares{Table: items}
	reader := answer.NewReader(fares, now, logger)
	(&compat.Service{Reader: reader, BaseURL: site.BaseURL}).Register(api)
	lambdahttp.Main(api)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
