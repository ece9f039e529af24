// Package serving makes the parts of every Lambda executable that serves HTTP.
package serving

import (
	"verdetto/functions/wiring"
	"verdetto/shared/apikey"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// Parts holds the parts of every executable and the configuration of its API.
type Parts struct {
	wiring.Parts
	API httpapi.Config
}

// Load is wiring.Load for a function that serves HTTP.
func Load(groups ...any) Parts {
	var access config.HTTP
	p := Parts{Parts: wiring.Load(append([]any{&access}, groups...)...)}
	p.Log = httpapi.RequestLog(p.Log)
	p.API = httpapi.Config{
		Now: p.Now, Log: p.Log, OriginSecrets: access.OriginSecrets, Pepper: access.Key(),
		Limiter: limit.New(p.Table, p.Now), Customers: store.Customers{Table: p.Table}, Refused: apikey.NewRefused(),
		Metrics: p.Metrics,
	}
	return p
}
