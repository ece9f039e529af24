// The Lambda executable of functions/compat.
package main

import (
	"verdetto/functions/compat"
	"verdetto/functions/wiring/serving"
	"verdetto/shared/answer"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

func main() {
	var site config.Public
	var fares config.Publication
	p := serving.Load(&site, &fares)
	p.API.AllFares = fares.All()
	api, records := httpapi.New(p.API), store.Fares{Table: p.Table}
	(&compat.Service{Reader: answer.NewReader(records, p.Now, p.Log), BaseURL: site.BaseURL}).Register(api)
	lambdahttp.Main(api)
}
