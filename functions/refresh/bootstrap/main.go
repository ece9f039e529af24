// The Lambda executable of functions/refresh. An event may name origins, as in
// {"origins": ["MIL"]}; a schedule's event names none and means all.
package main

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	aws "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"verdetto/functions/refresh"
	"verdetto/shared/config"
	"verdetto/shared/fare"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/travelpayouts"
)

type event struct {
	Origins []fare.City `json:"origins"`
}

func main() {
	var table config.Store
	var source config.Upstream
	var clock config.Clock
	if err := config.Load(&table, &source, &clock); err != nil {
		log.Fatal(err)
	}
	ctx, now := context.Background(), clock.Now()
	settings, err := aws.LoadDefaultConfig(ctx)
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	fares := store.Fares{Table: dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)}
	// The API is asked for prices in euro, so a table of rates that is a month old only matters for what it answers in another currency.
	rates := ecb.Table().On
	client, err := travelpayouts.New(travelpayouts.Config{
		Token: source.Token, BaseURL: source.URL, Now: now,
		Comparable: upstream.Comparable{CityOf: places.CityOf, Rates: rates},
	})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(func(ctx context.Context, e event) (refresh.Report, error) {
		r := refresh.Refresher{Source: client, Fares: fares, Now: now}
		if len(e.Origins) == 0 {
			for _, o := range source.Origins {
				e.Origins = append(e.Origins, fare.City(o))
			}
		}
		report, err := r.Run(ctx, e.Origins...)
		if err != nil {
			return report, err
		}
		logger.Info("refreshed", "report", report)
		if report.Failed > 0 {
			return report, fmt.Errorf("%d of %d origins failed", report.Failed, report.Origins)
		}
		return report, nil
	})
}
