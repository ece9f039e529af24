// Command bootstrap is the Lambda executable of functions/pricetrends.
package main

import (
	"verdetto/functions/pricetrends"
	"verdetto/functions/wiring/serving"
	"verdetto/shared/answer"
	"verdetto/shared/answer/view"
	"verdetto/shared/runtime/config"
	"verdetto/shared/runtime/lambdahttp"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
)

func main() {
	var fares config.Publication
	p := serving.Load(&fares)
	p.API.AllFares = fares.All()
	api := httpapi.New(p.API)
	trends := &view.Reader{Reader: answer.NewReader(store.Fares{Table: p.Table}, p.Now, p.Log), AllFares: fares.All()}
	(&pricetrends.Service{Trends: trends}).Register(api)
	lambdahttp.Main(api)
}
