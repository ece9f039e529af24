// The Lambda executable of functions/analisi.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"

	aws "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/analisi"
	"verdetto/functions/analisi/agents"
	"verdetto/shared/config"
	"verdetto/shared/httpapi"
	"verdetto/shared/lambdahttp"
	"verdetto/shared/limit"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/trends/view"
)

func main() {
	var table config.Store
	var door config.Door
	var site config.Public
	var clock config.Clock
	if err := config.Load(&table, &door, &site, &clock); err != nil {
		log.Fatal(err)
	}
	settings, err := aws.LoadDefaultConfig(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	now := clock.Now()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	logger := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger,
		OriginSecrets: door.OriginSecrets, Pepper: []byte(door.Pepper),
		Limiter: limit.New(items, now), Customers: store.Keys{Table: items},
	})
	fares := store.Fares{Table: items}
	verdicts := &analisi.Service{Sheets: fares, Wishes: fares, Coverage: fares, Now: now, Log: logger, BaseURL: site.BaseURL}
	verdicts.Register(api)
	(&agents.Service{Verdicts: verdicts, Trends: &view.Reader{Fares: fares, Now: now}, Log: logger}).Register(api)
	lambdahttp.Main(api)
}
