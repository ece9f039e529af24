// Package serving builds what every Lambda executable that serves HTTP needs.
package serving

import (
	"verdetto/functions/wiring"
	"verdetto/shared/apikey"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
	"verdetto/shared/web/routes"
)

type Parts struct {
	wiring.Parts
	API httpapi.Config
}

func Load(groups ...any) Parts {
	var access config.HTTP
	var quotas config.Quotas
	var sale config.Sale
	p := Parts{Parts: wiring.Load(append([]any{&access, &quotas, &sale}, groups...)...)}
	routes.NothingSold.Store(!sale.Any())
	p.Log = httpapi.RequestLog(p.Log)
	p.API = httpapi.Config{
		Now: p.Now, Log: p.Log, OriginSecrets: access.OriginSecrets, Pepper: access.Key(),
		Limiter: limit.New(p.Table, p.Now).With(quotas.Calls), Quotas: httpapi.Quotas(quotas),
		Customers: store.Customers{Table: p.Table}, Refused: apikey.NewRefused(),
		Metrics: p.Metrics,
	}
	return p
}
