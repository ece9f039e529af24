package travelpayouts

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A gate spaces calls evenly, because the API counts calls per fixed minute and, above the limit,
// refuses all calls for the rest of the minute. The calls are 5 % further apart than required,
// because calls may arrive at the API in bunches.
type gate struct {
	limiter *rate.Limiter
	now     func() time.Time
	wait    func(ctx context.Context, d time.Duration) error

	mu   sync.Mutex
	held time.Time
}

func newGate(perMinute int, now func() time.Time, wait func(context.Context, time.Duration) error) *gate {
	every := time.Minute / time.Duration(perMinute)
	return &gate{limiter: rate.NewLimiter(rate.Every(every+every/20), 1), now: now, wait: wait}
}

func (g *gate) hold(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.held) {
		g.held = until
	}
}

func (g *gate) pausedUntil() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

// pass waits until the caller may make a call. Callers that are waiting while hold is called must
// wait for their turn again, so that the end of a hold causes no burst.
func (g *gate) pass(ctx context.Context) error {
	var served time.Time
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if held := g.pausedUntil(); held.After(served) {
			if d := held.Sub(g.now()); d > 0 {
				if err := g.wait(ctx, d); err != nil {
					return err
				}
			}
			served = held
		}
		now := g.now()
		turn := g.limiter.ReserveN(now, 1)
		if d := turn.DelayFrom(now); d > 0 {
			if err := g.wait(ctx, d); err != nil {
				turn.CancelAt(g.now())
				return err
			}
		}
		if !g.pausedUntil().After(served) {
			return nil
		}
	}
}
