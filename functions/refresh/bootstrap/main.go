// The Lambda executable of functions/refresh. An event may name origins, as in
// {"origins": ["MIL"]}; a schedule's event names none and means all. The news of
// the refresh, and what was left of earlier ones, is then told by mail as long as
// there is time; {"mail": true} does only that.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	aws "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"verdetto/functions/refresh"
	"verdetto/shared/config"
	"verdetto/shared/fare"
	"verdetto/shared/mail/sesmail"
	"verdetto/shared/places"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/upstream"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/travelpayouts"
)

type event struct {
	Origins []fare.City `json:"origins"`
	Mail    bool        `json:"mail"`
}

type answer struct {
	*refresh.Report              // nil where nothing was refreshed
	Mail            refresh.Sent `json:"mail"`
}

func main() {
	var table config.Store
	var source config.Upstream
	var secret config.Secret
	var public config.Public
	var post config.Mail
	var clock config.Clock
	if err := config.Load(&table, &source, &secret, &public, &post, &clock); err != nil {
		log.Fatal(err)
	}
	ctx, now := context.Background(), clock.Now()
	settings, err := aws.LoadDefaultConfig(ctx)
	if err != nil {
		log.Fatal(err)
	}
	logger := slog.New(slog.NewJSONHandler(os.Stdout, nil))
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	fares := store.Fares{Table: items}
	carrier, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: post.From, ConfigurationSet: post.ConfigurationSet, Now: now})
	if err != nil {
		log.Fatal(err)
	}
	sender := refresh.Sender{
		Alerts: store.Alerts{Table: items}, Wakes: store.Wakes{Table: items}, Mail: carrier,
		Pepper: []byte(secret.Pepper), BaseURL: public.BaseURL, Rate: post.Rate, Now: now, Log: logger,
	}
	client, err := travelpayouts.New(travelpayouts.Config{
		Token: source.Token, BaseURL: source.URL, Now: now,
		Comparable: upstream.Comparable{CityOf: places.CityOf, Rates: ecb.Table().On}, // it is asked for prices in euro
	})
	if err != nil {
		log.Fatal(err)
	}
	lambda.Start(func(ctx context.Context, e event) (a answer, fault error) {
		if !e.Mail {
			r := refresh.Refresher{Source: client, Fares: fares, Now: now, Rates: ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), logger)}
			for _, o := range source.Origins {
				r.Origins = append(r.Origins, fare.City(o))
			}
			report, err := r.Run(ctx, e.Origins...)
			if err != nil {
				return a, err
			}
			if a.Report = &report; report.Failed > 0 {
				fault = fmt.Errorf("%d of %d origins failed", report.Failed, report.Origins)
			}
		}
		mailed, err := sender.Work(ctx)
		a.Mail = mailed
		logger.Info("refreshed", "report", a.Report, "mail", a.Mail)
		return a, errors.Join(fault, err)
	})
}
