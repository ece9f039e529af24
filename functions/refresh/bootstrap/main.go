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
	client, err := travelpayouts.New(travelpayouts.Config{
		Token: source.Token, BaseURL: source.URL, Now: now,
		Comparable: upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().On}, // it is asked for prices in euro
	})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(func(ctx context.Context, e event) (refresh.Report, error) {
		r := refresh.Refresher{Source: client, Fares: fares, Now: now, Rates: ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), logger)}
		for _, o := range source.Origins {
			r.Origins = append(r.Origins, fare.City(o))
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
