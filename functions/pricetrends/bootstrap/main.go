// The Lambda executable of functions/pricetrends.
package main

import (
	"context"
	"log"

	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/pricetrends"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
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
	var clock config.Clock
	var shown config.Shown
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &access, &clock, &shown))
	now := clock.Now()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	logger := lambdalog.New()
	reader := answer.NewReader(store.Fares{Table: items}, now, logger)
	api := httpapi.New(httpapi.Config{
		Now: now, Log: httpapi.RequestLog(logger),
		OriginSecrets: access.OriginSecrets, Pepper: access.Key(), AllFares: shown.All(),
		Limiter: limit.New(items, now), Customers: store.Customers{Table: items}, Refused: apikey.NewRefused(),
		Metrics: metrics.Of(lambdacontext.FunctionName),
	})
	(&pricetrends.Service{Trends: &view.Reader{Reader: reader, AllFares: shown.All()}}).Register(api)
	lambdahttp.Main(api)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
