package pro

import (
	"context"
	"sync"
	"time"

	"verdetto/shared/pay"
	"verdetto/shared/web/httpapi"
	"verdetto/shared/web/limit"
)

// Strangers can cause calls to the chain and the card processor. The limit per network keeps one
// network from using up the limit of the service.
var (
	chainService = limit.Limit{Name: "pro-chain-service", Calls: 12_000, Window: time.Hour}
	chainNetwork = limit.Limit{Name: "pro-chain-network", Calls: 300, Window: time.Hour}
	cardService  = limit.Limit{Name: "pro-card-service", Calls: 3000, Window: time.Hour}
	cardNetwork  = limit.Limit{Name: "pro-card-network", Calls: 60, Window: time.Hour}
)

func mayAskChain(ctx context.Context) error {
	return mayAsk(ctx, chainNetwork, chainService, "A payment is on the chain and can be claimed for 30 days.")
}

func mayAskCard(ctx context.Context) error {
	return mayAsk(ctx, cardNetwork, cardService, "A payment that was made buys its plan, whenever it is confirmed.")
}

func mayAsk(ctx context.Context, network, service limit.Limit, safe string) error {
	const wait = "Wait for the seconds in Retry-After. Nothing is lost: "
	if err := httpapi.ConsumeLimit(ctx, network, httpapi.Network(ctx),
		"Your network has asked about too many payments. "+wait+safe); err != nil {
		return err
	}
	return httpapi.ConsumeLimit(ctx, service, "all",
		"The service has asked about as many payments as it may in this hour. "+wait+safe)
}

const (
	unknownTime = 15 * time.Second
	mostUnknown = 10_000
)

// unknownPayments remembers, for at most unknownTime, signatures whose transactions were not found.
type unknownPayments struct {
	mu    sync.Mutex
	until map[pay.Signature]time.Time
}

func (u *unknownPayments) has(s pay.Signature, now time.Time) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return now.Before(u.until[s])
}

func (u *unknownPayments) add(s pay.Signature, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.until == nil || len(u.until) >= mostUnknown {
		u.until = map[pay.Signature]time.Time{}
	}
	u.until[s] = now.Add(unknownTime)
}
