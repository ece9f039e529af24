// Package serving makes what every Lambda executable has that answers HTTP.
package serving

import (
	"verdetto/functions/wiring"
	"verdetto/shared/apikey"
	"verdetto/shared/runtime/config"
	"verdetto/shared/store"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// Parts are those of every executable, and how its API is configured.
type Parts struct {
	wiring.Parts
	API httpapi.Config
}

// Load is wiring.Load for a function that answers HTTP.
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
