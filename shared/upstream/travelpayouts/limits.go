package travelpayouts

import (
	"context"
	"time"
)

const (
	latestPrices  = "/aviasales/v3/get_latest_prices"
	groupedPrices = "/aviasales/v3/grouped_prices"
	cityList      = "/data/en/cities.json"
)

// granted holds the API's rate limit for each endpoint, in calls per minute. The source is the
// support article "API rate limits", with the table valid from 14 June 2024.
var granted = map[string]int{
	latestPrices:  DefaultPerMinute,
	groupedPrices: 600,
	cityList:      600,
}

func gates(perMinute int, now func() time.Time, wait func(context.Context, time.Duration) error) map[string]*gate {
	all := map[string]*gate{}
	for path, limit := range granted {
		all[path] = newGate(max(1, limit*perMinute/DefaultPerMinute), now, wait)
	}
	return all
}
