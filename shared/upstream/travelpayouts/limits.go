package travelpayouts

import (
	"context"
	"fmt"
	"sync"
	"time"

	"verdetto/shared/fare"
	"verdetto/shared/upstream"
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

// budget counts the calls of a day (UTC), to all endpoints together.
type budget struct {
	perDay int // 0: no budget

	mu    sync.Mutex
	day   fare.Day
	calls int
}

// spend takes n calls of the day, or says that so many are not left. n is 0 to
// learn whether there is one at all before lining up for it.
func (b *budget) spend(now time.Time, n int) error {
	if b.perDay <= 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if day := fare.DayOf(now); day != b.day {
		b.day, b.calls = day, 0
	}
	if b.calls+max(n, 1) > b.perDay {
		return fmt.Errorf("%w: %d calls on %s", upstream.ErrBudget, b.calls, b.day)
	}
	b.calls += n
	return nil
}
