package travelpayouts

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// gate lets calls through one by one, at most perMinute of them in any 60
// seconds, and closes for everybody when the API says that it has had enough.
//
// The API counts in a fixed window and blocks for the rest of it, so a burst
// gains nothing: calls are spaced evenly, a twentieth wider than the limit
// demands, because calls that leave evenly may arrive bunched.
type gate struct {
	limiter *rate.Limiter
	now     func() time.Time
	wait    func(ctx context.Context, d time.Duration) error

	mu   sync.Mutex
	held time.Time // nobody passes before
}

func newGate(perMinute int, now func() time.Time, wait func(context.Context, time.Duration) error) *gate {
	every := time.Minute / time.Duration(perMinute)
	return &gate{limiter: rate.NewLimiter(rate.Every(every+every/20), 1), now: now, wait: wait}
}

// hold closes the gate until a moment.
func (g *gate) hold(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until.After(g.held) {
		g.held = until
	}
}

func (g *gate) heldUntil() time.Time {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

// pass waits for the caller's turn. One who was in line when the gate closed
// lines up anew, so that a hold does not end in a stampede.
func (g *gate) pass(ctx context.Context) error {
	var served time.Time
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		if held := g.heldUntil(); held.After(served) {
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
		if !g.heldUntil().After(served) {
			return nil
		}
	}
}
