package travelpayouts

import (
	"context"
	"time"
)

// The endpoints that are asked.
const (
	latestPrices  = "/aviasales/v3/get_latest_prices"
	groupedPrices = "/aviasales/v3/grouped_prices"
	cityList      = "/data/en/cities.json"
)

// granted is how many calls a minute the API grants a token, at each endpoint
// apart (support article "API rate limits", the table valid from 14 June 2024).
// The documents write the endpoints as /v3/..., and are reached as above.
var granted = map[string]int{
	latestPrices:  DefaultPerMinute,
	groupedPrices: 600,
	cityList:      600,
}

// gates makes a gate for each endpoint. perMinute is the share of get_latest_prices;
// of the others it is the same part of what is granted.
func gates(perMinute int, now func() time.Time, wait func(context.Context, time.Duration) error) map[string]*gate {
	all := map[string]*gate{}
	for path, limit := range granted {
		all[path] = newGate(max(1, limit*perMinute/DefaultPerMinute), now, wait)
	}
	return all
}
