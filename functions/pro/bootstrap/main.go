// The Lambda executable of functions/pro.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"verdetto/functions/pro"
	"verdetto/functions/pro/plan"
	"verdetto/functions/wiring"
	"verdetto/functions/wiring/sending"
	"verdetto/functions/wiring/serving"
	"verdetto/shared/pay"
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
	var operator config.Operator
	var outgoing config.Mail
	var work config.Work
	var sale config.Sale
	var payment config.Pay
	groups := []any{&public, &operator, &outgoing, &work}
	wiring.Must(config.Load(&sale))
	if sale.Any() {
		groups = append(groups, payment.Groups()...)
	}
	p := serving.Load(groups...)
	p.CheckPepper(p.API.Pepper)
	p.API.Pages = page.Problems
	service := &pro.Service{
		Keys:     store.Customers{Table: p.Table, Changed: p.API.Refused.Forget},
		Outbox:   store.Outbox{Table: p.Table, Name: "pro", Delay: store.RandomDelay},
		Checkout: pay.Unsold{}, Sender: sending.Mail(p.Parts, outgoing),
		Limiter: p.API.Limiter, Refused: p.API.Refused, Pepper: p.API.Pepper, BaseURL: public.BaseURL,
		Random: rand.Reader, Now: p.Now, Log: p.Log, Operator: pro.Operator(operator),
		Processors: pro.Processors{AWS: true}, Metrics: p.Metrics,
		SignalWorker: sending.Signal(p.Parts, work.QueueURL),
	}
	if sale.Any() {
		wiring.Must(plan.Sell(service, payment))
	}
	api := httpapi.New(p.API)
	service.Register(api)
	event := func(ctx context.Context, _ json.RawMessage) (any, error) {
		done, err := service.Work(ctx)
		return map[string]int{"done": done}, err
	}
	lambdahttp.MainWith(api, lambdaqueue.Adapt(queue.WorkerHandler(service.Work, p.Log), event))
}
