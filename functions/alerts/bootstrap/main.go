// The Lambda executable of functions/alerts. It also receives notices of bounces and complaints
// from SNS.
package main

import (
	"context"
	"encoding/json"

	"verdetto/functions/alerts"
	"verdetto/functions/wiring"
	"verdetto/functions/wiring/sending"
	"verdetto/functions/wiring/serving"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/runtime/lambdaqueue"
	"verdetto/shared/runtime/queue"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/page"
)

func main() {
	var public config.Public
	var outgoing config.Mail
	var work config.Work
	var bot config.Telegram
	p := serving.Load(&public, &outgoing, &work, &bot)
	p.CheckPepper(p.API.Pepper)
	p.API.Pages = page.Problems
	service, err := alerts.New(alerts.Parts{
		Table: p.Table, Limiter: p.API.Limiter, Pepper: p.API.Pepper, BaseURL: public.BaseURL,
		Mail: sending.Mail(p.Parts, outgoing), Delay: store.RandomDelay, Bot: bot, Now: p.Now, Log: p.Log, Metrics: p.Metrics,
	})
	wiring.Must(err)
	service.SignalWorker = sending.Signal(p.Parts, work.QueueURL)
	api := httpapi.New(p.API)
	service.Register(api)
	event := func(ctx context.Context, event json.RawMessage) (any, error) { return service.Event(ctx, event) }
	lambdahttp.MainWith(api, lambdaqueue.Adapt(queue.WorkerHandler(service.Work, p.Log), event))
}
