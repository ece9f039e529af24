// The Lambda executable of functions/analisi.
package main

import (
	"context"
	"log"

	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
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
	"verdetto/shared/web/page"
)

func main() {
	var table config.Store
	var access config.HTTP
	var site config.Public
	var clock config.Clock
	var shown config.Shown
	var bot config.Telegram // of which this function has the name alone
	var offer config.Offer
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &access, &site, &clock, &shown, &bot, &offer))
	now := clock.Now()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	logger := httpapi.RequestLog(lambdalog.New())
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger,
		OriginSecrets: access.OriginSecrets, Pepper: access.Key(), AllFares: shown.All(), PaidCalls: offer.Told(),
		Limiter: limit.New(items, now), Customers: store.Customers{Table: items}, Refused: apikey.NewRefused(),
		Metrics: metrics.Of(lambdacontext.FunctionName), Pages: page.Problems,
	})
	fares := store.Fares{Table: items}
	verdicts := &analisi.Service{Reader: answer.NewReader(fares, now, logger), Score: fares, BaseURL: site.BaseURL, Telegram: bot.Bot != ""}
	verdicts.Register(api)
	(&agents.Service{Answers: verdicts.Answers(), Pages: verdicts.Pages(), Trends: &view.Reader{Reader: verdicts.Reader, AllFares: shown.All()}, Log: logger}).Register(api)
	lambdahttp.Main(api)
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
