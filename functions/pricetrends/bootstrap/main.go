// The Lambda executable of functions/pricetrends.
package main

import (
	"log"
	"log/slog"
	"os"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/pricetrends"
	"verdetto/shared/awsenv"
	"verdetto/shared/config"
	"verdetto/shared/config/ssmparams"
	"verdetto/shared/httpapi"
	"verdetto/shared/lambdahttp"
	"verdetto/shared/limit"
	"verdetto/shared/metrics"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/trends/view"
)

func main() {
	var table config.Store
	var http config.HTTP
	var clock config.Clock
	settings, err := awsenv.Settings()
	if err != nil {
		log.Fatal(err)
	}
	if err := config.LoadWith(ssmparams.In(settings), &table, &http, &clock); err != nil {
		log.Fatal(err)
	}
	now := clock.Now()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	api := httpapi.New(httpapi.Config{
		Now: now, Log: slog.New(slog.NewJSONHandler(os.Stdout, nil)),
		OriginSecrets: http.OriginSecrets, Pepper: []byte(http.Pepper),
		Limiter: limit.New(items, now), Customers: store.Customers{Table: items},
		Metrics: metrics.Of("pricetrends"),
	})
	(&pricetrends.Service{Trends: &view.Reader{Fares: store.Fares{Table: items}, Now: now}}).Register(api)
	lambdahttp.Main(api)
}
