// The Lambda executable of functions/refresh. It takes the event of a schedule,
// messages of its queue, {"departures": true} to ask for a year of departures of the routes that are due, {"mail": true} to send the notifications that refreshes have left,
// and events by hand such as {"origins": ["MIL"]}.
package main

import (
	"context"
	"log"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"verdetto/functions/refresh"
	"verdetto/shared/answer"
	"verdetto/shared/carrier/mail/instrumented"
	"verdetto/shared/carrier/mail/sesmail"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/config/ssmparams"
	"verdetto/shared/runtime/lambdalog"
	"verdetto/shared/runtime/lambdaqueue"
	"verdetto/shared/runtime/metrics"
	"verdetto/shared/runtime/queue/sqsqueue"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/travelpayouts/configured"
)

func main() {
	var table config.Store
	var source config.Upstream
	var fanout config.Fanout
	var secret config.Secret
	var public config.Public
	var outgoing config.Mail
	var clock config.Clock
	settings, err := awsconfig.LoadDefaultConfig(context.Background())
	must(err)
	must(config.LoadWith(ssmparams.In(settings), &table, &source, &fanout, &secret, &public, &outgoing, &clock))
	now, logger := clock.Now(), lambdalog.New()
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	must(store.CheckPepper(context.Background(), items, secret.Key()))
	carrier, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: outgoing.From, ConfigurationSet: outgoing.ConfigurationSet, Now: now})
	must(err)
	client, err := configured.Source(source, configured.Part{
		Now: now, PerMinute: fanout.Share(travelpayouts.DefaultPerMinute), Rates: ecb.Table().On,
		Spend: refresh.Budget{Calls: store.Calls{Table: items}, Source: "travelpayouts", PerDay: source.CallsADay, Now: now}.Spend,
	})
	must(err)
	fares := store.Fares{Table: items}
	carriers := notify.Queued(store.Outbox{Table: items, Name: notify.PushOutbox}, now)
	carriers[store.Webhook] = webhook.Carrier{Deliveries: store.Deliveries{Table: items}, Now: now}
	f := &refresh.Function{
		Refresher: refresh.Refresher{
			Source: client, Fares: fares, Now: now,
		},
		Sender: &notify.Sender{
			Alerts: store.Alerts{Table: items}, Notifications: store.Notifications{Table: items},
			Answers:  answer.NewUnrecorded(fares, now, logger),
			Mail:     instrumented.Sender{Sender: carrier, Log: logger, Metrics: metrics.Of(lambdacontext.FunctionName), Now: now},
			Carriers: carriers,
			Links:    notify.Links{Pepper: secret.Key(), BaseURL: public.BaseURL}, Rate: outgoing.Rate, Now: now, Log: logger,
		},
		CurrentRates: func(ctx context.Context) fare.Rates { return ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), logger) },
		Log:          logger, Metrics: metrics.Of(lambdacontext.FunctionName),
	}
	for _, o := range source.Origins {
		f.Origins = append(f.Origins, fare.City(o))
	}
	if fanout.QueueURL != "" {
		f.Queue = sqsqueue.New(sqs.NewFromConfig(settings), fanout.QueueURL)
	}
	lambda.Start(lambdaqueue.Adapt(f.Messages, f.Event))
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
