// The Lambda executable of functions/x402.
package main

import (
	"verdetto/functions/wiring"
	"verdetto/functions/wiring/serving"
	"verdetto/functions/x402"
	"verdetto/functions/x402/percall"
	"verdetto/shared/answer"
	"verdetto/shared/published"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

func main() {
	var site config.Public
	var fares config.Publication
	var payment config.PerCall
	p := serving.Load(&site, &fares, &payment)
	p.API.AllFares = fares.All()
	records := store.Fares{Table: p.Table}
	service := &x402.Service{
		Answers:  &published.Answers{Reader: answer.NewReader(records, p.Now, p.Log)},
		Payments: store.Payments{Table: p.Table},
		Limiter:  p.API.Limiter, BaseURL: site.BaseURL, Now: p.Now, Log: p.Log, Metrics: p.Metrics,
	}
	_, err := percall.Sell(service, payment)
	wiring.Must(err)
	api := httpapi.New(p.API)
	service.Register(api)
	lambdahttp.Main(api)
}
