// The Lambda executable of functions/refresh.
package main

import (
	"context"

	"github.com/aws/aws-lambda-go/lambda"

	"verdetto/functions/refresh"
	"verdetto/functions/wiring"
	"verdetto/functions/wiring/sending"
	"verdetto/shared/answer"
	"verdetto/shared/fare"
	"verdetto/shared/notify"
	"verdetto/shared/notify/webhook"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/lambdaqueue"
	"verdetto/shared/store"
	"verdetto/shared/upstream/ecb"
	"verdetto/shared/upstream/travelpayouts"
	"verdetto/shared/upstream/travelpayouts/configured"
)

func main() {
	var source config.Upstream
	var fanout config.Fanout
	var secret config.Secret
	var public config.Public
	var outgoing config.Mail
	p := wiring.Load(&source, &fanout, &secret, &public, &outgoing)
	p.CheckPepper(secret.Key())
	client, err := configured.Source(source, configured.Part{
		Now: p.Now, PerMinute: fanout.Share(travelpayouts.DefaultPerMinute), Rates: ecb.Table().RatesOn,
		Spend: refresh.Budget{Calls: store.Calls{Table: p.Table}, Source: "travelpayouts", PerDay: source.CallsADay,
			Now: p.Now}.Spend,
	})
	wiring.Must(err)
	fares := store.Fares{Table: p.Table}
	carriers := notify.Queued(store.Outbox{Table: p.Table, Name: notify.PushOutbox}, p.Now)
	carriers[store.Webhook] = webhook.Carrier{Deliveries: store.Deliveries{Table: p.Table}, Now: p.Now}
	f := &refresh.Function{
		Refresher: refresh.Refresher{Source: client, Fares: fares, Now: p.Now},
		Sender: &notify.Sender{
			Alerts: store.Alerts{Table: p.Table}, Notifications: store.Notifications{Table: p.Table},
			Answers: answer.NewUnrecorded(fares, p.Now, p.Log), Mail: sending.Mail(p, outgoing), Carriers: carriers,
			Links: notify.Links{Pepper: secret.Key(), BaseURL: public.BaseURL}, Rate: outgoing.Rate, Now: p.Now, Log: p.Log,
		},
		CurrentRates: func(ctx context.Context) fare.Rates { return ecb.Current(ctx, &ecb.Feed{}, ecb.Table(), p.Log) },
		Queue:        sending.Queue(p, fanout.QueueURL), BaseURL: public.BaseURL, Log: p.Log, Metrics: p.Metrics,
	}
	for _, o := range source.Origins {
		f.Origins = append(f.Origins, fare.City(o))
	}
	lambda.Start(lambdaqueue.Adapt(f.Messages, f.Event))
}
