package notify

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"verdetto/shared/runtime/retry"
)

type pace struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error

	mu      sync.Mutex
	limiter *rate.Limiter
	until   time.Time
}

func newPace(perSecond float64, now func() time.Time, sleep func(context.Context, time.Duration) error) *pace {
	if sleep == nil {
		sleep = retry.Sleep
	}
	return &pace{now: now, sleep: sleep, limiter: rate.NewLimiter(rate.Limit(perSecond), 1)}
}

func (p *pace) wait(ctx context.Context) error {
	for {
		p.mu.Lock()
		now := p.now()
		held := p.until.Sub(now)
		var turn time.Duration
		if held <= 0 {
			turn = p.limiter.ReserveN(now, 1).DelayFrom(now)
		}
		p.mu.Unlock()
		if held <= 0 {
			return p.sleep(ctx, turn)
		}
		if err := p.sleep(ctx, held); err != nil {
			return err
		}
	}
}

func (p *pace) hold(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := p.now().Add(d); until.After(p.until) {
		p.until = until
	}
}

func (p *pace) retry(ctx context.Context, do func() error) error {
	err := do()
	for pause := firstPause / 2; err != nil && pause <= firstPause; pause *= 2 {
		if p.sleep(ctx, pause) != nil {
			return err
		}
		err = do()
	}
	return err
}

const (
	tries      = 6
	firstPause = time.Second
	// Alerts are confirmed, so after maxInARow failures in a row the fault probably lies with the
	// carrier or this service, and the channel is stopped.
	maxInARow = 5
)
