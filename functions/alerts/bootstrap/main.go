// The Lambda executable of functions/alerts. Beside HTTP it takes notices of
// bounces and complaints from SNS, and schedules and nudges, on which it does
// what is in the outbox.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"log/slog"
	"os"

	aws "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"

	"verdetto/functions/alerts"
	"verdetto/shared/config"
	"verdetto/shared/httpapi"
	"verdetto/shared/lambdahttp"
	"verdetto/shared/limit"
	"verdetto/shared/mail/sesmail"
	"verdetto/shared/store"
	"verdetto/shared/store/dynamostore"
)

func main() {
	var table config.Store
	var door config.Door
	var public config.Public
	var post config.Mail
	var clock config.Clock
	must(config.Load(&table, &door, &public, &post, &clock))
	settings, err := aws.LoadDefaultConfig(context.Background())
	must(err)
	now, logger := clock.Now(), slog.New(slog.NewJSONHandler(os.Stdout, nil))
	items := dynamostore.New(dynamodb.NewFromConfig(settings), table.Table, now)
	limiter := limit.New(items, now)
	sender, err := sesmail.New(sesv2.NewFromConfig(settings), sesmail.Config{From: post.From, ConfigurationSet: post.ConfigurationSet, Now: now})
	must(err)
	service := &alerts.Service{
		Alerts: store.Alerts{Table: items, Outbox: store.Outbox{Table: items, Name: "alerts"}},
		Sender: sender, Limiter: limiter, Pepper: []byte(door.Pepper), BaseURL: public.BaseURL,
		Random: rand.Reader, Now: now, Log: logger,
	}
	api := httpapi.New(httpapi.Config{
		Now: now, Log: logger, OriginSecrets: door.OriginSecrets, Pepper: []byte(door.Pepper),
		Limiter: limiter, Customers: store.Keys{Table: items},
	})
	service.Register(api)
	lambdahttp.MainWith(api, func(ctx context.Context, event json.RawMessage) (any, error) {
		return service.Event(ctx, event)
	})
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
